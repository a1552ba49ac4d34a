use core::fmt;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A ratio of two powers on the logarithmic scale: 3 dB is about twice, 10 dB is ten times.
///
/// A gain, a loss, a ratio of signal to noise: adding decibels multiplies ratios.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Decibels(f64);

impl Decibels {
    /// Equal powers.
    pub const ZERO: Self = Self(0.0);

    /// Creates a ratio from decibels.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        Self(value)
    }

    /// Converts a ratio of two powers; zero gives minus infinity.
    #[must_use]
    pub fn from_ratio(ratio: f64) -> Self {
        Self(10.0 * libm::log10(ratio))
    }

    /// The value in decibels.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The ratio of the two powers.
    #[must_use]
    pub fn ratio(self) -> f64 {
        libm::exp10(self.0 / 10.0)
    }
}

impl Add for Decibels {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Decibels {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Decibels {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Decibels {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Neg for Decibels {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Decibels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dB", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_decibels_multiplies_ratios() {
        let four = Decibels::from_ratio(2.0) + Decibels::from_ratio(2.0);
        assert!((four.ratio() - 4.0).abs() < 1e-12);
        assert!((four - Decibels::from_ratio(4.0)).value().abs() < 1e-12);
        assert!(((-Decibels::new(10.0)).ratio() - 0.1).abs() < 1e-15);
    }

    #[test]
    fn no_power_is_infinitely_far_below() {
        assert_eq!(Decibels::from_ratio(0.0).value(), f64::NEG_INFINITY);
        assert_eq!(Decibels::new(f64::NEG_INFINITY).ratio(), 0.0);
    }
}
