use lasthop_contract::RandomStream;
use lasthop_units::Duration;

use crate::ConfigError;

/// A delay between two bounds, each nanosecond as likely as the next; both bounds included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform {
    from: Duration,
    to: Duration,
}

impl Uniform {
    /// Delays from one bound to the other.
    ///
    /// # Errors
    /// [`ConfigError::BoundsReversed`] when the first bound is the larger.
    pub fn new(from: Duration, to: Duration) -> Result<Self, ConfigError> {
        if from > to {
            return Err(ConfigError::BoundsReversed);
        }
        Ok(Self { from, to })
    }

    pub(super) fn draw(self, draws: &mut RandomStream) -> Duration {
        draws.uniform(self.from, self.to)
    }
}
