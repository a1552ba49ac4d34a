use lasthop_units::{Duration, Energy, Power};

/// A battery with a constant self-discharge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Battery {
    capacity: Energy,
    self_discharge_per_year: f64,
}

/// Why a battery is not valid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BatteryError {
    /// The capacity is zero, negative or not a number.
    #[error("a battery of {0} holds nothing; write a capacity above 0 J")]
    NoCapacity(Energy),
    /// The yearly self-discharge is not a share between 0 and 1.
    #[error("a battery cannot lose {0} of its capacity a year; write a fraction from 0 to below 1")]
    SelfDischarge(f64),
}

/// The Julian year of astronomy: 365.25 days.
const YEAR: Duration = Duration::from_secs(31_557_600);

impl Battery {
    /// Creates a battery with this capacity and this yearly self-discharge.
    ///
    /// # Errors
    /// [`BatteryError`] for a capacity that is not above zero, and for a loss outside 0 to 1.
    pub fn new(capacity: Energy, self_discharge_per_year: f64) -> Result<Self, BatteryError> {
        let joules = capacity.as_joules();
        if !(joules > 0.0 && joules.is_finite()) {
            return Err(BatteryError::NoCapacity(capacity));
        }
        if !(0.0..1.0).contains(&self_discharge_per_year) {
            return Err(BatteryError::SelfDischarge(self_discharge_per_year));
        }
        Ok(Self {
            capacity,
            self_discharge_per_year,
        })
    }

    /// Returns the battery life in years at this mean power.
    #[must_use]
    pub fn life_years(&self, mean: Power) -> f64 {
        self.life_years_after(Energy::ZERO, mean)
    }

    /// Returns the battery life after an initial expense of energy.
    #[must_use]
    pub fn life_years_after(&self, spent: Energy, mean: Power) -> f64 {
        let capacity = self.capacity.as_joules();
        let a_year = (mean * YEAR).as_joules() + capacity * self.self_discharge_per_year;
        (capacity - spent.as_joules()).max(0.0) / a_year
    }
}
