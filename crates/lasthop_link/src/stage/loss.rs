//! Loss models.

mod bernoulli;
mod bit_errors;
mod gilbert_elliott_packet;
mod gilbert_elliott_time;
mod packet_list;
mod passing;

pub use bernoulli::Bernoulli;
pub use bit_errors::BitErrors;
pub use gilbert_elliott_packet::GilbertElliottPacket;
pub use gilbert_elliott_time::GilbertElliottTime;
pub use packet_list::PacketList;
pub use passing::Passing;

use lasthop_units::{DataSize, Instant};
use serde::{Deserialize, Serialize};

use bernoulli::BernoulliLoss;
use bit_errors::BitErrorLoss;
use gilbert_elliott_packet::GilbertElliottPacketLoss;
use gilbert_elliott_time::GilbertElliottTimeLoss;
use packet_list::PacketListLoss;
use passing::PassingLoss;

/// A loss model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Independent losses.
    Bernoulli(Bernoulli),
    /// Independent bit errors: larger packets are lost more often.
    BitErrors(BitErrors),
    /// Bursty losses by a Gilbert-Elliott chain that steps at each packet.
    GilbertElliottPacket(GilbertElliottPacket),
    /// Bursty losses by a Gilbert-Elliott chain that runs in time.
    GilbertElliottTime(GilbertElliottTime),
    /// Losses of listed packets.
    Packets(PacketList),
    /// Independent losses until a given time, and none after it.
    Passing(Passing),
}

impl Loss {
    pub(crate) fn start(&self, seed: u64, prefix: &str) -> LossProcess {
        match self {
            Self::Bernoulli(model) => LossProcess::Bernoulli(model.start(seed, prefix)),
            Self::BitErrors(model) => LossProcess::BitErrors(Box::new(model.start(seed, prefix))),
            Self::GilbertElliottPacket(model) => {
                LossProcess::GilbertElliottPacket(Box::new(model.start(seed, prefix)))
            }
            Self::GilbertElliottTime(model) => {
                LossProcess::GilbertElliottTime(Box::new(model.start(seed, prefix)))
            }
            Self::Packets(list) => LossProcess::Packets(list.start()),
            Self::Passing(model) => LossProcess::Passing(Box::new(model.start(seed, prefix))),
        }
    }
}

impl From<Bernoulli> for Loss {
    fn from(model: Bernoulli) -> Self {
        Self::Bernoulli(model)
    }
}

impl From<BitErrors> for Loss {
    fn from(model: BitErrors) -> Self {
        Self::BitErrors(model)
    }
}

impl From<GilbertElliottPacket> for Loss {
    fn from(model: GilbertElliottPacket) -> Self {
        Self::GilbertElliottPacket(model)
    }
}

impl From<GilbertElliottTime> for Loss {
    fn from(model: GilbertElliottTime) -> Self {
        Self::GilbertElliottTime(model)
    }
}

impl From<Passing> for Loss {
    fn from(model: Passing) -> Self {
        Self::Passing(model)
    }
}

impl From<PacketList> for Loss {
    fn from(list: PacketList) -> Self {
        Self::Packets(list)
    }
}

/// Loss at work. The rarer models are boxed so that the common one stays small.
#[derive(Debug)]
pub(crate) enum LossProcess {
    Bernoulli(BernoulliLoss),
    BitErrors(Box<BitErrorLoss>),
    GilbertElliottPacket(Box<GilbertElliottPacketLoss>),
    GilbertElliottTime(Box<GilbertElliottTimeLoss>),
    Packets(PacketListLoss),
    Passing(Box<PassingLoss>),
}

impl LossProcess {
    /// Whether the packet that is here now, of this size, is lost. Instants never go back.
    #[inline]
    pub(crate) fn takes(&mut self, at: Instant, size: impl FnOnce() -> DataSize) -> bool {
        match self {
            Self::Bernoulli(loss) => loss.takes(),
            Self::BitErrors(loss) => loss.takes(size()),
            Self::GilbertElliottPacket(loss) => loss.takes(),
            Self::GilbertElliottTime(loss) => loss.takes(at),
            Self::Packets(loss) => loss.takes(),
            Self::Passing(loss) => loss.takes(at),
        }
    }
}
