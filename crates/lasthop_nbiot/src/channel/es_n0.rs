use core::ops::{Add, AddAssign};

/// Es/N0: the energy of a resource element over noise and interference, summed over repetitions and antennas.
///
/// Adding two is what a receiver gains that combines both transmissions (Chase).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct EsN0(f64);

impl EsN0 {
    /// Zero: no reception yet.
    pub const NOTHING: Self = Self(0.0);

    /// Creates an Es/N0 from a non-negative ratio.
    #[must_use]
    pub const fn from_ratio(ratio: f64) -> Self {
        Self(ratio)
    }

    /// Returns the ratio (not in dB).
    #[must_use]
    pub const fn ratio(self) -> f64 {
        self.0
    }

    /// Returns Es/N0 in dB, as the link tables need it; minus infinity without reception.
    #[must_use]
    pub fn decibels(self) -> f64 {
        10.0 * libm::log10(self.0)
    }
}

impl Add for EsN0 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for EsN0 {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combining_two_equal_receptions_gains_three_decibels() {
        let once = EsN0::from_ratio(0.1);
        let twice = EsN0::NOTHING + once + once;
        assert!((twice.decibels() - once.decibels() - 3.0103).abs() < 1e-4);
        assert_eq!(EsN0::NOTHING.decibels(), f64::NEG_INFINITY);
    }
}
