use lasthop_contract::{CloseReason, Trigger};
use lasthop_units::{Duration, Instant};

use super::congestion::Acked;
use super::connection::{Connection, Outputs, Phase, State, Timer};
use super::output::Push;
use super::profile::PathMtu;
use super::rack::TIMER_SLACK;

/// How many timeouts a large segment meets before it is doubted (`tcp_retries1`).
const RETRIES_BEFORE_DOUBT: u32 = 3;

/// The segments that are tried then (`tcp_base_mss`), and the smallest (`tcp_min_snd_mss`), in bytes.
const BASE_SEGMENT_SIZE: u16 = 1024;
const LEAST_PROBED_SEGMENT_SIZE: u16 = 48;

impl Connection {
    /// Does what is due.
    pub(crate) fn timeout(&mut self, now: Instant, out: &mut Outputs<'_>) {
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if is_due(self.acknowledgement.due) {
            out.begin(Trigger::DelayedAcknowledgement);
            self.acknowledgement_timeout(now, out);
            out.end();
        }
        if is_due(self.timer_at) {
            let timer = self.timer;
            self.timer_at = None;
            // The other two stay marked, since what is left of the timeout counts from the first segment.
            if matches!(timer, Timer::Retransmission | Timer::WindowProbe) {
                self.timer = Timer::Off;
            }
            match (timer, self.state) {
                (Timer::Off, _) => {}
                (_, State::SynReceived) => {
                    out.begin(self.timeout_as_trigger());
                    self.handshake_timeout(now, out);
                }
                (Timer::Retransmission, _) => self.retransmission_timeout(now, out),
                (Timer::LossProbe, _) => self.probe_tail(now, out),
                (Timer::Reordering, _) => self.reordering_timeout(now, out),
                (Timer::WindowProbe, _) => self.probe_window(now, out),
            }
            out.end();
        }
        if is_due(self.idle_at) {
            self.idle_at = None;
            self.idle_timeout(now, out);
        }
    }

    pub(crate) fn set_timer(&mut self, timer: Timer, now: Instant, delay: Duration) {
        self.timer = timer;
        self.timer_at = Some(self.profile.timer_clock.firing(now, delay));
    }

    /// Starts the retransmission timer anew, or stops it (`tcp_rearm_rto`).
    pub(crate) fn restart_timer(&mut self, now: Instant) {
        if self.state == State::SynReceived {
            return;
        }
        if self.board.is_empty() {
            self.timer = Timer::Off;
            self.timer_at = None;
            return;
        }
        let mut delay = self.rtt.timeout();
        if matches!(self.timer, Timer::Reordering | Timer::LossProbe) {
            delay = self.until_timeout(now).max(Duration::from_nanos(1000));
        }
        self.set_timer(Timer::Retransmission, now, delay);
    }

    /// Sets the timer for a tail loss probe, or for a retransmission (`tcp_set_xmit_timer`).
    pub(crate) fn restart_timer_or_probe(&mut self, now: Instant) {
        if !self.schedule_probe(now, true) {
            self.restart_timer(now);
        }
    }

    /// Sets the timer for a tail loss probe where there may be one (RFC 8985 section 7.2, `tcp_schedule_loss_probe`).
    pub(crate) fn schedule_probe(&mut self, now: Instant, advances: bool) -> bool {
        let is_calm = matches!(self.phase, Phase::Open | Phase::Reduced);
        let may_probe = self.profile.loss_probe && self.sack && is_calm && self.is_synchronised();
        if !may_probe || self.board.is_empty() {
            return false;
        }
        let mut delay = if self.rtt.is_known() {
            let twice = Duration::from_nanos(u64::from(self.rtt.smoothed()) * 2000);
            // One segment alone may meet a delayed acknowledgement.
            let slack = if self.board.outstanding() == 1 {
                self.profile.min_rto
            } else {
                TIMER_SLACK
            };
            twice + slack
        } else {
            self.profile.initial_rto
        };
        let timeout = if advances {
            self.rtt.timeout()
        } else {
            self.until_timeout(now)
        };
        if timeout > Duration::ZERO {
            delay = delay.min(timeout);
        }
        self.set_timer(Timer::LossProbe, now, delay);
        true
    }

    /// Returns the time until the first segment times out (`tcp_rto_delta_us`).
    fn until_timeout(&self, now: Instant) -> Duration {
        let sent = self.board.first().map_or(now, |first| first.stamp.at);
        (sent + self.rtt.timeout()) - now
    }

    /// Processes a retransmission timeout (RFC 6298 section 5.4 to 5.7, `tcp_retransmit_timer`).
    fn retransmission_timeout(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if self.board.is_empty() {
            return;
        }
        let is_opening = self.state == State::SynSent;
        if self.is_given_up(now) {
            self.end(CloseReason::TimedOut, out);
            return;
        }
        out.begin(self.timeout_as_trigger());
        self.enter_loss(now);
        self.timeouts += 1;
        if !is_opening {
            self.suspect_black_hole(now);
        }
        self.resend_at(now, 0, false, out);
        if !is_opening || self.timeouts > self.profile.syn_linear_timeouts {
            self.rtt.back_off(&self.profile);
        }
        let mut delay = self.rtt.timeout();
        if let (Some(limit), Some(first)) = (self.profile.user_timeout, self.first_resent) {
            delay = delay.min(((first + limit) - now).max(Duration::from_millis(1)));
        }
        self.set_timer(Timer::Retransmission, now, delay);
    }

    /// Reduces the segment size if large segments stay unacknowledged for long (RFC 4821 section 7.7, `tcp_mtu_probing`
    /// of Linux).
    fn suspect_black_hole(&mut self, now: Instant) {
        let waited = self.first_resent.map(|first| now - first);
        let limit = self.profile.time_of_retries(RETRIES_BEFORE_DOUBT);
        if self.profile.path_mtu != PathMtu::Probing || waited.is_none_or(|waited| waited < limit) {
            return;
        }
        let tried = self.board.first().map_or(0, |it| it.end - it.start);
        let smaller = match self.segment_size {
            size if size > BASE_SEGMENT_SIZE => BASE_SEGMENT_SIZE,
            size => (size / 2).max(LEAST_PROBED_SEGMENT_SIZE),
        };
        if tried > u32::from(smaller) {
            self.shrink_to(smaller);
        }
    }

    /// Whether a silent peer is given up now (`tcp_write_timeout`).
    fn is_given_up(&self, now: Instant) -> bool {
        let profile = &self.profile;
        if self.state == State::SynSent {
            return self.timeouts >= profile.syn_retries + profile.syn_linear_timeouts;
        }
        let Some(first) = self.first_resent.filter(|_| self.timeouts > 0) else {
            return false;
        };
        let limit = profile.user_timeout.unwrap_or_else(|| self.patience());
        now - first >= limit
    }

    /// How long all retries take that a profile names.
    pub(crate) fn patience(&self) -> Duration {
        self.profile.time_of_retries(self.profile.retries)
    }

    /// The tail is out for too long: send one segment to draw an acknowledgement (RFC 8985 section 7.3).
    fn probe_tail(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if self.board.is_empty() {
            self.timer = Timer::Off;
            return;
        }
        if self.probe_end.is_none() {
            out.begin(Trigger::TailLossProbe);
            self.probe_repeats = false;
            let sent = if self.has_unsent() && self.fits_window() {
                self.send_new(now, Push::Probe, out) > 0
            } else {
                let last = self.board.outstanding() as usize - 1;
                self.probe_repeats = self.resend_at(now, last, true, out);
                self.probe_repeats
            };
            if sent {
                self.probe_end = Some(self.next);
                // From here on, not from when the segment was sent.
                self.timer = Timer::Off;
            }
        }
        self.restart_timer(now);
    }

    /// Marks segments as lost after the reordering window (RFC 8985 section 6.3).
    fn reordering_timeout(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if self.board.is_empty() {
            self.timer = Timer::Off;
            return;
        }
        let before = self.board.in_flight();
        self.mark_losses(now);
        if before != self.board.in_flight() {
            if self.phase != Phase::Recovery {
                self.enter_recovery();
                let acked = Acked {
                    segments: 1,
                    lost: 0,
                    advances: false,
                };
                self.congestion.reduce(self.in_flight(), acked);
            }
            out.begin(Trigger::ReorderingTimeout);
            self.resend_lost(now, out);
        }
        if self.timer != Timer::Retransmission {
            self.restart_timer(now);
        }
    }

    /// The peer's window stays shut (RFC 9293 section 3.8.6.1, `tcp_send_probe0`).
    fn probe_window(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if !self.board.is_empty() || !self.has_unsent() {
            self.probes = 0;
            return;
        }
        let limit = self.profile.user_timeout.unwrap_or(Duration::MAX);
        if self.probes >= self.profile.retries || now - self.last_heard >= limit && self.probes > 0
        {
            self.end(CloseReason::TimedOut, out);
            return;
        }
        out.begin(Trigger::WindowProbe {
            unanswered: saturated(self.probes),
        });
        if self.send_what_fits(now, out) {
            self.backoffs = 0;
            return;
        }
        self.send_empty_probe(now, out);
        self.probes += 1;
        if u32::from(self.backoffs) < self.profile.retries {
            self.backoffs += 1;
        }
        self.set_timer(Timer::WindowProbe, now, self.probe_interval());
    }

    /// Sets the timer of an idle connection: keep-alive (RFC 9293 section 3.8.4), or the wait for a peer to finish.
    ///
    /// Keep-alive is not put off by what arrives: when its timer fires, it is set to what is left.
    pub(crate) fn set_idle_timer(&mut self, now: Instant) {
        let clock = self.profile.timer_clock;
        let alive = self
            .profile
            .keep_alive
            .map(|alive| self.idle_at.unwrap_or(clock.firing(now, alive.idle)));
        self.idle_at = match self.state {
            State::FinWait2 => {
                let end = self.profile.fin_wait_2_timeout.map(|span| now + span);
                alive.into_iter().chain(end).min()
            }
            State::SynSent | State::SynReceived | State::TimeWait | State::Closed => None,
            _ => alive,
        };
    }

    fn idle_timeout(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if self.state == State::FinWait2 {
            // A peer that waits for the application to read is no silent one.
            let span = self.profile.fin_wait_2_timeout.unwrap_or(Duration::MAX);
            let since = if self.unread.is_empty() {
                self.last_heard
            } else {
                now
            };
            if now - since >= span {
                self.end(CloseReason::TimedOut, out);
                return;
            }
            self.idle_at = self.profile.fin_wait_2_timeout.map(|span| since + span);
        }
        let end = self.idle_at;
        let Some(alive) = self.profile.keep_alive else {
            return;
        };
        let clock = self.profile.timer_clock;
        let is_busy = !self.board.is_empty() || self.has_unsent();
        let heard = if is_busy { now } else { self.last_heard };
        if self.probes == 0 && now < heard + alive.idle {
            let next = clock.firing(now, (heard + alive.idle) - now);
            self.idle_at = end.into_iter().chain([next]).min();
            return;
        }
        if self.probes >= alive.probes {
            self.send_reset(now, out);
            self.end(CloseReason::TimedOut, out);
            return;
        }
        out.begin(Trigger::KeepAlive {
            unanswered: saturated(self.probes),
        });
        self.probes += 1;
        self.send_empty_probe(now, out);
        out.end();
        let next = clock.firing(now, alive.interval);
        self.idle_at = end.into_iter().chain([next]).min();
    }

    /// The timeout that runs out now.
    fn timeout_as_trigger(&self) -> Trigger {
        Trigger::RetransmissionTimeout {
            timeout: self.rtt.timeout().into(),
            backed_off: saturated(self.timeouts),
        }
    }

    /// Whether the next new segment fits the peer's window.
    fn fits_window(&self) -> bool {
        let length = (self.buffer.end() - self.next).min(self.payload_limit());
        !(self.next + length).is_after(self.window_end())
    }
}

fn saturated(count: u32) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}
