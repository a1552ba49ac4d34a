use lasthop_contract::RandomStream;
use lasthop_units::Probability;
use serde::{Deserialize, Serialize};

/// Duplication of packets: both copies continue one directly after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Duplicate {
    /// The probability that a packet is duplicated.
    pub probability: Probability,
}

impl Duplicate {
    pub(crate) fn start(self, seed: u64, prefix: &str) -> Duplication {
        Duplication {
            probability: self.probability,
            draws: RandomStream::named(seed, format_args!("{prefix}/duplicate")),
        }
    }
}

/// Duplication at work.
#[derive(Debug)]
pub(crate) struct Duplication {
    probability: Probability,
    draws: RandomStream,
}

impl Duplication {
    pub(crate) fn happens(&mut self) -> bool {
        self.draws.chance(self.probability)
    }
}
