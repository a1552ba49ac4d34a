use std::sync::Arc;

use lasthop_contract::{CloseReason, DiscardReason, Established, InterfaceId, Mtu};
use lasthop_units::{Duration, Instant};
use smallvec::SmallVec;

use super::connection::{Connection, Outputs, State, Timer};
use super::fast_open::Known;
use super::options::{MAX_OPTIONS, Options, TIMESTAMPS_LENGTH};
use super::output::{Push, SET_UP};
use super::profile::PathMtu;
use super::scoreboard::{Sent, Tags};
use super::segment::{Flags, Header, Segment};

/// The largest payload of a peer that does not say (RFC 9293 section 3.7.1), and the least that is believed.
const DEFAULT_SEGMENT_SIZE: u16 = 536;
const LEAST_SEGMENT_SIZE: u16 = 88;

/// How soon a SYN leaves again after a wrong answer (`TCP_TIMEOUT_MIN`: two ticks of 4 ms).
const SOON: Duration = Duration::from_millis(8);

/// A Fast Open cookie, or an empty one as a request (RFC 7413 section 4.1).
pub(crate) type Cookie = SmallVec<[u8; 16]>;

/// The largest payload that a peer takes, as its SYN says.
pub(super) fn peer_segment_size(options: &Options) -> u16 {
    let size = options.max_segment_size.filter(|size| *size > 0);
    size.unwrap_or(DEFAULT_SEGMENT_SIZE).max(LEAST_SEGMENT_SIZE)
}

impl Connection {
    /// Sends the first SYN (RFC 9293 section 3.10.1), with early data if there is a cookie for it.
    pub(crate) fn connect(&mut self, now: Instant, server: Option<&Known>, out: &mut Outputs<'_>) {
        self.offered = self.profile.receive_buffer.min(u32::from(u16::MAX));
        self.high = self.initial;
        self.push_syn(now);
        if let Some(server) = server.filter(|server| !server.cookie.is_empty())
            && self.buffer.len() > 0
        {
            // All the room that options may take (`tcp_send_syn_data`).
            let size = server.segment_size.min(self.sent_segment_size());
            let room = u32::from(size).saturating_sub(MAX_OPTIONS as u32);
            let (start, end) = (self.next, self.next + self.buffer.len().min(room));
            let stamp = self.stamp(now);
            self.board.push(Sent {
                start,
                end,
                stamp,
                tags: Tags::default(),
                is_syn: false,
                is_fin: false,
            });
            self.next = end;
            self.early_data = true;
        }
        let cookie = server.map(|server| &server.cookie);
        self.emit_handshake(now, Flags::SYN, cookie, out);
        self.set_timer(Timer::Retransmission, now, self.rtt.timeout());
    }

    /// Takes a segment while our SYN is out (RFC 9293 section 3.10.7.3). A cookie that came goes to the caller.
    pub(crate) fn receive_syn_sent(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) -> Result<(), DiscardReason> {
        let has = |flags| segment.flags.has(flags);
        let is_acceptable = segment.ack.is_after(self.initial) && !segment.ack.is_after(self.next);
        if has(Flags::ACK) && !is_acceptable {
            if self.timeouts == 0 {
                // What answers is left of an earlier connection: after the reset the SYN has a chance.
                self.set_timer(Timer::Retransmission, now, SOON);
            }
            if !has(Flags::RST) {
                self.emit_reset_for(segment, out);
            }
            return Err(DiscardReason::UnsentAcknowledged);
        }
        if has(Flags::RST) {
            if !has(Flags::ACK) {
                return Err(DiscardReason::OutOfWindow);
            }
            self.end(CloseReason::PeerReset, out);
            return Ok(());
        }
        if !has(Flags::SYN) {
            return Err(DiscardReason::UnexpectedFlags);
        }
        self.last_heard = now;
        self.learn(now, segment);
        if !has(Flags::ACK) {
            // Both opened at once (RFC 9293 section 3.5, figure 8).
            while self.board.pop(true).is_some() {}
            self.next = self.initial + 1;
            self.state = State::SynReceived;
            self.early_data = false;
            self.timeouts = 0;
            self.answer_syn(now, None, out);
            return Ok(());
        }
        let had_early_data = self.early_data;
        let resent = self.resent;
        self.undo_spurious_syn(segment);
        // Still as one whose SYN is out: its loss is no packet that was delayed.
        self.acknowledge(now, segment, out);
        self.state = State::Established;
        self.start_data_phase(now);
        if !self.rtt.is_known() {
            self.rtt.fall_back(&self.profile);
        }
        if resent > 1 && self.undo_from.is_some() {
            self.congestion.start(now, 1, self.next);
        }
        let is_taken = had_early_data && self.una.is_after(self.initial + 1);
        let how = if is_taken {
            Established::Early
        } else {
            Established::Full
        };
        self.announce(how, out);
        self.early_data = false;
        if had_early_data && !self.board.is_empty() {
            self.resend_early_data(now, out);
        } else {
            self.send_handshake_acknowledgement(now, out);
        }
        self.finish_if_asked(now, out);
        self.send_pending(now, Push::Nagle, out);
        self.announce_room(out);
        self.set_idle_timer(now);
        Ok(())
    }

    /// Sends the SYN once more, without early data.
    pub(crate) fn send_syn(&mut self, now: Instant, out: &mut Outputs<'_>) {
        self.emit_handshake(now, Flags::SYN, None, out);
    }

    /// Returns the MSS that this end advertises: what fits a packet of the interface (RFC 9293 section 3.7.1).
    fn own_segment_size(&self) -> u16 {
        let size = match self.local.is_ipv6() {
            true => self.profile.max_segment_size - 20,
            false => self.profile.max_segment_size,
        };
        self.within(size, self.mtu.map(|mtu| mtu.interface_bytes))
    }

    /// Returns the MSS for sending, without options: the path MTU, if ICMP is received (RFC 1191).
    fn sent_segment_size(&self) -> u16 {
        let heard = self.mtu.filter(|_| self.profile.path_mtu == PathMtu::Icmp);
        self.within(self.own_segment_size(), heard.map(|mtu| mtu.path_bytes))
    }

    /// Returns the payload that fits a packet of `packet_bytes`, at most `size`.
    fn within(&self, size: u16, packet_bytes: Option<u16>) -> u16 {
        let headers = if self.local.is_ipv6() { 60 } else { 40 };
        let fitting = packet_bytes.map_or(size, |bytes| bytes.saturating_sub(headers));
        size.min(fitting).max(LEAST_SEGMENT_SIZE)
    }

    /// Sends no larger segments from now on than an interface takes, if its packets leave by that.
    pub(crate) fn fit(&mut self, interface: InterfaceId, mtu: Mtu) {
        if self.interface.unwrap_or(InterfaceId(0)) == interface {
            self.mtu = Some(mtu);
            self.shrink_to(self.sent_segment_size());
        }
    }

    /// Sends segments of at most so many bytes from now on, options of data segments among them.
    pub(super) fn shrink_to(&mut self, size: u16) {
        let stamps = if self.timestamps {
            TIMESTAMPS_LENGTH as u16
        } else {
            0
        };
        self.segment_size = self.segment_size.min(size - stamps);
    }

    /// Takes the window of a SYN, which is never shifted.
    pub(super) fn update_scale_free_window(&mut self, segment: &Segment<'_>) {
        self.window = u32::from(segment.window);
        self.largest_window = self.largest_window.max(self.window);
    }

    /// Learns what the peer's SYN says.
    pub(super) fn learn(&mut self, now: Instant, segment: &Segment<'_>) {
        let options = &segment.options;
        let profile = Arc::clone(&self.profile);
        self.peer_initial = segment.seq;
        self.received = segment.seq + 1;
        self.acknowledged = self.received;
        self.window_seq = segment.seq;
        self.update_scale_free_window(segment);
        self.sack = profile.sack && options.sack_permitted;
        if let (Some(own), Some(peer)) = (profile.window_scale, options.window_scale) {
            (self.own_scale, self.peer_scale) = (own, peer);
        }
        let size = peer_segment_size(options).min(self.sent_segment_size());
        self.timestamps = profile.timestamps && options.timestamps.is_some();
        self.segment_size = size;
        if let Some((value, _)) = options.timestamps
            && self.timestamps
        {
            self.segment_size = size - TIMESTAMPS_LENGTH as u16;
            self.recent_timestamp = value;
            self.recent_timestamp_at = now;
        }
        self.start_acknowledging();
    }

    pub(super) fn start_data_phase(&mut self, now: Instant) {
        let window = self.profile.initial_window.min(self.profile.max_window);
        self.congestion.start(now, window, self.next);
    }

    /// The first SYN was not lost: its time stamp is echoed (`tcp_try_undo_spurious_syn`).
    fn undo_spurious_syn(&mut self, segment: &Segment<'_>) {
        if let Some((_, echo)) = segment.options.timestamps
            && self.timestamps
            && self.timestamp(self.last_sent) == echo
        {
            self.undo_from = None;
        }
    }

    /// Sends again the early data that the peer did not accept, together with the acknowledgement.
    fn resend_early_data(&mut self, now: Instant, out: &mut Outputs<'_>) {
        for place in 0..self.board.outstanding() as usize {
            self.board.mark_lost(place);
        }
        self.resend_lost(now, out);
        // Nothing was congested: this is no recovery.
        self.undo_from = None;
        self.first_resent = None;
    }

    fn push_syn(&mut self, now: Instant) {
        let stamp = self.stamp(now);
        self.board.push(Sent {
            start: self.initial,
            end: self.initial + 1,
            stamp,
            tags: Tags::default(),
            is_syn: true,
            is_fin: false,
        });
        self.next = self.initial + 1;
    }

    pub(super) fn emit_handshake(
        &mut self,
        now: Instant,
        flags: Flags,
        cookie: Option<&Cookie>,
        out: &mut Outputs<'_>,
    ) {
        let profile = &self.profile;
        let is_answer = flags.has(Flags::ACK);
        let stamps = if is_answer {
            self.timestamps
        } else {
            profile.timestamps
        };
        let options = Options {
            max_segment_size: Some(self.own_segment_size()),
            window_scale: profile
                .window_scale
                .filter(|_| !is_answer || self.own_scale > 0 || self.peer_scale > 0),
            sack_permitted: if is_answer { self.sack } else { profile.sack },
            timestamps: stamps.then(|| (self.timestamp(now), self.recent_timestamp)),
            sack: SmallVec::new(),
            fast_open: cookie.cloned(),
        };
        let mut room = [0; MAX_OPTIONS];
        let length = options.write_handshake(&mut room);
        let is_again = self.resent > 0;
        let header = Header {
            source: self.local,
            destination: self.peer,
            seq: self.initial,
            ack: if is_answer {
                self.received
            } else {
                super::sequence::Seq(0)
            },
            flags,
            window: self.offered.min(u32::from(u16::MAX)) as u16,
            options: &room[..length],
            provenance: if is_again {
                super::output::AGAIN
            } else {
                SET_UP
            },
        };
        let early = self.early_data && !is_answer && !is_again;
        let (start, end) = (self.initial + 1, self.next);
        let buffer = &self.buffer;
        let packet = header.packet(|packet| {
            if early {
                buffer.copy(start, end, false, packet);
            }
        });
        if is_answer {
            self.acknowledged = self.received;
            if !is_again {
                self.last_sent = now;
            }
        }
        out.transmit(packet);
    }

    /// Tells a peer that its acknowledgement is of no connection of ours (RFC 9293 section 3.10.7.3).
    pub(super) fn emit_reset_for(&mut self, segment: &Segment<'_>, out: &mut Outputs<'_>) {
        out.transmit(super::endpoint::reset_for(segment));
    }
}
