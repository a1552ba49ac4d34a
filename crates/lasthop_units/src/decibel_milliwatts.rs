use core::fmt;
use core::ops::{Add, Sub};

use crate::Decibels;

/// A power on the logarithmic scale: 0 dBm is a milliwatt, 23 dBm is 200 mW, 46 dBm is 40 W.
///
/// ```
/// use lasthop_units::{DecibelMilliwatts, Decibels};
/// let received = DecibelMilliwatts::new(23.0) - Decibels::new(164.0);
/// let noise = DecibelMilliwatts::new(-129.2);
/// assert!(((received - noise).value() - -11.8).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct DecibelMilliwatts(f64);

impl DecibelMilliwatts {
    /// Creates a power from decibels above a milliwatt.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        Self(value)
    }

    /// Converts a power in milliwatts; zero gives minus infinity.
    #[must_use]
    pub fn from_milliwatts(milliwatts: f64) -> Self {
        Self(10.0 * libm::log10(milliwatts))
    }

    /// The value in decibels above a milliwatt.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The power in milliwatts.
    #[must_use]
    pub fn milliwatts(self) -> f64 {
        libm::exp10(self.0 / 10.0)
    }
}

/// Amplified by a gain.
impl Add<Decibels> for DecibelMilliwatts {
    type Output = Self;
    fn add(self, gain: Decibels) -> Self {
        Self(self.0 + gain.value())
    }
}

/// Attenuated by a loss.
impl Sub<Decibels> for DecibelMilliwatts {
    type Output = Self;
    fn sub(self, loss: Decibels) -> Self {
        Self(self.0 - loss.value())
    }
}

/// The ratio of two powers.
impl Sub for DecibelMilliwatts {
    type Output = Decibels;
    fn sub(self, other: Self) -> Decibels {
        Decibels::new(self.0 - other.0)
    }
}

impl fmt::Display for DecibelMilliwatts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dBm", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_watts_are_46_dbm() {
        assert!((DecibelMilliwatts::from_milliwatts(40_000.0).value() - 46.02).abs() < 0.001);
        assert!((DecibelMilliwatts::new(23.0).milliwatts() - 199.53).abs() < 0.01);
        assert_eq!(DecibelMilliwatts::new(0.0).milliwatts(), 1.0);
    }

    #[test]
    fn losses_and_gains_move_a_power() {
        let sent = DecibelMilliwatts::new(46.0);
        let received = sent - Decibels::new(150.0) + Decibels::new(18.0);
        assert_eq!(received, DecibelMilliwatts::new(-86.0));
        assert_eq!(sent - received, Decibels::new(132.0));
    }
}
