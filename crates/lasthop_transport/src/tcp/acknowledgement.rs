use lasthop_units::{Duration, Instant};

use super::connection::{Connection, Outputs};
use super::profile::{AcknowledgementPolicy, TimerClock};
use super::segment::Segment;
use super::timer_clock::next_multiple;

/// When what arrived is acknowledged (RFC 9293 section 3.8.6.3), as Linux adapts it.
#[derive(Debug, Default)]
pub(crate) struct Acknowledgement {
    /// When an acknowledgement that waits must leave.
    pub(crate) due: Option<Instant>,
    /// The delay that adapts to the peer's pace; `None` before the first data.
    delay: Option<Duration>,
    /// When data came last.
    pub(crate) last_data: Instant,
    /// The size of the peer's full segments, as far as is known.
    full_size: u16,
    last_size: u16,
    /// How many segments more are acknowledged at once.
    quick: u8,
    /// The connection goes to and fro: an acknowledgement can ride on the answer.
    interactive: bool,
    /// Something arrived that is not acknowledged yet.
    pub(crate) waits: bool,
    /// The next one leaves at once.
    pub(crate) at_once: bool,
    /// Small segments arrived: one, or more than one.
    small: bool,
    small_again: bool,
}

/// The largest share of a second that the delay may take (`HZ / 2`).
const SLOW_DELAY: Duration = Duration::from_millis(500);

/// The memory that Linux takes for a segment beside its payload, as measured with a TUN device.
const SEGMENT_OVERHEAD: u64 = 1130;

/// The segment size that is assumed at first (`TCP_MSS_DEFAULT`).
const DEFAULT_SIZE: u16 = 536;

impl Connection {
    /// Begins with the handshake (`tcp_initialize_rcv_mss`).
    pub(crate) fn start_acknowledging(&mut self) {
        let half = u16::try_from(self.offered / 2).unwrap_or(u16::MAX);
        self.acknowledgement.full_size = self.segment_size.min(half).clamp(88, DEFAULT_SIZE);
    }

    /// The size of the peer's full segments, as far as is known.
    pub(crate) fn peer_segment_size(&self) -> u32 {
        u32::from(self.acknowledgement.full_size)
    }

    /// Notes data that arrived in order (`tcp_event_data_recv`).
    pub(crate) fn note_data(&mut self, now: Instant, segment: &Segment<'_>) {
        self.measure(segment);
        let timeout = self.rtt.timeout();
        let AcknowledgementPolicy::Adaptive { min_delay, .. } = self.profile.acknowledgement else {
            // Every second segment is acknowledged at once.
            let state = &mut self.acknowledgement;
            state.at_once |= state.waits;
            state.waits = true;
            return;
        };
        let state = &mut self.acknowledgement;
        state.waits = true;
        match state.delay {
            None => {
                state.delay = Some(min_delay);
                self.acknowledge_quickly();
            }
            Some(delay) => {
                let gap = now - state.last_data;
                let half = Duration::from_nanos(delay.as_nanos() / 2);
                if gap.as_nanos() <= min_delay.as_nanos() / 2 {
                    state.delay = Some(half + Duration::from_nanos(min_delay.as_nanos() / 2));
                } else if gap < delay {
                    state.delay = Some((half + gap).min(timeout));
                } else if gap > timeout {
                    self.acknowledge_quickly();
                }
            }
        }
        self.acknowledgement.last_data = now;
    }

    /// Data came that was here before, or beyond the window: the peer needs to know soon.
    pub(crate) fn enter_quick_mode(&mut self) {
        if let AcknowledgementPolicy::Adaptive { min_delay, .. } = self.profile.acknowledgement {
            self.acknowledge_quickly();
            self.acknowledgement.interactive = false;
            self.acknowledgement.delay = Some(min_delay);
        }
        self.acknowledgement.waits = true;
    }

    /// The peer has finished: what is left to say can ride on our own end (`tcp_fin`).
    pub(crate) fn enter_interactive_mode(&mut self) {
        self.acknowledgement.interactive = true;
    }

    /// Notes that data is sent: an answer, if it follows soon on what came (`tcp_event_data_sent`).
    pub(crate) fn note_answer(&mut self, now: Instant) {
        let state = &mut self.acknowledgement;
        if state
            .delay
            .is_some_and(|delay| now - state.last_data < delay)
        {
            state.interactive = true;
        }
    }

    /// Sends the acknowledgement, or sees to it that it leaves in time (`__tcp_ack_snd_check`).
    pub(crate) fn acknowledge_or_wait(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if !self.acknowledgement.waits {
            return;
        }
        let state = &self.acknowledgement;
        let is_quick = state.quick > 0 && !state.interactive;
        let unacknowledged = self.received - self.acknowledged;
        let is_more_than_one = matches!(
            self.profile.acknowledgement,
            AcknowledgementPolicy::Adaptive { .. }
        ) && unacknowledged > self.peer_segment_size()
            && (self.unread.is_empty() || self.keeps_offering());
        if state.at_once || is_quick || is_more_than_one || self.reassembly.is_some() {
            self.send_acknowledgement(now, out);
        } else {
            self.delay_acknowledgement(now, out);
        }
    }

    /// Whether the initially advertised window still fits beside the unread data.
    ///
    /// Linux counts the memory of segments and not their bytes, so small segments fill its buffer sooner
    /// (`tcp_measure_rcv_mss`).
    fn keeps_offering(&self) -> bool {
        let size = u64::from(self.peer_segment_size());
        let room = 2 * u64::from(self.profile.receive_buffer) * size / (size + SEGMENT_OVERHEAD);
        let offered = self.profile.receive_buffer.min(u32::from(u16::MAX));
        room.saturating_sub(self.unread.len() as u64) >= u64::from(offered)
    }

    /// The application has read (`tcp_cleanup_rbuf`).
    pub(crate) fn acknowledge_after_read(&mut self, now: Instant, out: &mut Outputs<'_>) {
        let state = &self.acknowledgement;
        let is_drained = self.unread.is_empty();
        let mut is_due = false;
        if let AcknowledgementPolicy::Adaptive { .. } = self.profile.acknowledgement
            && state.waits
        {
            let is_more_than_one = self.received - self.acknowledged > self.peer_segment_size();
            let is_small = state.small_again || state.small && !state.interactive;
            is_due = is_more_than_one || is_small && is_drained;
        }
        if !is_due && !self.peer_finished {
            let now_offered = self.offered_now();
            if now_offered <= self.profile.receive_buffer / 2 {
                let window = self.window_to_offer();
                is_due = window > 0 && window >= 2 * now_offered;
            }
        }
        if is_due {
            self.send_acknowledgement(now, out);
        }
    }

    /// An acknowledgement leaves, alone or with data (`tcp_event_ack_sent`).
    pub(crate) fn note_acknowledged(&mut self) {
        let state = &mut self.acknowledgement;
        if state.quick > 0 && state.waits {
            state.quick -= 1;
            if let (0, AcknowledgementPolicy::Adaptive { min_delay, .. }) =
                (state.quick, self.profile.acknowledgement)
            {
                state.delay = Some(min_delay);
            }
        }
        state.due = None;
        state.waits = false;
        state.at_once = false;
        state.small = false;
        state.small_again = false;
    }

    /// The delay has passed (`tcp_delack_timer_handler`).
    pub(crate) fn acknowledgement_timeout(&mut self, now: Instant, out: &mut Outputs<'_>) {
        self.acknowledgement.due = None;
        if !self.acknowledgement.waits {
            return;
        }
        if let AcknowledgementPolicy::Adaptive { min_delay, .. } = self.profile.acknowledgement {
            let timeout = self.rtt.timeout();
            let state = &mut self.acknowledgement;
            if core::mem::take(&mut state.interactive) {
                state.delay = Some(min_delay);
            } else {
                let delay = state.delay.unwrap_or(min_delay);
                state.delay = Some((delay * 2).min(timeout));
            }
        }
        self.send_acknowledgement(now, out);
    }

    /// The window is about to close: no further quick acknowledgements (`__tcp_select_window`).
    pub(crate) fn leave_quick_mode(&mut self) {
        self.acknowledgement.quick = 0;
    }

    fn acknowledge_quickly(&mut self) {
        let AcknowledgementPolicy::Adaptive { quick, .. } = self.profile.acknowledgement else {
            return;
        };
        // The first window is of full segments of our own size (`tcp_select_initial_window`).
        let own = u32::from(self.profile.max_segment_size).clamp(1, self.offered.max(1));
        let window = self.offered - self.offered % own;
        let segments = match window / (2 * self.peer_segment_size().max(1)) {
            0 => 2,
            segments => segments.min(u32::from(quick)) as u8,
        };
        self.acknowledgement.quick = self.acknowledgement.quick.max(segments);
    }

    fn delay_acknowledgement(&mut self, now: Instant, out: &mut Outputs<'_>) {
        let due = match self.profile.acknowledgement {
            AcknowledgementPolicy::EverySecond { tick } => next_multiple(now, tick),
            AcknowledgementPolicy::Adaptive {
                min_delay,
                max_delay,
                ..
            } => {
                let state = &self.acknowledgement;
                // Before any data there is no pace to adapt to: with the next tick (`icsk_ack.ato` is 0).
                let mut delay = state.delay.unwrap_or(Duration::ZERO);
                if delay > min_delay {
                    let is_short = state.interactive || state.small;
                    let mut longest = if is_short { max_delay } else { SLOW_DELAY };
                    if self.rtt.is_known() {
                        let rtt = Duration::from_nanos(u64::from(self.rtt.smoothed()) * 1000);
                        longest = longest.min(rtt.max(min_delay));
                    }
                    delay = delay.min(longest);
                }
                let delay = delay.min(max_delay);
                if let Some(due) = state.due {
                    // One that is about to leave leaves now.
                    if due <= now + Duration::from_nanos(delay.as_nanos() / 4) {
                        self.send_acknowledgement(now, out);
                        return;
                    }
                }
                self.acknowledgement_clock().firing(now, delay)
            }
        };
        let earlier = self.acknowledgement.due.filter(|earlier| *earlier < due);
        self.acknowledgement.due = Some(earlier.unwrap_or(due));
    }

    fn acknowledgement_clock(&self) -> TimerClock {
        self.profile.timer_clock
    }

    /// Learns the size of the peer's full segments (`tcp_measure_rcv_mss`).
    fn measure(&mut self, segment: &Segment<'_>) {
        let size = u16::try_from(segment.payload.len()).unwrap_or(u16::MAX);
        let state = &mut self.acknowledgement;
        if size >= state.full_size {
            state.full_size = size.min(self.segment_size.max(DEFAULT_SIZE));
            if segment.flags.has(super::segment::Flags::PSH) {
                state.small = true;
            }
            return;
        }
        let with_header = size + 20;
        let is_pushed = segment.flags.has(super::segment::Flags::PSH);
        if with_header >= DEFAULT_SIZE + 20 || with_header >= 88 + 20 && !is_pushed {
            let is_repeated = state.last_size == size;
            state.last_size = size;
            if is_repeated {
                state.full_size = size;
                return;
            }
        }
        state.small_again = state.small;
        state.small = true;
    }
}
