use core::fmt;
use core::ops::{Add, Mul, Sub};

use crate::{DecibelMilliwatts, Duration, Energy};

/// A power, in watts.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Power(f64);

impl Power {
    /// No power.
    pub const ZERO: Self = Self(0.0);

    /// Creates a power from watts.
    #[must_use]
    pub const fn from_watts(watts: f64) -> Self {
        Self(watts)
    }

    /// Creates a power from milliwatts.
    #[must_use]
    pub const fn from_milliwatts(milliwatts: f64) -> Self {
        Self(milliwatts / 1e3)
    }

    /// The power in watts.
    #[must_use]
    pub const fn as_watts(self) -> f64 {
        self.0
    }
}

/// 0 dBm are 1 mW, and every 10 dB are ten times as much.
impl From<DecibelMilliwatts> for Power {
    fn from(level: DecibelMilliwatts) -> Self {
        Self::from_milliwatts(level.milliwatts())
    }
}

impl Add for Power {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Power {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<f64> for Power {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

impl Mul<Duration> for Power {
    type Output = Energy;
    fn mul(self, span: Duration) -> Energy {
        Energy::from_joules(self.0 * span.as_secs_f64())
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} W", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_logarithmic() {
        for (level, milliwatts) in [(0.0, 1.0), (10.0, 10.0), (-30.0, 1e-3), (23.0, 199.526)] {
            let power = Power::from(DecibelMilliwatts::new(level));
            let ratio = power.as_watts() * 1e3 / milliwatts;
            assert!((ratio - 1.0).abs() < 1e-5, "{level} dBm are {power}");
        }
    }

    #[test]
    fn power_over_time_is_energy() {
        let energy = Power::from_milliwatts(80.0) * Duration::from_millis(500);
        assert_eq!(energy, Energy::from_joules(0.04));
        assert_eq!(
            energy / Duration::from_millis(500),
            Power::from_milliwatts(80.0)
        );
    }
}
