use core::fmt;

use serde::{Deserialize, Serialize};

use crate::QuantityError;

/// A probability between 0 and 1, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Probability(f64);

impl Probability {
    /// Probability 0.
    pub const NEVER: Self = Self(0.0);
    /// Probability 1.
    pub const ALWAYS: Self = Self(1.0);

    /// Creates a probability from a number between 0 and 1.
    ///
    /// # Errors
    /// [`QuantityError::NotAProbability`] outside 0 to 1 and for not-a-number.
    pub fn new(value: f64) -> Result<Self, QuantityError> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(QuantityError::NotAProbability(value))
        }
    }

    /// The value, from 0 to 1.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Probability {
    type Error = QuantityError;
    fn try_from(value: f64) -> Result<Self, QuantityError> {
        Self::new(value)
    }
}

impl From<Probability> for f64 {
    fn from(probability: Probability) -> Self {
        probability.0
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0 * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_probability() {
        for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Probability::new(value).is_err(), "{value}");
        }
        assert_eq!(Probability::new(1.0), Ok(Probability::ALWAYS));
    }
}
