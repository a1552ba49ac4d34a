use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div};

use crate::{Duration, Power};

/// An amount of energy, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Energy(f64);

impl Energy {
    /// No energy.
    pub const ZERO: Self = Self(0.0);

    /// Creates an amount from joules.
    #[must_use]
    pub const fn from_joules(joules: f64) -> Self {
        Self(joules)
    }

    /// Creates an amount from watt-hours.
    #[must_use]
    pub const fn from_watt_hours(watt_hours: f64) -> Self {
        Self(watt_hours * 3600.0)
    }

    /// The energy in joules.
    #[must_use]
    pub const fn as_joules(self) -> f64 {
        self.0
    }
}

impl Add for Energy {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Energy {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Energy {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

/// The mean power; not a number for no energy over no time.
impl Div<Duration> for Energy {
    type Output = Power;
    fn div(self, span: Duration) -> Power {
        Power::from_watts(self.0 / span.as_secs_f64())
    }
}

impl fmt::Display for Energy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} J", self.0)
    }
}
