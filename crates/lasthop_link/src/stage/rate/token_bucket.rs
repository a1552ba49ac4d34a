use lasthop_units::{BitRate, DataSize, Instant};
use serde::{Deserialize, Serialize};

use super::pace::{ExactTime, Pace};

/// A token bucket. It starts full, fills at the rate, and releases a packet when it holds enough tokens for the
/// packet's size.
///
/// A packet that is larger than the bucket leaves when the bucket is full and takes the rest on credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenBucket {
    /// The capacity of the bucket.
    #[serde(rename = "burst_bytes")]
    pub burst: DataSize,
}

impl TokenBucket {
    pub(super) fn start(self, rate: BitRate) -> TokenService {
        TokenService {
            pace: Pace::of(rate),
            burst: self.burst,
            full: ExactTime::default(),
        }
    }
}

/// A token bucket at work.
#[derive(Debug)]
pub(crate) struct TokenService {
    pace: Pace,
    burst: DataSize,
    /// When the bucket will be full if nothing more leaves: one number instead of a level and its age.
    full: ExactTime,
}

impl TokenService {
    /// When the bucket holds the packet, or as much of it as it can hold.
    pub(super) fn turn(&self, at: Instant, size: DataSize) -> Instant {
        if self.full.ceil() <= at {
            return at;
        }
        self.pace.ceil_before(self.full, self.burst - size).max(at)
    }

    pub(super) fn serve(&mut self, turn: Instant, size: DataSize) -> Instant {
        self.full = self.pace.after(self.full.max(turn), size);
        turn
    }
}
