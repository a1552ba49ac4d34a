use lasthop_units::{Duration, Instant};

use super::cubic::Window;
use super::law::Law;
use crate::tcp::profile::TcpProfile;
use crate::tcp::sequence::Seq;

/// The congestion window, in segments as in Linux.
#[derive(Debug)]
pub(crate) struct CongestionWindow {
    /// How many segments may be in flight.
    pub(crate) segments: u32,
    /// Below this window it grows by what is acknowledged.
    pub(crate) threshold: u32,
    /// What is acknowledged towards the next growth.
    count: u32,
    law: Law,
    /// The largest use since the window was last full, and when that was (RFC 2861).
    used: u32,
    stamp: Instant,
    /// Whether the window was full, or how many segments were out, in the round that ends at `usage_end`.
    is_limited: bool,
    most_outstanding: u32,
    usage_end: Seq,
    /// Before the last reduction, to undo it; a threshold of 0 when there is nothing to undo.
    prior_threshold: u32,
    prior_window: u32,
    /// Proportional rate reduction (RFC 6937): what was delivered and sent in this recovery.
    delivered: u32,
    sent: u32,
}

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acked {
    /// How many segments were delivered by it, in order or not.
    pub(crate) segments: u32,
    /// How many were found to be lost by it.
    pub(crate) lost: u32,
    /// Whether it moved the left edge.
    pub(crate) advances: bool,
}

/// A threshold that no window reaches.
const INFINITE: u32 = 0x7fff_ffff;

impl CongestionWindow {
    pub(crate) fn new(profile: &TcpProfile) -> Self {
        Self {
            segments: profile.initial_window.min(profile.max_window),
            threshold: INFINITE,
            count: 0,
            law: Law::of(profile),
            used: 0,
            stamp: Instant::ZERO,
            is_limited: false,
            most_outstanding: 0,
            usage_end: Seq(0),
            prior_threshold: 0,
            prior_window: 0,
            delivered: 0,
            sent: 0,
        }
    }

    /// Begins the data phase.
    pub(crate) fn start(&mut self, now: Instant, segments: u32, next: Seq) {
        self.segments = segments;
        self.stamp = now;
        self.usage_end = next;
        self.law.start_round(now, next);
    }

    pub(crate) fn is_in_slow_start(&self) -> bool {
        self.segments < self.threshold
    }

    /// Grows by what was acknowledged, if the window was in the way at all (RFC 7661's concern, as Linux).
    pub(crate) fn grow(&mut self, now: Instant, acked: u32, profile: &TcpProfile) {
        let is_limited =
            self.is_limited || self.is_in_slow_start() && self.segments < 2 * self.most_outstanding;
        if !is_limited {
            return;
        }
        let mut acked = acked;
        if self.is_in_slow_start() {
            let grown = self.segments.saturating_add(acked).min(self.threshold);
            acked -= grown - self.segments;
            self.segments = grown.min(profile.max_window);
            if acked == 0 {
                return;
            }
        }
        let interval = self.law.growth_interval(now, self.segments, acked);
        if self.count >= interval {
            self.count = 0;
            self.segments += 1;
        }
        self.count += acked;
        if self.count >= interval {
            let steps = self.count / interval.max(1);
            self.count -= steps * interval;
            self.segments += steps;
        }
        self.segments = self.segments.min(profile.max_window);
    }

    /// Takes a round trip, by which slow start may end.
    pub(crate) fn sample(&mut self, now: Instant, rtt: u32, una: Seq, next: Seq, hystart: bool) {
        let window = Window {
            segments: self.segments,
            is_in_slow_start: self.is_in_slow_start(),
            hystart,
            una,
            next,
        };
        if self.law.sample(now, rtt, window) {
            self.threshold = self.segments;
        }
    }

    /// The threshold to come back to, now.
    pub(crate) fn current_threshold(&self) -> u32 {
        self.threshold.max(self.segments / 2 + self.segments / 4)
    }

    /// Remembers the window and reduces the threshold, for a loss.
    pub(crate) fn reduce_threshold(&mut self, is_undoable: bool) {
        self.prior_threshold = if is_undoable {
            self.current_threshold()
        } else {
            0
        };
        self.prior_window = self.segments;
        self.threshold = self.law.threshold_after_loss(self.segments);
    }

    /// Says that the reduction to come cannot be undone.
    pub(crate) fn forget_prior(&mut self) {
        self.prior_threshold = 0;
    }

    /// Begins proportional rate reduction.
    pub(crate) fn start_reduction(&mut self, is_undoable: bool) {
        self.count = 0;
        self.delivered = 0;
        self.sent = 0;
        self.reduce_threshold(is_undoable);
    }

    /// What a timeout leaves: one segment beyond what is in flight.
    pub(crate) fn collapse(&mut self, now: Instant, in_flight: u32) {
        self.segments = in_flight + 1;
        self.count = 0;
        self.stamp = now;
        self.law.after_timeout();
    }

    /// Begins the round of slow start after a timeout.
    pub(crate) fn start_round(&mut self, now: Instant, next: Seq) {
        self.law.start_round(now, next);
    }

    /// Proportional rate reduction (RFC 6937 section 3.1 with the slow start bound; the extra segment on progress is
    /// RFC 9937's, as in Linux).
    pub(crate) fn reduce(&mut self, in_flight: u32, acked: Acked) {
        if acked.segments == 0 || self.prior_window == 0 {
            return;
        }
        self.delivered += acked.segments;
        let may_send = if in_flight > self.threshold {
            let share = u64::from(self.threshold) * u64::from(self.delivered);
            (share.div_ceil(u64::from(self.prior_window)) as u32).saturating_sub(self.sent)
        } else {
            let mut more = self.delivered.saturating_sub(self.sent).max(acked.segments);
            if acked.advances && acked.lost == 0 {
                more += 1;
            }
            more.min(self.threshold - in_flight)
        };
        let at_least = u32::from(self.sent == 0);
        self.segments = in_flight + may_send.max(at_least);
    }

    /// Notes what is sent during a reduction.
    pub(crate) fn note_sent_in_reduction(&mut self, segments: u32) {
        self.sent += segments;
    }

    /// Ends a reduction at the threshold.
    pub(crate) fn end_reduction(&mut self, now: Instant) {
        if self.threshold < INFINITE {
            self.segments = self.threshold;
            self.stamp = now;
        }
    }

    /// Takes the last reduction back.
    pub(crate) fn undo(&mut self, now: Instant) {
        if self.prior_threshold != 0 {
            self.segments = self.segments.max(self.prior_window);
            self.threshold = self.threshold.max(self.prior_threshold);
        }
        self.stamp = now;
    }

    /// Notes how far the window was used when something was sent.
    pub(crate) fn note_use(&mut self, usage: Usage, is_open: bool, profile: &TcpProfile) {
        let Usage {
            now,
            outstanding,
            una,
            next,
            is_limited,
            timeout,
        } = usage;
        let is_new_round = !una.is_before(self.usage_end);
        if is_new_round || is_limited || !self.is_limited && outstanding > self.most_outstanding {
            self.is_limited = is_limited;
            self.most_outstanding = outstanding;
            self.usage_end = next;
        }
        let is_full =
            self.is_limited || self.is_in_slow_start() && self.segments < 2 * self.most_outstanding;
        if is_full {
            self.used = 0;
            self.stamp = now;
            return;
        }
        self.used = self.used.max(outstanding);
        if profile.slow_start_after_idle && now - self.stamp >= timeout {
            if is_open {
                let used = self.used.max(profile.initial_window);
                if used < self.segments {
                    self.threshold = self.current_threshold();
                    self.segments = (self.segments + used) / 2;
                }
                self.used = 0;
            }
            self.stamp = now;
        }
    }

    /// Halves the window for each timeout that the connection was idle, down to the initial one (RFC 2861 section 3.2).
    pub(crate) fn rest(&mut self, now: Instant, idle: Duration, timeout: Duration, initial: u32) {
        self.threshold = self.current_threshold();
        let floor = initial.min(self.segments);
        let mut rest = idle;
        while rest > timeout && self.segments > floor {
            rest = rest - timeout;
            self.segments /= 2;
        }
        self.segments = self.segments.max(floor);
        self.stamp = now;
        self.used = 0;
    }

    /// Sending goes on after everything was acknowledged.
    pub(crate) fn resume(&mut self, now: Instant, last_sent: Instant) {
        self.law.resume(now, last_sent);
    }
}

/// How far the window is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) now: Instant,
    pub(crate) outstanding: u32,
    pub(crate) una: Seq,
    pub(crate) next: Seq,
    pub(crate) is_limited: bool,
    pub(crate) timeout: Duration,
}
