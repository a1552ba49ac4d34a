use core::fmt;
use core::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::QuantityError;

/// A data rate above zero, in whole bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct BitRate(NonZeroU64);

impl BitRate {
    /// Creates a rate from bits per second.
    ///
    /// # Errors
    /// [`QuantityError::ZeroRate`] for zero.
    pub fn from_bits_per_second(bits: u64) -> Result<Self, QuantityError> {
        NonZeroU64::new(bits)
            .map(Self)
            .ok_or(QuantityError::ZeroRate)
    }

    /// The rate in bits per second.
    #[must_use]
    pub const fn as_bits_per_second(self) -> u64 {
        self.0.get()
    }
}

impl TryFrom<u64> for BitRate {
    type Error = QuantityError;
    fn try_from(bits: u64) -> Result<Self, QuantityError> {
        Self::from_bits_per_second(bits)
    }
}

impl From<BitRate> for u64 {
    fn from(rate: BitRate) -> Self {
        rate.as_bits_per_second()
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bit/s", self.0)
    }
}
