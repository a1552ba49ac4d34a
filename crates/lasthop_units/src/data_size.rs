use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Sub};

use serde::{Deserialize, Serialize};

use crate::{BitRate, Duration};

/// An amount of data, in whole bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct DataSize(u64);

impl DataSize {
    /// Zero bytes.
    pub const ZERO: Self = Self(0);

    /// Creates a size from a number of bytes.
    #[must_use]
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The length of a slice of bytes.
    #[must_use]
    pub const fn of(bytes: &[u8]) -> Self {
        Self(bytes.len() as u64)
    }

    /// The amount in bytes.
    #[must_use]
    pub const fn as_bytes(self) -> u64 {
        self.0
    }
}

impl Add for DataSize {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for DataSize {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// The difference, zero where it would be negative.
impl Sub for DataSize {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for DataSize {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::ZERO, Add::add)
    }
}

/// The time in which the data passes at a rate, rounded up to a nanosecond so that no rate is exceeded.
impl Div<BitRate> for DataSize {
    type Output = Duration;
    fn div(self, rate: BitRate) -> Duration {
        let bit_nanos = u128::from(self.0) * 8 * 1_000_000_000;
        let nanos = bit_nanos.div_ceil(u128::from(rate.as_bits_per_second()));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for DataSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_time_is_rounded_up() {
        let rate = BitRate::from_bits_per_second(3).expect("not zero");
        let time = DataSize::from_bytes(1) / rate;
        assert_eq!(time, Duration::from_nanos(2_666_666_667));
    }
}
