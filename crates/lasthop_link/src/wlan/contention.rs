use core::cmp::Reverse;
use std::collections::BinaryHeap;

use lasthop_units::{Duration, Instant};

/// Who has a frame to send and is in back-off, on one channel.
///
/// All count the same slots: those in which the channel is idle, since the start. A back-off of n slots ends at the
/// count of its beginning and n, so that nobody's counter is ever moved: an access costs the logarithm of those that
/// have something to send, and who has nothing costs nothing.
#[derive(Debug)]
pub(super) struct Contention {
    slot: Duration,
    /// The slots that were counted before the channel was last taken.
    counted: u64,
    /// Counting goes on from here: until then the channel is taken, or the space behind it lasts.
    from: Instant,
    /// By the count at which their turn comes.
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Contention {
    pub(super) fn new(slot: Duration) -> Self {
        Self {
            slot,
            counted: 0,
            from: Instant::ZERO,
            waiting: BinaryHeap::new(),
        }
    }

    /// Whether back-off goes on.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        now >= self.from
    }

    /// The count at the next edge of a slot: now, or after it.
    pub(super) fn next_edge(&self, now: Instant) -> u64 {
        if !self.is_idle(now) {
            return self.counted;
        }
        let idle = (now - self.from).as_nanos();
        self.counted + idle.div_ceil(self.slot.as_nanos())
    }

    /// The slots that were counted before the channel was last taken.
    pub(super) fn counted(&self) -> u64 {
        self.counted
    }

    /// Takes in who sends at a count.
    pub(super) fn join(&mut self, who: usize, turn: u64) {
        self.waiting.push(Reverse((turn, who)));
    }

    /// Forgets somebody.
    pub(super) fn leave(&mut self, who: usize) {
        self.waiting.retain(|Reverse((_, waiting))| *waiting != who);
    }

    /// When somebody sends next, if nobody comes before.
    pub(super) fn next(&self) -> Option<Instant> {
        let Reverse((turn, _)) = self.waiting.peek()?;
        Some(self.from + self.slot * (turn - self.counted))
    }

    /// Takes out those whose turn is next, in the order of their numbers, and stops counting there.
    pub(super) fn take(&mut self, senders: &mut Vec<usize>) {
        senders.clear();
        while let Some(Reverse((turn, who))) = self.waiting.peek().copied() {
            if senders.is_empty() {
                self.counted = turn;
            } else if turn != self.counted {
                break;
            }
            self.waiting.pop();
            senders.push(who);
        }
    }

    /// Counts on from an instant.
    pub(super) fn resume(&mut self, from: Instant) {
        self.from = from;
    }
}
