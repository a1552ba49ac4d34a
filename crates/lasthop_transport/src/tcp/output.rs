use lasthop_contract::{Cause, Expectation, Layer, Provenance};
use lasthop_units::{Duration, Instant};

use super::congestion::Usage;
use super::connection::{Connection, Outputs, Phase, State, Timer};
use super::options::{MAX_OPTIONS, Options};
use super::scoreboard::{Sent, Stamp, Tags};
use super::segment::{Flags, Header};
use super::sequence::Seq;

/// How eagerly new data is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Push {
    /// Under Nagle's algorithm.
    Nagle,
    /// At once.
    AtOnce,
    /// One segment, regardless of the congestion window.
    Probe,
}

const HEADER: Provenance = Provenance::new(Layer::Tcp, Cause::Header);
pub(crate) const AGAIN: Provenance = Provenance::new(Layer::Tcp, Cause::Retransmission);
const ACKNOWLEDGEMENT: Provenance = Provenance::new(Layer::Tcp, Cause::Acknowledgement);
pub(crate) const SET_UP: Provenance = Provenance::new(Layer::Tcp, Cause::SessionSetUp);
pub(crate) const TEAR_DOWN: Provenance = Provenance::new(Layer::Tcp, Cause::SessionTearDown);
const KEEP_ALIVE: Provenance = Provenance::new(Layer::Tcp, Cause::KeepAlive);

impl Connection {
    /// The number after the last that the peer's window lets through.
    pub(crate) fn window_end(&self) -> Seq {
        self.una + self.window
    }

    /// Returns the sequence number of a segment without data (`tcp_acceptable_seq`).
    ///
    /// It stays in the window even if the peer has shrunk it. Differences caused by window scaling are ignored.
    fn empty_seq(&self) -> Seq {
        let end = self.window_end();
        let is_beyond = end.is_before(self.next);
        let by_scale = self.own_scale > 0 && is_beyond && self.next - end < 1 << self.own_scale;
        if is_beyond && !by_scale && self.is_synchronised() {
            end
        } else {
            self.next
        }
    }

    /// Whether there is something that was never sent.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.fin_sent && (self.next.is_before(self.buffer.end()) || self.fin_queued)
    }

    /// The largest payload now: at most half the largest window that the peer ever offered (RFC 9293 section 3.8.6.2.1).
    pub(crate) fn payload_limit(&self) -> u32 {
        let limit = u32::from(self.segment_size);
        let half = if self.largest_window > 536 {
            self.largest_window / 2
        } else {
            self.largest_window
        };
        let limit = if half == 0 {
            limit
        } else {
            limit.min(half.max(48))
        };
        limit - self.sack_room().min(limit / 2)
    }

    /// Sends what may be sent, and sees to the timers (`__tcp_push_pending_frames`).
    pub(crate) fn send_pending(&mut self, now: Instant, push: Push, out: &mut Outputs<'_>) {
        let may_send = match self.state {
            State::SynSent | State::Closed | State::TimeWait => false,
            State::SynReceived => self.early_data,
            _ => true,
        };
        if !may_send || !self.has_unsent() {
            return;
        }
        let sent = self.send_new(now, push, out);
        if sent == 0 && self.board.is_empty() && self.timer == Timer::Off && self.is_synchronised()
        {
            self.set_timer(Timer::WindowProbe, now, self.probe_interval());
        }
    }

    /// Sends new segments while both windows have room (`tcp_write_xmit`), and returns how many.
    pub(crate) fn send_new(&mut self, now: Instant, push: Push, out: &mut Outputs<'_>) -> u32 {
        let mut sent = 0;
        let mut is_limited = false;
        let mut pair = 0;
        let limit = self.payload_limit();
        while self.has_unsent() {
            if self.in_flight() >= self.congestion.segments && push != Push::Probe {
                is_limited = true;
                break;
            }
            let left = self.buffer.end() - self.next;
            let mut length = left.min(limit);
            let mut is_last = length == left;
            let mut has_fin = is_last && self.fin_queued;
            if (self.next + length + u32::from(has_fin)).is_after(self.window_end()) {
                let room = self.room_beside_first(pair);
                if room == 0 || push == Push::Probe {
                    break;
                }
                (length, is_last, has_fin) = (room.min(length), false, false);
            }
            let end = self.next + length + u32::from(has_fin);
            if length < limit && !has_fin && push == Push::Nagle && self.nagle_holds() {
                break;
            }
            // Two leave together, where two may.
            if pair == 0 {
                if left > limit && push != Push::Probe && self.is_better_deferred(now, limit) {
                    is_limited = true;
                    break;
                }
                pair = 2;
            }
            pair -= 1;
            self.send_segment(now, end, has_fin, is_last, out);
            sent += 1;
            if push == Push::Probe {
                break;
            }
        }
        is_limited |= self.in_flight() >= self.congestion.segments;
        if sent > 0 || is_limited {
            self.note_use(now, is_limited);
        }
        if sent > 0 {
            if matches!(self.phase, Phase::Reduced | Phase::Recovery) {
                self.congestion.note_sent_in_reduction(sent);
            }
            if push != Push::Probe {
                self.schedule_probe(now, false);
            }
        }
        sent
    }

    /// Returns the window for the second of two segments that leave together (`tcp_mss_split_point`).
    ///
    /// A single segment is not shortened for the window (RFC 9293 section 3.8.6.2.1).
    fn room_beside_first(&self, pair: u32) -> u32 {
        // At most half the congestion window leaves together (`tcp_cwnd_test`).
        let may_pair = self.congestion.segments >= 4;
        let is_second = pair == 1 && may_pair && self.profile.defers;
        match self.next.is_before(self.window_end()) && is_second {
            true => self.window_end() - self.next,
            false => 0,
        }
    }

    /// Sends the head of what waits, however little the window lets through (`tcp_write_wakeup`); says whether.
    pub(crate) fn send_what_fits(&mut self, now: Instant, out: &mut Outputs<'_>) -> bool {
        let room = self.window_end() - self.next;
        if !self.next.is_before(self.window_end()) || !self.has_unsent() {
            return false;
        }
        let left = self.buffer.end() - self.next;
        let length = left.min(room).min(self.payload_limit());
        let is_last = length == left;
        let has_fin = is_last && self.fin_queued && length < room;
        if length == 0 && !has_fin {
            return false;
        }
        self.send_segment(
            now,
            self.next + length + u32::from(has_fin),
            has_fin,
            true,
            out,
        );
        true
    }

    /// The stamp of the next segment that is sent.
    pub(crate) fn stamp(&mut self, now: Instant) -> Stamp {
        self.sent = self.sent.wrapping_add(1);
        Stamp {
            at: now,
            order: self.sent,
            delivered: self.delivered,
        }
    }

    /// Sends a new segment up to a number.
    fn send_segment(
        &mut self,
        now: Instant,
        end: Seq,
        has_fin: bool,
        push: bool,
        out: &mut Outputs<'_>,
    ) {
        let start = self.next;
        let was_empty = self.board.is_empty();
        let length = (end - start) - u32::from(has_fin);
        if length < self.payload_limit() && length > 0 {
            self.small_end = end;
        }
        let stamp = self.stamp(now);
        self.board.push(Sent {
            start,
            end,
            stamp,
            tags: Tags::default(),
            is_syn: false,
            is_fin: has_fin,
        });
        self.next = end;
        self.fin_sent |= has_fin;
        self.transmit_data(now, start, end, has_fin, push, false, out);
        if was_empty || self.timer == Timer::LossProbe {
            self.restart_timer(now);
        }
    }

    /// Puts a segment of the buffer on the wire.
    #[expect(clippy::too_many_arguments, reason = "what a header says")]
    pub(crate) fn transmit_data(
        &mut self,
        now: Instant,
        start: Seq,
        end: Seq,
        has_fin: bool,
        push: bool,
        again: bool,
        out: &mut Outputs<'_>,
    ) {
        let data_end = end - u32::from(has_fin);
        let mut flags = Flags::ACK;
        if has_fin {
            flags = flags.with(Flags::FIN);
        }
        if push && start != data_end {
            flags = flags.with(Flags::PSH);
        }
        let provenance = match (again, start == data_end) {
            (true, _) => AGAIN,
            (false, true) => TEAR_DOWN,
            (false, false) => HEADER,
        };
        if self.board.in_flight() <= 1 && !again {
            self.congestion.resume(now, self.last_sent);
        }
        self.last_sent = now;
        if start != data_end {
            self.note_answer(now);
        }
        let range = (start != data_end).then_some((start, data_end, again));
        self.emit(now, start, flags, provenance, range, out);
    }

    /// Sends an acknowledgement without data.
    pub(crate) fn send_acknowledgement(&mut self, now: Instant, out: &mut Outputs<'_>) {
        let provenance = if self.peer_finished {
            TEAR_DOWN
        } else {
            ACKNOWLEDGEMENT
        };
        self.emit(now, self.empty_seq(), Flags::ACK, provenance, None, out);
    }

    /// Sends the acknowledgement that ends the handshake.
    pub(crate) fn send_handshake_acknowledgement(&mut self, now: Instant, out: &mut Outputs<'_>) {
        self.emit(now, self.empty_seq(), Flags::ACK, SET_UP, None, out);
    }

    /// Sends an empty segment from before the window, which the peer must answer (RFC 9293 section 3.8.4).
    pub(crate) fn send_empty_probe(&mut self, now: Instant, out: &mut Outputs<'_>) {
        self.emit(now, self.una - 1, Flags::ACK, KEEP_ALIVE, None, out);
    }

    /// Answers such a probe.
    pub(crate) fn answer_probe(&mut self, now: Instant, out: &mut Outputs<'_>) {
        self.emit(now, self.empty_seq(), Flags::ACK, KEEP_ALIVE, None, out);
    }

    /// Sends a reset.
    pub(crate) fn send_reset(&mut self, now: Instant, out: &mut Outputs<'_>) {
        let flags = Flags::RST.with(Flags::ACK);
        self.emit(now, self.empty_seq(), flags, TEAR_DOWN, None, out);
    }

    /// Returns the header bytes for pending SACK blocks.
    fn sack_room(&self) -> u32 {
        let ranges = self
            .reassembly
            .as_ref()
            .map_or(0, |held| held.block_count());
        match ranges + u32::from(self.duplicate.is_some()) {
            0 => 0,
            _ if !self.sack => 0,
            blocks => 4 + 8 * blocks.min(if self.timestamps { 3 } else { 4 }),
        }
    }

    fn emit(
        &mut self,
        now: Instant,
        seq: Seq,
        flags: Flags,
        provenance: Provenance,
        range: Option<(Seq, Seq, bool)>,
        out: &mut Outputs<'_>,
    ) {
        let mut room = [0; MAX_OPTIONS];
        let stamps = self
            .timestamps
            .then(|| (self.timestamp(now), self.recent_timestamp));
        let mut blocks = Vec::new();
        if self.sack {
            blocks.extend(self.duplicate.take());
            if let Some(reassembly) = &self.reassembly {
                reassembly.blocks(&mut blocks);
            }
            if let Some((start, end, _)) = range {
                // Full segments that are sent again leave no room.
                let room = u32::from(self.segment_size).saturating_sub(end - start);
                blocks.truncate((room.saturating_sub(4) / 8) as usize);
            }
        }
        let length = Options::write_data(stamps, &blocks, &mut room);
        let window = self.offer_window();
        let header = Header {
            source: self.local,
            destination: self.peer,
            seq,
            ack: self.received,
            flags,
            window,
            options: &room[..length],
            provenance,
        };
        let buffer = &self.buffer;
        let mut packet = header.packet(|packet| {
            if let Some((start, end, again)) = range {
                buffer.copy(start, end, again, packet);
            }
        });
        if self.state == State::TimeWait {
            packet.expect(Expectation::NothingMore);
        }
        self.note_acknowledged();
        out.transmit(packet);
    }

    /// Whether Nagle's algorithm keeps a segment that is not full (RFC 9293 section 3.7.4).
    fn nagle_holds(&self) -> bool {
        if self.profile.nodelay || self.board.is_empty() {
            return false;
        }
        let small_is_out = self.small_end.is_after(self.una) && !self.small_end.is_after(self.next);
        small_is_out || !self.profile.minshall
    }

    /// Whether to defer one segment until a second can join it (`tcp_tso_should_defer`).
    ///
    /// Shortly after the last segment, the acknowledgement that lets both leave is near. It applies to rates at which
    /// two segments are sent at once.
    fn is_better_deferred(&self, now: Instant, limit: u32) -> bool {
        if !self.profile.defers || self.phase >= Phase::Recovery {
            return false;
        }
        let room = self.congestion.segments.saturating_sub(self.in_flight());
        let by_network = room.saturating_mul(limit);
        let by_peer = self.window_end() - self.next;
        let room = by_network.min(by_peer);
        let window = self
            .window
            .min(self.congestion.segments.saturating_mul(limit));
        let is_recent = now - self.last_sent <= Duration::from_millis(1);
        let half = Duration::from_nanos(u64::from(self.rtt.smoothed()) * 500);
        let is_near = self
            .board
            .first()
            .is_some_and(|first| now - first.stamp.at >= half);
        is_recent && is_near && room < 2 * limit && room < window / 3
    }

    /// How many segments are in flight: a duplicate acknowledgement stands for one that left (RFC 3042).
    pub(crate) fn in_flight(&self) -> u32 {
        let in_flight = self.board.in_flight();
        let is_strict = !self.sack && !self.profile.limited_transmit;
        if is_strict && self.phase < Phase::Recovery {
            in_flight + self.board.sacked
        } else {
            in_flight
        }
    }

    fn note_use(&mut self, now: Instant, is_limited: bool) {
        let usage = Usage {
            now,
            outstanding: self.board.outstanding(),
            una: self.una,
            next: self.next,
            is_limited,
            timeout: self.rtt.timeout(),
        };
        self.congestion
            .note_use(usage, self.phase == Phase::Open, &self.profile);
    }
}
