use std::sync::Arc;

use lasthop_contract::{CloseReason, DiscardReason, Established, Mtu};
use lasthop_units::Instant;

use super::connection::{Connection, Outputs, State, Timer};
use super::handshake::Cookie;
use super::output::Push;
use super::profile::TcpProfile;
use super::rtt::{RoundTrip, micros};
use super::segment::{Flags, Segment};

/// The handshake of the side that answers.
impl Connection {
    /// Answers a SYN (RFC 9293 section 3.10.7.2).
    pub(crate) fn accept(
        profile: Arc<TcpProfile>,
        now: Instant,
        segment: &Segment<'_>,
        mtu: Option<Mtu>,
        random: u64,
    ) -> Self {
        let (local, peer) = (segment.destination, segment.source);
        let mut connection = Self::new(profile, now, local, peer, random);
        connection.interface = segment.interface;
        connection.mtu = mtu;
        connection.opened_by_peer = true;
        connection.state = State::SynReceived;
        connection.offered = connection.profile.receive_buffer.min(u32::from(u16::MAX));
        connection.next = connection.initial + 1;
        connection.learn(now, segment);
        // What the peer goes on with counts, which a SYN cannot scale (`tcp_create_openreq_child`).
        connection.largest_window = 0;
        connection
    }

    /// Sends the SYN that acknowledges the peer's, with a cookie where one was asked for.
    pub(crate) fn answer_syn(
        &mut self,
        now: Instant,
        cookie: Option<&Cookie>,
        out: &mut Outputs<'_>,
    ) {
        self.emit_handshake(now, Flags::SYN.with(Flags::ACK), cookie, out);
        self.set_timer(Timer::Retransmission, now, self.rtt.timeout());
    }

    /// Takes the early data of a SYN whose cookie was good (RFC 7413 section 4.2).
    pub(crate) fn take_early_data(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) {
        self.early_data = true;
        self.largest_window = self.window;
        self.start_data_phase(now);
        self.announce(Established::Early, out);
        let end = self.received + (segment.payload.len() as u32).min(self.offered);
        self.unread
            .extend(&segment.payload[..(end - self.received) as usize]);
        self.received = end;
        if !segment.payload.is_empty() {
            self.announce_readable(out);
        }
    }

    /// Takes a segment while our answer to a SYN is out (RFC 9293 section 3.10.7.4, `tcp_check_req`).
    pub(crate) fn receive_syn_received(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) -> Result<(), DiscardReason> {
        let has = |flags| segment.flags.has(flags);
        if has(Flags::SYN) && segment.seq == self.peer_initial && !has(Flags::RST) {
            if !has(Flags::ACK) {
                // The peer has not heard our answer.
                let is_soon = self
                    .last_challenge
                    .is_some_and(|at| now - at < self.profile.challenge_interval);
                if !is_soon {
                    self.last_challenge = Some(now);
                    self.resent += 1;
                    let delay = self.rtt.timeout();
                    self.emit_handshake(now, Flags::SYN.with(Flags::ACK), None, out);
                    self.set_timer(Timer::Retransmission, now, delay);
                }
                return Ok(());
            }
        } else {
            self.validate(now, segment, out)?;
            if self.state == State::Closed {
                return Ok(());
            }
        }
        if !has(Flags::ACK) {
            return Err(DiscardReason::UnexpectedFlags);
        }
        let is_acceptable = segment.ack.is_after(self.initial) && !segment.ack.is_after(self.next);
        if !is_acceptable {
            self.emit_reset_for(segment, out);
            return Err(DiscardReason::UnsentAcknowledged);
        }
        self.complete(now, segment, out);
        if has(Flags::SYN) {
            self.una = self.una.later(segment.ack);
            self.update_scale_free_window(segment);
            self.report_duplicate(segment.seq, segment.end());
            self.send_acknowledgement(now, out);
            self.send_pending(now, Push::Nagle, out);
            return Ok(());
        }
        self.receive(now, segment, out)
    }

    /// The answer to a SYN was not acknowledged in time.
    pub(crate) fn handshake_timeout(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if self.timeouts >= self.profile.syn_ack_retries {
            self.end(CloseReason::TimedOut, out);
            return;
        }
        self.timeouts += 1;
        self.resent += 1;
        self.rtt.back_off(&self.profile);
        self.emit_handshake(now, Flags::SYN.with(Flags::ACK), None, out);
        self.set_timer(Timer::Retransmission, now, self.rtt.timeout());
    }

    /// The handshake of a connection that we answered is over.
    fn complete(&mut self, now: Instant, segment: &Segment<'_>, out: &mut Outputs<'_>) {
        let was_early = self.early_data;
        let sent_at = self.last_sent;
        let (resent, timeouts) = (self.resent, self.timeouts);
        self.state = State::Established;
        self.timer = Timer::Off;
        self.timer_at = None;
        self.timeouts = 0;
        self.una = self.una.later(self.initial + 1);
        self.window_seq = segment.seq;
        self.window = u32::from(segment.window) << self.peer_scale;
        self.largest_window = self.largest_window.max(self.window);
        let sample = if resent == 0 {
            Some(micros(now - sent_at))
        } else if self.timestamps {
            let echo = segment.options.timestamps.map_or(0, |(_, echo)| echo);
            Some(
                self.timestamp(now)
                    .wrapping_sub(echo)
                    .max(1)
                    .saturating_mul(1000),
            )
        } else {
            None
        };
        // The doublings of the handshake do not count for the data.
        self.rtt = RoundTrip::new(&self.profile);
        match sample.filter(|sample| *sample < 1 << 31) {
            Some(sample) => {
                self.rtt.note_least(sample, now);
                self.rtt.sample(sample, &self.profile, self.una, self.next);
            }
            None => self.rtt.fall_back(&self.profile),
        }
        if !was_early {
            self.start_data_phase(now);
            if resent > 1 && timeouts > 0 {
                self.congestion.start(now, 1, self.next);
            }
            self.announce(Established::Full, out);
        } else if !self.board.is_empty() {
            self.restart_timer(now);
        }
        self.early_data = false;
        self.finish_if_asked(now, out);
    }
}
