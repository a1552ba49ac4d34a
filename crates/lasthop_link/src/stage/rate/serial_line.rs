use lasthop_units::{BitRate, DataSize, Instant};

use super::pace::{ExactTime, Pace};

/// A serial line at work: packets pass bit by bit, one after the other, and leave with their last bit.
#[derive(Debug)]
pub(crate) struct SerialService {
    pace: Pace,
    /// When the last bit of all that is accepted will have passed.
    idle: ExactTime,
}

impl SerialService {
    pub(super) fn start(rate: BitRate) -> Self {
        Self {
            pace: Pace::of(rate),
            idle: ExactTime::default(),
        }
    }

    pub(super) fn turn(&self, at: Instant) -> Instant {
        self.idle.ceil().max(at)
    }

    pub(super) fn serve(&mut self, turn: Instant, size: DataSize) -> Instant {
        self.idle = self.pace.after(self.idle.max(turn), size);
        self.idle.ceil()
    }
}
