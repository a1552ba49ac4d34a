use lasthop_contract::{CloseReason, DiscardReason, StreamError};
use lasthop_units::{Duration, Instant};

use super::connection::{Connection, Outputs, State};
use super::output::Push;
use super::reassembly::Reassembly;
use super::segment::{Flags, Segment};
use super::sequence::Seq;

/// How old the recent time stamp may be before it counts for nothing (RFC 7323 section 5.5).
const TIMESTAMP_LIFETIME: Duration = Duration::from_secs(24 * 24 * 3600);

impl Connection {
    /// Takes a segment after the handshake (RFC 9293 section 3.10.7.4, `tcp_rcv_established`).
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) -> Result<(), DiscardReason> {
        let flags = segment.flags;
        if !flags.has(Flags::ACK) && !flags.has(Flags::RST) && !flags.has(Flags::SYN) {
            return Err(DiscardReason::UnexpectedFlags);
        }
        self.last_heard = now;
        if self.is_probe(now, segment) {
            if self.may_challenge(now) {
                self.answer_probe(now, out);
            }
            return Ok(());
        }
        self.validate(now, segment, out)?;
        if self.state == State::Closed {
            return Ok(());
        }
        if !segment.flags.has(Flags::ACK) {
            return Err(DiscardReason::UnexpectedFlags);
        }
        self.check_acknowledgement(now, segment, out)?;
        self.note_timestamp(now, segment);
        self.acknowledge(now, segment, out);
        if matches!(self.state, State::TimeWait | State::Closed) {
            return Ok(());
        }
        let is_of_use = self.take_data(now, segment, out);
        self.send_pending(now, Push::Nagle, out);
        if self.state != State::Closed {
            self.acknowledge_or_wait(now, out);
        }
        self.announce_room(out);
        self.set_idle_timer(now);
        if is_of_use {
            Ok(())
        } else {
            Err(DiscardReason::OutOfWindow)
        }
    }

    /// Takes a segment when both ends are done and the application has not read everything yet. A reset takes
    /// nothing back any more (RFC 1337).
    pub(crate) fn receive_late(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) -> Result<(), DiscardReason> {
        if segment.flags.has(Flags::RST) {
            return Err(DiscardReason::NoConnection);
        }
        let has_data = segment.length() > 0 && !segment.flags.has(Flags::SYN);
        if segment.length() == 0 && segment.seq == self.received {
            self.note_timestamp(now, segment);
        } else if has_data || self.may_challenge(now) {
            self.send_acknowledgement(now, out);
        }
        Ok(())
    }

    /// Checks time stamp, sequence numbers, RST and SYN (RFC 9293 section 3.10.7.4 first to fourth, RFC 5961,
    /// RFC 7323 section 5.3), and answers what must be answered.
    pub(crate) fn validate(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) -> Result<(), DiscardReason> {
        let has = |flags| segment.flags.has(flags);
        if self.timestamps && !has(Flags::RST) {
            let Some((value, _)) = segment.options.timestamps else {
                // RFC 7323 section 3.2: once negotiated, a segment without them is dropped.
                return Err(DiscardReason::OldTimestamp);
            };
            if self.is_old_timestamp(now, value) {
                self.answer_duplicate(now, segment, out);
                return Err(DiscardReason::OldTimestamp);
            }
        }
        let window_end = self.received + self.offered_now();
        let is_old = segment.end().is_before(self.acknowledged);
        if is_old || segment.seq.is_after(window_end) {
            if has(Flags::RST) {
                return Err(DiscardReason::OutOfWindow);
            }
            self.answer_duplicate(now, segment, out);
            return Err(DiscardReason::OutOfWindow);
        }
        if has(Flags::RST) {
            let after_fin = self.peer_finished && segment.seq + 1 == self.received;
            if segment.seq == self.received || after_fin {
                self.end(CloseReason::PeerReset, out);
                return Ok(());
            }
            self.challenge(now, out);
            return Err(DiscardReason::OutOfWindow);
        }
        if has(Flags::SYN) {
            self.challenge(now, out);
            return Err(DiscardReason::UnexpectedFlags);
        }
        Ok(())
    }

    /// Notes the time stamp to echo (RFC 7323 section 4.3).
    pub(crate) fn note_timestamp(&mut self, now: Instant, segment: &Segment<'_>) {
        if let Some((value, _)) = segment.options.timestamps
            && self.timestamps
            && !segment.seq.is_after(self.acknowledged)
        {
            self.recent_timestamp = value;
            self.recent_timestamp_at = now;
        }
    }

    /// Takes the payload and the end of the stream; says whether the segment lay in the window.
    pub(crate) fn take_data(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) -> bool {
        let has_fin = segment.flags.has(Flags::FIN);
        if segment.payload.is_empty() && !has_fin {
            return true;
        }
        let start = segment.seq;
        let data_end = start + segment.payload.len() as u32;
        let end = segment.end();
        if self.peer_finished && !start.is_before(self.received) {
            // Nothing can follow an end (`tcp_rcv_state_process`).
            return false;
        }
        if self.peer_finished || !end.is_after(self.received) {
            // All of it was here before.
            self.report_duplicate(start, end.earlier(self.received));
            self.enter_quick_mode();
            self.acknowledgement.at_once = true;
            return true;
        }
        let window_end = self.received + self.offered_now();
        let is_end_alone = start == self.received && segment.payload.is_empty();
        if !start.is_before(window_end) && !is_end_alone {
            self.enter_quick_mode();
            self.acknowledgement.at_once = true;
            return false;
        }
        let kept_end = data_end.earlier(window_end);
        if start.is_after(self.received) {
            self.keep_for_later(segment, kept_end, has_fin && kept_end == data_end);
            return true;
        }
        if start.is_before(self.received) {
            self.report_duplicate(start, self.received);
        }
        let known = ((self.received - start) as usize).min(segment.payload.len());
        let fresh = &segment.payload[known..(kept_end - start) as usize];
        self.unread.extend(fresh);
        self.received = kept_end;
        if !fresh.is_empty() {
            self.note_data(now, segment);
        }
        let mut ends = has_fin && kept_end == data_end;
        if !ends && let Some(mut reassembly) = self.reassembly.take() {
            let blocks = reassembly.all_blocks();
            let taken = reassembly.take(self.received, &mut self.unread);
            self.received = taken.next;
            ends = taken.ends;
            // RFC 2883 section 4: what covers what was held is a duplicate too (`tcp_ofo_queue`).
            if let (Some((start, end)), None) = (taken.duplicate, self.duplicate) {
                self.report_duplicate(start, end);
            }
            // RFC 5681 section 4.2: at once when a gap is filled.
            self.acknowledgement.at_once |= reassembly.is_empty();
            if ends {
                // An end that we answer at once comes with the blocks of before (`tcp_fin`).
                self.reassembly = Some(Box::new(Reassembly::of_blocks(blocks)));
            } else if !reassembly.is_empty() {
                self.reassembly = Some(reassembly);
            }
        }
        if !self.unread.is_empty() && !fresh.is_empty() {
            self.announce_readable(out);
        }
        if ends {
            self.peer_finishes(now, out);
        }
        true
    }

    /// Reads what has arrived.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> usize {
        let count = into.len().min(self.unread.len());
        let (front, back) = self.unread.as_slices();
        let split = count.min(front.len());
        into[..split].copy_from_slice(&front[..split]);
        into[split..count].copy_from_slice(&back[..count - split]);
        if count == self.unread.len() {
            self.unread = std::collections::VecDeque::new();
        } else {
            self.unread.drain(..count);
        }
        count
    }

    /// What is left of the window that was offered last (`tcp_receive_window`).
    pub(crate) fn offered_now(&self) -> u32 {
        self.offered
            .saturating_sub(self.received - self.acknowledged)
    }

    /// The window to offer: none that is silly (RFC 9293 section 3.8.6.2.2, `__tcp_select_window`).
    pub(crate) fn window_to_offer(&self) -> u32 {
        let limit = self.profile.receive_buffer;
        let held = self.reassembly.as_ref().map_or(0, |held| held.held());
        let mut free = limit.saturating_sub(self.unread.len() as u32 + held);
        let segment = self.peer_segment_size().min(limit);
        if free < limit / 2 {
            free &= !((1 << self.own_scale) - 1);
            if free < limit / 16 || free < segment {
                return 0;
            }
        }
        if self.own_scale > 0 {
            return free.next_multiple_of(1 << self.own_scale);
        }
        let window = self.offered_now();
        if window + segment <= free || window > free {
            if free < segment {
                0
            } else {
                free - free % segment
            }
        } else if segment == limit && free > window + limit / 2 {
            free
        } else {
            window
        }
    }

    /// The window as it stands in a header. What was offered is not taken back (`tcp_select_window`); what a scaled
    /// window says too much by is not taken in either, or a peer could widen it again and again.
    pub(crate) fn offer_window(&mut self) -> u16 {
        let current = self.offered_now();
        let mut window = self.window_to_offer();
        if window < self.profile.receive_buffer / 2 {
            self.leave_quick_mode();
        }
        window = window.max(current);
        let largest = u32::from(u16::MAX) << self.own_scale;
        window = window.min(largest);
        self.offered = window;
        self.acknowledged = self.received;
        window.div_ceil(1 << self.own_scale) as u16
    }

    /// Answers with what we expect, as a rule at most twice a second (RFC 5961 section 7).
    pub(crate) fn challenge(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if self.may_challenge(now) {
            self.send_acknowledgement(now, out);
        }
    }

    /// Whether the application can use this connection for a stream.
    pub(crate) fn check_stream(&self) -> Result<(), StreamError> {
        if self.state == State::Closed && !self.peer_finished && self.unread.is_empty() {
            return Err(StreamError::NoSuchStream);
        }
        Ok(())
    }

    fn may_challenge(&mut self, now: Instant) -> bool {
        let interval = self.profile.challenge_interval;
        let is_soon = self
            .last_challenge
            .is_some_and(|last| now - last < interval);
        if !is_soon {
            self.last_challenge = Some(now);
        }
        !is_soon
    }

    /// Answers a segment outside the window (`tcp_send_dupack`). Each one with data is answered.
    fn answer_duplicate(&mut self, now: Instant, segment: &Segment<'_>, out: &mut Outputs<'_>) {
        let has_data = segment.length() > 0 && !segment.flags.has(Flags::SYN);
        if !has_data && !self.may_challenge(now) {
            return;
        }
        if has_data && segment.seq.is_before(self.received) {
            self.enter_quick_mode();
            self.report_duplicate(segment.seq, segment.end().earlier(self.received));
        }
        self.send_acknowledgement(now, out);
    }

    /// Whether this is an empty segment from right before the window, which wants an answer (RFC 9293 section 3.8.4).
    ///
    /// One that an end or a time stamp shows to be late is no probe.
    fn is_probe(&self, now: Instant, segment: &Segment<'_>) -> bool {
        let is_plain = segment.flags == Flags::ACK && segment.payload.is_empty();
        let is_late = self.peer_finished
            || segment
                .options
                .timestamps
                .is_some_and(|(value, _)| self.timestamps && self.is_old_timestamp(now, value));
        is_plain
            && segment.seq + 1 == self.received
            && self.received == self.acknowledged
            && !is_late
    }

    fn is_old_timestamp(&self, now: Instant, value: u32) -> bool {
        let behind = self.recent_timestamp.wrapping_sub(value) as i32;
        behind > 1
            && self.recent_timestamp != 0
            && now - self.recent_timestamp_at < TIMESTAMP_LIFETIME
    }

    /// Notes what arrived twice, to be told once (RFC 2883).
    pub(super) fn report_duplicate(&mut self, start: Seq, end: Seq) {
        if self.profile.dsack && self.sack && start.is_before(end) {
            self.duplicate = Some((start, end));
        }
    }

    fn keep_for_later(&mut self, segment: &Segment<'_>, end: Seq, has_fin: bool) {
        self.acknowledgement.waits = true;
        self.acknowledgement.at_once = true;
        if !self.profile.keeps_out_of_order {
            return;
        }
        let kept = &segment.payload[..(end - segment.seq) as usize];
        let reassembly = self.reassembly.get_or_insert_default();
        if let Some((start, end)) = reassembly.insert(segment.seq, kept, has_fin) {
            self.report_duplicate(start, end);
        }
    }

    /// Processes the FIN of the peer (RFC 9293 section 3.10.7.4, eighth step).
    fn peer_finishes(&mut self, now: Instant, out: &mut Outputs<'_>) {
        self.received += 1;
        self.peer_finished = true;
        if self.state == State::FinWait1 {
            self.send_acknowledgement(now, out);
        }
        if self.state != State::FinWait2 {
            self.reassembly = None;
        }
        self.acknowledgement.waits |= self.state != State::FinWait1;
        match self.state {
            State::Established | State::SynReceived => {
                self.state = State::CloseWait;
                self.enter_interactive_mode();
            }
            State::FinWait1 => self.state = State::Closing,
            State::FinWait2 => {
                self.state = State::TimeWait;
                self.send_acknowledgement(now, out);
                self.reassembly = None;
                self.stop_timers();
            }
            _ => {}
        }
        self.announce_readable(out);
        self.announce_if_done(out);
    }
}
