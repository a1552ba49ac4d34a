use std::collections::VecDeque;

use super::{Event, Rank};

/// Timers, soonest first, most of which run for one of a few lengths.
///
/// Those of one length run out in the order in which they are set. So they stand in queues of which only the ends are
/// looked at: of a heap with all of them, each that runs out would draw as many cache lines as the heap has levels.
#[derive(Debug)]
pub(super) struct Timers {
    queues: [VecDeque<(Rank, Event)>; QUEUES],
    /// Of each queue; the greatest of one that is empty.
    firsts: [Rank; QUEUES],
    /// Of each queue, whether it is still there or not.
    lasts: [Rank; QUEUES],
    /// The queue with the first of all.
    soonest: usize,
}

/// As many as there are lengths of which many run at once: of giving up, T300 and inactivity, polls, contention.
const QUEUES: usize = 4;

impl Timers {
    /// Sets a timer behind the latest that runs out before it; tells whether there is one.
    pub(super) fn push(&mut self, rank: Rank, event: Event) -> bool {
        let before = (0..QUEUES).filter(|queue| self.lasts[*queue] < rank);
        let Some(queue) = before.max_by_key(|queue| self.lasts[*queue]) else {
            return false;
        };
        if self.queues[queue].is_empty() {
            self.firsts[queue] = rank;
            if rank < self.firsts[self.soonest] {
                self.soonest = queue;
            }
        }
        self.lasts[queue] = rank;
        self.queues[queue].push_back((rank, event));
        true
    }

    /// The rank of the first; the greatest without one.
    pub(super) fn first(&self) -> Rank {
        self.firsts[self.soonest]
    }

    pub(super) fn pop(&mut self) -> Option<(Rank, Event)> {
        let queue = &mut self.queues[self.soonest];
        let first = queue.pop_front();
        self.firsts[self.soonest] = queue.front().map_or(Rank::LAST, |(rank, _)| *rank);
        for queue in 0..QUEUES {
            if self.firsts[queue] < self.firsts[self.soonest] {
                self.soonest = queue;
            }
        }
        first
    }
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            queues: Default::default(),
            firsts: [Rank::LAST; QUEUES],
            lasts: [Rank::FIRST; QUEUES],
            soonest: 0,
        }
    }
}
