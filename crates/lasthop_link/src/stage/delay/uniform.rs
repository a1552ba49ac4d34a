use lasthop_contract::RandomStream;
use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

use crate::ConfigError;
use crate::config::read_checked;

/// A uniformly distributed delay. Both bounds are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Uniform {
    #[serde(rename = "from_ns")]
    from: Duration,
    #[serde(rename = "to_ns")]
    to: Duration,
}

read_checked!(Uniform);

impl Uniform {
    /// Creates a delay that is uniform between two bounds.
    ///
    /// # Errors
    /// [`ConfigError::BoundsReversed`] when the first bound is the larger.
    pub fn new(from: Duration, to: Duration) -> Result<Self, ConfigError> {
        Self { from, to }.checked()
    }

    fn checked(self) -> Result<Self, ConfigError> {
        if self.from > self.to {
            return Err(ConfigError::BoundsReversed);
        }
        Ok(self)
    }

    pub(super) fn draw(self, draws: &mut RandomStream) -> Duration {
        draws.uniform(self.from, self.to)
    }
}
