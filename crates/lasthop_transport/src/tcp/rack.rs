use lasthop_units::{Duration, Instant};

use super::connection::{Connection, Phase, Timer};
use super::scoreboard::Sent;

/// Loss detection by time (RFC 8985 section 6), as `tcp_recovery.c` of Linux has it.
#[derive(Debug)]
pub(crate) struct Rack {
    /// The place, among all that were sent, of the last one that was delivered.
    latest: u32,
    /// The round trip of the segment that was delivered last, in microseconds.
    rtt: u32,
    /// How many quarters of the least round trip may pass for reordering.
    steps: u8,
    /// For how many recoveries yet `steps` stays.
    persists: u8,
    /// Something was delivered since losses were looked for.
    pub(crate) advanced: bool,
    pub(crate) duplicate_seen: bool,
    pub(crate) reordering_seen: bool,
    /// How much had been delivered when `steps` changed.
    changed_at: u32,
}

/// For how many recoveries a wider reordering window stays (RFC 8985 section 7.2).
const PERSISTENCE: u8 = 16;

/// What Linux adds to a timer that must not fire early (`TCP_TIMEOUT_MIN_US`).
pub(crate) const TIMER_SLACK: Duration = Duration::from_millis(2);

impl Default for Rack {
    fn default() -> Self {
        Self {
            latest: 0,
            rtt: 0,
            steps: 1,
            persists: 0,
            advanced: false,
            duplicate_seen: false,
            reordering_seen: false,
            changed_at: 0,
        }
    }
}

impl Rack {
    /// Widens the reordering window after a spurious retransmission, by at most a step a round trip, and narrows
    /// it when it has lasted long enough (RFC 8985 section 6.2 step 4).
    pub(crate) fn update_window(&mut self, delivered: u32, prior_delivered: Option<u32>) {
        let Some(prior) = prior_delivered.filter(|prior| *prior != 0) else {
            return;
        };
        if prior.wrapping_sub(self.changed_at) as i32 >= 0 {
            if self.duplicate_seen {
                self.steps = self.steps.saturating_add(1);
                self.duplicate_seen = false;
                self.changed_at = delivered;
                self.persists = PERSISTENCE;
            } else if self.persists == 0 {
                self.steps = 1;
            }
        } else {
            self.duplicate_seen = false;
        }
    }

    /// A recovery is over that nothing speaks against.
    pub(crate) fn recovery_ended(&mut self) {
        self.persists = self.persists.saturating_sub(1);
    }

    /// A recovery turned out to be for nothing.
    pub(crate) fn recovery_undone(&mut self) {
        self.persists = (self.persists + 1).min(PERSISTENCE);
    }

    /// Whether something was delivered that was sent after this segment.
    fn is_sent_after(&self, sent: &Sent) -> bool {
        (self.latest.wrapping_sub(sent.stamp.order) as i32) > 0
    }
}

impl Connection {
    /// Notes that a segment was delivered (RFC 8985 section 6.2 steps 1 and 2).
    pub(crate) fn note_delivery(&mut self, now: Instant, sent: &Sent) {
        let rtt = super::rtt::micros(now - sent.stamp.at);
        // So soon after it was sent again, it was the first copy that arrived.
        if sent.tags.ever_retransmitted && rtt < self.rtt.least() {
            return;
        }
        let rack = &mut self.rack;
        rack.advanced = true;
        rack.rtt = rtt;
        if (sent.stamp.order.wrapping_sub(rack.latest) as i32) > 0 {
            rack.latest = sent.stamp.order;
        }
    }

    /// Looks for losses after something was delivered; sets the timer for what may be lost soon.
    pub(crate) fn find_losses(&mut self, now: Instant) -> bool {
        if !core::mem::take(&mut self.rack.advanced) {
            return false;
        }
        let wait = self.mark_losses(now);
        if let Some(wait) = wait {
            self.set_timer(Timer::Reordering, now, wait + TIMER_SLACK);
        }
        wait.is_some()
    }

    /// Marks what must be lost, and returns how long to wait for the rest (RFC 8985 section 6.2 step 5).
    pub(crate) fn mark_losses(&mut self, now: Instant) -> Option<Duration> {
        let window = self.reordering_window();
        let mut wait = None;
        for place in 0..self.board.outstanding() as usize {
            let Some(sent) = self.board.get(place) else {
                break;
            };
            let tags = sent.tags;
            if tags.sacked || tags.lost && !tags.retransmitted || !self.rack.is_sent_after(sent) {
                continue;
            }
            match self.time_left(now, sent, window) {
                None => self.board.mark_lost(place),
                Some(left) => wait = wait.max(Some(left)),
            }
        }
        wait
    }

    /// How long a segment may still be on its way; `None` when it must be lost.
    pub(crate) fn time_left(&self, now: Instant, sent: &Sent, window: u32) -> Option<Duration> {
        let patience = Duration::from_nanos((u64::from(self.rack.rtt) + u64::from(window)) * 1000);
        let left = (sent.stamp.at + patience) - now;
        (left != Duration::ZERO).then_some(left)
    }

    /// The reordering window in microseconds (RFC 8985 section 6.2 step 4).
    fn reordering_window(&self) -> u32 {
        if !self.rack.reordering_seen {
            let is_evident = self.board.sacked >= self.reordering;
            if self.phase >= Phase::Recovery || is_evident {
                return 0;
            }
        }
        let quarters = (self.rtt.least() / 4).saturating_mul(u32::from(self.rack.steps));
        quarters.min(self.rtt.smoothed())
    }
}
