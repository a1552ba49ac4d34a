use lasthop_contract::RandomStream;
use lasthop_units::Duration;

use crate::ConfigError;

/// A Pareto distributed delay: at least a minimum, and sometimes far more.
///
/// The tail is P(delay > x) = (minimum / x)^shape. The mean is infinite for a shape of 1 and below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    minimum: Duration,
    shape: f64,
}

impl Pareto {
    /// Delays from a minimum, with a tail exponent.
    ///
    /// # Errors
    /// [`ConfigError::ParetoShape`] when the shape is not a finite number above zero.
    pub fn new(minimum: Duration, shape: f64) -> Result<Self, ConfigError> {
        if shape > 0.0 && shape.is_finite() {
            Ok(Self { minimum, shape })
        } else {
            Err(ConfigError::ParetoShape(shape))
        }
    }

    pub(super) fn draw(self, draws: &mut RandomStream) -> Duration {
        draws.pareto(self.minimum, self.shape)
    }
}
