use lasthop_contract::{DropReason, Packet};
use lasthop_units::{DataSize, Instant};

use crate::corrupt::Corruption;
use crate::delay::DelayProcess;
use crate::duplicate::Duplication;
use crate::loss::LossProcess;
use crate::rate::{Rate, Server, WaitingRoom};
use crate::{DirectionConfig, Mtu, OutageSchedule, Stage, StageOrder};

/// The impairments that a direction has, in order. One that is absent takes no memory.
#[derive(Debug)]
pub(crate) struct Pipeline {
    steps: Box<[Step]>,
}

/// How far a packet got.
#[derive(Debug)]
pub(crate) enum Progress {
    /// It reaches the step `next` at an instant.
    Waits { until: Instant, next: u8 },
    /// Something became of it that is to be told.
    Met(Fate),
}

/// What became of a packet.
#[derive(Debug)]
pub(crate) enum Fate {
    /// It has passed all steps.
    Passed,
    /// It became two, which both go on with the step `next`.
    Duplicated { next: u8 },
    /// It ended.
    Dropped(DropReason),
}

/// How a direction meets its bottleneck.
pub(crate) enum Bottleneck {
    None,
    Own(Rate),
    Shared(WaitingRoom),
}

#[derive(Debug)]
enum Step {
    Mtu(Mtu),
    Outage(OutageSchedule),
    Loss(LossProcess),
    Rate(Server, WaitingRoom),
    SharedRate(WaitingRoom),
    Delay(DelayProcess),
    Corrupt(Corruption),
    Duplicate(Duplication),
}

impl Pipeline {
    pub(crate) fn new(
        order: &StageOrder,
        config: &DirectionConfig,
        bottleneck: Bottleneck,
        seed: u64,
        prefix: &str,
    ) -> Self {
        let mut bottleneck = Some(bottleneck);
        let mut step = |stage: &Stage| match stage {
            Stage::Mtu => config.mtu.map(Step::Mtu),
            Stage::Outage => {
                (!config.outages.is_empty()).then(|| Step::Outage(config.outages.clone()))
            }
            Stage::Loss => config
                .loss
                .as_ref()
                .map(|loss| Step::Loss(loss.start(seed, prefix))),
            Stage::Rate => match bottleneck.take()? {
                Bottleneck::None => None,
                Bottleneck::Own(rate) => {
                    Some(Step::Rate(rate.kind.start(), WaitingRoom::new(rate.queue)))
                }
                Bottleneck::Shared(room) => Some(Step::SharedRate(room)),
            },
            Stage::Delay => config
                .delay
                .as_ref()
                .map(|delay| Step::Delay(delay.start(seed, prefix))),
            Stage::Corrupt => config
                .corrupt
                .map(|corrupt| Step::Corrupt(corrupt.start(seed, prefix))),
            Stage::Duplicate => config
                .duplicate
                .map(|duplicate| Step::Duplicate(duplicate.start(seed, prefix))),
        };
        Self {
            steps: order.stages().iter().filter_map(&mut step).collect(),
        }
    }

    /// Whether no step is left.
    pub(crate) fn is_past(&self, next: u8) -> bool {
        usize::from(next) >= self.steps.len()
    }

    /// Takes a packet that reaches the step `next` now as far as it gets without waiting.
    pub(crate) fn advance(
        &mut self,
        at: Instant,
        next: u8,
        packet: &mut Packet,
        shared: Option<&mut Server>,
    ) -> Progress {
        let size = DataSize::from_bytes(packet.length() as u64);
        let mut shared = shared;
        let mut next = usize::from(next);
        while let Some((step, following)) = self.steps[next..].split_first_mut() {
            next += 1;
            let until = match step {
                Step::Mtu(mtu) => {
                    if !mtu.admits(size) {
                        return Progress::Met(Fate::Dropped(DropReason::TooBig));
                    }
                    continue;
                }
                Step::Outage(outages) => {
                    if outages.covers(at) {
                        return Progress::Met(Fate::Dropped(DropReason::Outage));
                    }
                    continue;
                }
                Step::Loss(loss) => {
                    if loss.takes(at) {
                        return Progress::Met(Fate::Dropped(DropReason::Loss));
                    }
                    continue;
                }
                Step::Corrupt(corruption) => {
                    corruption.touch(packet);
                    continue;
                }
                Step::Duplicate(duplication) => {
                    if duplication.happens() {
                        return Progress::Met(Fate::Duplicated { next: next as u8 });
                    }
                    continue;
                }
                Step::Delay(delay) => delay.arrival(at),
                Step::Rate(server, room) => match room.pass(server, at, size) {
                    Some(leaves) => leaves,
                    None => return Progress::Met(Fate::Dropped(DropReason::QueueFull)),
                },
                Step::SharedRate(room) => {
                    let server = shared.as_deref_mut().expect("a shared rate has a server");
                    match room.pass(server, at, size) {
                        Some(leaves) => leaves,
                        None => return Progress::Met(Fate::Dropped(DropReason::QueueFull)),
                    }
                }
            };
            if until <= at {
                continue;
            }
            // A bottleneck lets packets out in the order in which it took them in. So a delay that follows sees
            // them in that order too, and can be drawn now: one wake-up instead of two.
            if let (Step::Rate(..) | Step::SharedRate(_), Some(Step::Delay(delay))) =
                (step, following.first_mut())
            {
                return Progress::Waits {
                    until: delay.arrival(until),
                    next: next as u8 + 1,
                };
            }
            return Progress::Waits {
                until,
                next: next as u8,
            };
        }
        Progress::Met(Fate::Passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_link_is_small() {
        // Loss, rate and delay each way are six steps: with the link itself well below 1 KiB.
        let link = size_of::<crate::DuplexLink>() + 6 * size_of::<Step>();
        assert!(link <= 768, "{link} B");
    }
}
