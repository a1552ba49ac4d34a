use lasthop_contract::RandomStream;
use lasthop_units::Probability;
use serde::{Deserialize, Serialize};

/// Bursty loss by a Gilbert-Elliott chain with a good and a bad state that steps at each packet (Gilbert 1960, Elliott
/// 1963).
///
/// The first packet meets the stationary distribution. Each packet is lost by the state that it finds, and the
/// state changes after it: always two draws a packet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliottPacket {
    /// The probability of a change from good to bad.
    pub good_to_bad: Probability,
    /// The probability of a change from bad to good.
    pub bad_to_good: Probability,
    /// The loss probability in the good state.
    pub loss_in_good: Probability,
    /// The loss probability in the bad state.
    pub loss_in_bad: Probability,
}

impl GilbertElliottPacket {
    /// Returns the long-run share of packets in the bad state, or 0 for a chain that never changes.
    #[must_use]
    pub fn share_bad(&self) -> f64 {
        let (to_bad, to_good) = (self.good_to_bad.value(), self.bad_to_good.value());
        if to_bad == 0.0 {
            0.0
        } else {
            to_bad / (to_bad + to_good)
        }
    }

    pub(super) fn start(self, seed: u64, prefix: &str) -> GilbertElliottPacketLoss {
        let mut periods = RandomStream::named(seed, format_args!("{prefix}/loss/periods"));
        GilbertElliottPacketLoss {
            model: self,
            bad: periods.unit() < self.share_bad(),
            periods,
            draws: RandomStream::named(seed, format_args!("{prefix}/loss/draws")),
        }
    }
}

#[derive(Debug)]
pub(crate) struct GilbertElliottPacketLoss {
    model: GilbertElliottPacket,
    bad: bool,
    periods: RandomStream,
    draws: RandomStream,
}

impl GilbertElliottPacketLoss {
    pub(super) fn takes(&mut self) -> bool {
        let (loss, change) = if self.bad {
            (self.model.loss_in_bad, self.model.bad_to_good)
        } else {
            (self.model.loss_in_good, self.model.good_to_bad)
        };
        let lost = self.draws.chance(loss);
        self.bad ^= self.periods.chance(change);
        lost
    }
}
