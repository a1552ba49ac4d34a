use lasthop_contract::RandomStream;
use lasthop_units::{Instant, Probability};
use serde::{Deserialize, Serialize};

/// Independent loss until a given time, with one random draw for each packet. Later packets are never lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passing {
    /// The loss probability.
    pub probability: Probability,
    /// The end of the losses, since the start of the run.
    #[serde(rename = "until_ns")]
    pub until: Instant,
}

impl Passing {
    pub(super) fn start(self, seed: u64, prefix: &str) -> PassingLoss {
        PassingLoss {
            model: self,
            draws: RandomStream::named(seed, format_args!("{prefix}/loss")),
        }
    }
}

#[derive(Debug)]
pub(crate) struct PassingLoss {
    model: Passing,
    draws: RandomStream,
}

impl PassingLoss {
    pub(super) fn takes(&mut self, at: Instant) -> bool {
        at < self.model.until && self.draws.chance(self.model.probability)
    }
}
