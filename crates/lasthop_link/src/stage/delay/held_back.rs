use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Probability};
use serde::{Deserialize, Serialize};

/// The same delay for all packets but a share of them, which take longer: those that follow within that time overtake
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldBack {
    /// How long the others travel.
    #[serde(rename = "delay_ns")]
    pub delay: Duration,
    /// How likely a packet is held back.
    pub probability: Probability,
    /// For how long.
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
