use lasthop_contract::RandomStream;
use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

/// A normally distributed delay. Negative values become zero, which raises the mean of a wide distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    /// The mean delay.
    #[serde(rename = "mean_ns")]
    pub mean: Duration,
    /// The standard deviation of the delay.
    #[serde(rename = "sd_ns")]
    pub standard_deviation: Duration,
}

impl Normal {
    pub(super) fn draw(self, draws: &mut RandomStream) -> Duration {
        let deviation = self.standard_deviation.as_nanos() as f64 * draws.standard_normal();
        Duration::from_nanos_f64(self.mean.as_nanos() as f64 + deviation)
    }
}
