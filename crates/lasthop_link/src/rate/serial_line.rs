use lasthop_units::{BitRate, DataSize, Instant};

use super::pace::{ExactTime, Pace};

/// A serial line: packets pass bit by bit, one after the other, and leave with their last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SerialLine {
    /// How fast the bits pass.
    pub rate: BitRate,
}

impl SerialLine {
    pub(super) fn start(self) -> SerialService {
        SerialService {
            pace: Pace::of(self.rate),
            idle: ExactTime::default(),
        }
    }
}

/// A serial line at work.
#[derive(Debug)]
pub(crate) struct SerialService {
    pace: Pace,
    /// When the last bit of all that is accepted will have passed.
    idle: ExactTime,
}

impl SerialService {
    pub(super) fn turn(&self, at: Instant) -> Instant {
        self.idle.ceil().max(at)
    }

    pub(super) fn serve(&mut self, turn: Instant, size: DataSize) -> Instant {
        self.idle = self.pace.after(self.idle.max(turn), size);
        self.idle.ceil()
    }
}
