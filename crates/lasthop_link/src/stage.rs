//! The stages of a link, one in each file with its settings and its state machine.

mod block;
mod corrupt;
pub mod delay;
mod duplicate;
pub mod loss;
mod mtu;
mod order;
mod outage;
pub mod rate;

pub use block::Block;
pub use corrupt::Corrupt;
pub use duplicate::Duplicate;
pub use mtu::Mtu;
pub use order::StageOrder;
pub use outage::{Outage, OutageSchedule};

use lasthop_contract::{BackgroundTraffic, Direction, DropReason, Packet};
use lasthop_units::{DataSize, Instant};
use serde::{Deserialize, Serialize};

use corrupt::Corruption;
use delay::{Delay, DelayProcess};
use duplicate::Duplication;
use loss::{Loss, LossProcess};
use rate::{Bottleneck, Rate, SharedRate};

/// A stage of a link: one kind of impairment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Drops packets above the MTU.
    Mtu,
    /// Drops packets during an outage.
    Outage,
    /// Drops packets by the loss model.
    Loss,
    /// Queues packets for the bottleneck.
    Rate,
    /// Delays packets.
    Delay,
    /// Flips a bit in some packets.
    Corrupt,
    /// Duplicates some packets.
    Duplicate,
}

impl Stage {
    /// All stages in their default order.
    pub const ALL: [Self; 7] = [
        Self::Mtu,
        Self::Outage,
        Self::Loss,
        Self::Rate,
        Self::Delay,
        Self::Corrupt,
        Self::Duplicate,
    ];
}

/// The impairments of one direction of a link. The default has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionConfig {
    /// The protocol that a firewall blocks before all other stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
    /// The MTU: the size of the largest packet that passes.
    #[serde(rename = "mtu_bytes")]
    pub mtu: Option<Mtu>,
    /// The outages: the times in which no packet passes.
    pub outages: OutageSchedule,
    /// The loss model.
    pub loss: Option<Loss>,
    /// The delay model.
    pub delay: Option<Delay>,
    /// The rate limit; `None` is unlimited.
    pub rate: Option<Rate>,
    /// The duplication model.
    pub duplicate: Option<Duplicate>,
    /// The corruption model.
    pub corrupt: Option<Corrupt>,
}

impl DirectionConfig {
    /// A stage at work, where the direction has it. Its random streams are named by `prefix`.
    pub(crate) fn start(
        &self,
        stage: Stage,
        shared_rate: Shared,
        seed: u64,
        prefix: &str,
    ) -> Option<Step> {
        Some(match stage {
            Stage::Mtu => Step::Mtu(self.mtu?),
            Stage::Outage if self.outages.is_empty() => return None,
            Stage::Outage => Step::Outage(self.outages.clone()),
            Stage::Loss => Step::Loss(self.loss.as_ref()?.start(seed, prefix)),
            Stage::Rate => match shared_rate {
                Shared::No => Step::Rate(self.rate.as_ref()?.start(seed, prefix)),
                Shared::By(direction) => Step::SharedRate(direction),
            },
            Stage::Delay => Step::Delay(self.delay.as_ref()?.start(seed, prefix)),
            Stage::Corrupt => Step::Corrupt(self.corrupt?.start(seed, prefix)),
            Stage::Duplicate => Step::Duplicate(self.duplicate?.start(seed, prefix)),
        })
    }
}

/// Whether a direction passes the shared_rate of both.
#[derive(Clone, Copy)]
pub(crate) enum Shared {
    /// It has its own bottleneck, or none.
    No,
    /// It shares the bottleneck, as this direction.
    By(Direction),
}

/// A stage at work.
#[derive(Debug)]
pub(crate) enum Step {
    Block(Block),
    Mtu(Mtu),
    Outage(OutageSchedule),
    Loss(LossProcess),
    Rate(Bottleneck),
    /// The shared_rate of both directions, which the link has.
    SharedRate(Direction),
    Delay(DelayProcess),
    Corrupt(Corruption),
    Duplicate(Duplication),
}

/// What a stage does with a packet.
pub(crate) enum Passage {
    /// It reaches the next step at an instant, which may be now.
    At(Instant),
    /// It is duplicated; both copies reach the next step now.
    Twice,
    /// It is dropped.
    Dropped(DropReason),
}

impl Step {
    /// Takes a packet that is here now. Instants never go back.
    #[inline]
    pub(crate) fn meet(
        &mut self,
        at: Instant,
        packet: &mut Packet,
        shared_rate: Option<&mut SharedRate>,
    ) -> Passage {
        let size = || DataSize::from_bytes(packet.length() as u64);
        let dropped = match self {
            Self::Block(block) => block.stops(packet).then_some(DropReason::Blocked),
            Self::Mtu(mtu) => (!mtu.admits(size())).then_some(DropReason::TooBig),
            Self::Outage(outages) => outages.covers(at).then_some(DropReason::Outage),
            Self::Loss(loss) => loss.takes(at, size).then_some(DropReason::Loss),
            Self::Rate(bottleneck) => return leaving(bottleneck.pass(at, size())),
            Self::SharedRate(direction) => {
                let shared_rate = shared_rate.expect("a link with the step has its shared_rate");
                return leaving(shared_rate.pass(*direction, at, size()));
            }
            Self::Delay(delay) => return Passage::At(delay.arrival(at)),
            Self::Corrupt(corruption) => {
                corruption.touch(packet);
                None
            }
            Self::Duplicate(duplication) => {
                if duplication.happens() {
                    return Passage::Twice;
                }
                None
            }
        };
        dropped.map_or(Passage::At(at), Passage::Dropped)
    }

    /// What other traffic the stage carried up to an instant, where it is a bottleneck of its own.
    pub(crate) fn background(&mut self, until: Instant) -> BackgroundTraffic {
        match self {
            Self::Rate(bottleneck) => bottleneck.background(until),
            _ => BackgroundTraffic::default(),
        }
    }

    /// Whether packets leave in the order in which they came, each at an instant that is known when it comes.
    pub(crate) fn keeps_order(&self) -> bool {
        matches!(self, Self::Rate(_) | Self::SharedRate(_))
    }
}

fn leaving(at: Option<Instant>) -> Passage {
    at.map_or(Passage::Dropped(DropReason::QueueFull), Passage::At)
}
