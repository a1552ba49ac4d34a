use lasthop_contract::{Packet, RandomStream};
use lasthop_units::Probability;
use serde::{Deserialize, Serialize};

/// Corruption of packets: one bit of a packet flips. Each bit is equally likely to flip.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corrupt {
    /// The probability that a packet is corrupted.
    pub probability: Probability,
}

impl Corrupt {
    pub(crate) fn start(self, seed: u64, prefix: &str) -> Corruption {
        Corruption {
            probability: self.probability,
            draws: RandomStream::named(seed, format_args!("{prefix}/corrupt")),
        }
    }
}

/// Corruption at work.
#[derive(Debug)]
pub(crate) struct Corruption {
    probability: Probability,
    draws: RandomStream,
}

impl Corruption {
    pub(crate) fn touch(&mut self, packet: &mut Packet) {
        if !self.draws.chance(self.probability) {
            return;
        }
        let bit = self.draws.below(packet.length() as u64 * 8);
        if let Some(byte) = packet.bytes_mut().get_mut((bit / 8) as usize) {
            *byte ^= 1 << (bit % 8);
            packet.mark_corrupted();
        }
    }
}
