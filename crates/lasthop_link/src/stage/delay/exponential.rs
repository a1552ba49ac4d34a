use lasthop_contract::RandomStream;
use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

use crate::ConfigError;
use crate::config::read_checked;

/// A minimum delay plus an exponentially distributed wait.
///
/// The minimum is an idle path; the wait stands for queues that are not modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Exponential {
    #[serde(rename = "minimum_ns")]
    minimum: Duration,
    #[serde(rename = "mean_ns")]
    mean: Duration,
}

read_checked!(Exponential);

impl Exponential {
    /// Creates a delay from its minimum and its mean.
    ///
    /// # Errors
    /// [`ConfigError::MeanBelowMinimum`] when the mean is below the minimum.
    pub fn new(minimum: Duration, mean: Duration) -> Result<Self, ConfigError> {
        Self { minimum, mean }.checked()
    }

    fn checked(self) -> Result<Self, ConfigError> {
        if self.mean < self.minimum {
            return Err(ConfigError::MeanBelowMinimum);
        }
        Ok(self)
    }

    pub(super) fn draw(self, draws: &mut RandomStream) -> Duration {
        self.minimum + draws.exponential(self.mean - self.minimum)
    }
}
