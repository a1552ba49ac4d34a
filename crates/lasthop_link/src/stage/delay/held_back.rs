use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Probability};
use serde::{Deserialize, Serialize};

/// A constant delay, with a share of packets held back so that later packets overtake them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldBack {
    /// The delay of the other packets.
    #[serde(rename = "delay_ns")]
    pub delay: Duration,
    /// The probability that a packet is held back.
    pub probability: Probability,
    /// The additional delay of a packet that is held back.
    #[serde(rename = "by_ns")]
    pub by: Duration,
}

impl HeldBack {
    pub(super) fn draw(self, draws: &mut RandomStream) -> Duration {
        match draws.chance(self.probability) {
            true => self.delay + self.by,
            false => self.delay,
        }
    }
}
