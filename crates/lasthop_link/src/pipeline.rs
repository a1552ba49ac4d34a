use lasthop_contract::{BackgroundTraffic, DropReason, Packet};
use lasthop_units::Instant;

use crate::stage::rate::SharedRate;
use crate::stage::{Passage, Shared, Step};
use crate::{DirectionConfig, StageOrder};

/// The impairments that a direction has, in order. One that is absent takes no memory.
#[derive(Debug)]
pub(crate) struct Pipeline {
    steps: Box<[Step]>,
}

/// How far a packet got.
#[derive(Debug)]
pub(crate) enum Progress {
    /// It reaches the step `next` at `until`.
    Waits { until: Instant, next: u8 },
    /// It has met a reportable fate.
    Met(Fate),
}

/// What became of a packet.
#[derive(Debug)]
pub(crate) enum Fate {
    /// It has passed all steps.
    Passed,
    /// It was duplicated; both copies continue with the step `next`.
    Duplicated { next: u8 },
    /// It was dropped.
    Dropped(DropReason),
}

impl Pipeline {
    pub(crate) fn new(
        order: &StageOrder,
        config: &DirectionConfig,
        shared: Shared,
        seed: u64,
        prefix: &str,
    ) -> Self {
        let stages = order.stages().iter();
        let step = |stage: &_| config.start(*stage, shared, seed, prefix);
        let firewall = config.block.map(Step::Block);
        Self {
            steps: firewall
                .into_iter()
                .chain(stages.filter_map(step))
                .collect(),
        }
    }

    /// What other traffic passed up to an instant.
    pub(crate) fn background(&mut self, until: Instant) -> BackgroundTraffic {
        let steps = self.steps.iter_mut();
        steps.map(|step| step.background(until)).sum()
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
        mut shared_rate: Option<&mut SharedRate>,
    ) -> Progress {
        let mut next = usize::from(next);
        while let Some((step, following)) = self.steps[next..].split_first_mut() {
            next += 1;
            let until = match step.meet(at, packet, shared_rate.as_deref_mut()) {
                Passage::At(until) if until <= at => continue,
                Passage::At(until) => until,
                Passage::Twice => return Progress::Met(Fate::Duplicated { next: next as u8 }),
                Passage::Dropped(reason) => return Progress::Met(Fate::Dropped(reason)),
            };
            // A bottleneck lets packets out in the order in which it took them in. So a delay that follows sees
            // them in that order too, and can be drawn now: one wake-up instead of two.
            if let (true, Some(Step::Delay(delay))) = (step.keeps_order(), following.first_mut()) {
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
