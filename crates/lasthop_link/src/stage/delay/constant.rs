use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

/// A constant delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The delay of each packet.
    #[serde(rename = "delay_ns")]
    pub delay: Duration,
}
