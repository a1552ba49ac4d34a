use lasthop_contract::RandomStream;
use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

use crate::ConfigError;
use crate::config::read_checked;

/// A Pareto-distributed delay: never below a minimum, and occasionally much longer.
///
/// The tail is P(delay > x) = (minimum / x)^shape. The mean is infinite for a shape of 1 and below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Pareto {
    #[serde(rename = "minimum_ns")]
    minimum: Duration,
    shape: f64,
}

read_checked!(Pareto);

impl Pareto {
    /// Creates a delay from its minimum and the exponent of its tail.
    ///
    /// # Errors
    /// [`ConfigError::ParetoShape`] when the shape is not a finite number above zero.
    pub fn new(minimum: Duration, shape: f64) -> Result<Self, ConfigError> {
        Self { minimum, shape }.checked()
    }

    fn checked(self) -> Result<Self, ConfigError> {
        if self.shape > 0.0 && self.shape.is_finite() {
            Ok(self)
        } else {
            Err(ConfigError::ParetoShape(self.shape))
        }
    }

    pub(super) fn draw(self, draws: &mut RandomStream) -> Duration {
        draws.pareto(self.minimum, self.shape)
    }
}
