use lasthop_contract::RandomStream;
use lasthop_units::Probability;
use serde::{Deserialize, Serialize};

/// Independent loss with one random draw for each packet: the n-th packet always takes the n-th draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bernoulli {
    /// The loss probability.
    pub probability: Probability,
}

impl Bernoulli {
    pub(super) fn start(self, seed: u64, prefix: &str) -> BernoulliLoss {
        BernoulliLoss {
            probability: self.probability,
            draws: RandomStream::named(seed, format_args!("{prefix}/loss")),
        }
    }
}

#[derive(Debug)]
pub(crate) struct BernoulliLoss {
    probability: Probability,
    draws: RandomStream,
}

impl BernoulliLoss {
    pub(super) fn takes(&mut self) -> bool {
        self.draws.chance(self.probability)
    }
}
