use lasthop_contract::DiscardReason;
use lasthop_units::{Duration, Instant};

use super::congestion::Acked;
use super::connection::{Connection, Outputs, Phase, State, Timer};
use super::recovery::Resend;
use super::rtt::micros;
use super::segment::{Flags, Segment};
use super::sequence::Seq;

/// What an acknowledgement turned out to say: the flags of `tcp_ack` in Linux.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effect {
    /// It moved the left edge.
    pub(crate) advances: bool,
    /// It acknowledged data, or a SYN.
    pub(crate) data_acked: bool,
    pub(crate) syn_acked: bool,
    /// It came with data, or changed the window: it cannot be a mere duplicate.
    pub(crate) has_data: bool,
    pub(crate) updates_window: bool,
    /// It reported something out of order for the first time, or a duplicate.
    pub(crate) data_sacked: bool,
    pub(crate) reports_duplicate: bool,
    pub(crate) reports_probe: bool,
    /// Something was delivered that was sent again, or that was sent once and before this recovery.
    pub(crate) resent_acked: bool,
    pub(crate) original_acked: bool,
    /// The peer no longer has what it said that it has.
    pub(crate) reneges: bool,
    /// A retransmission was found to be lost.
    pub(crate) resent_lost: bool,
    /// The retransmission timer begins anew.
    pub(crate) sets_timer: bool,
    /// It may have waited at the peer.
    pub(crate) maybe_delayed: bool,
    /// How many segments were delivered, and how many when the last of them was sent.
    pub(crate) delivered: u32,
    pub(crate) prior_delivered: Option<u32>,
    /// When the first and the last segment were sent that were newly reported out of order.
    pub(crate) first_sacked_at: Option<Instant>,
    pub(crate) last_sacked_at: Option<Instant>,
    /// The lowest number that was passed by later ones.
    pub(crate) passed: Option<Seq>,
    /// The round trip of the segment that was delivered last, in microseconds.
    pub(crate) rtt: Option<u32>,
}

impl Effect {
    /// Whether it can be no duplicate acknowledgement (RFC 5681 section 2).
    pub(crate) fn is_not_duplicate(&self) -> bool {
        self.has_data || self.updates_window || self.data_acked || self.syn_acked
    }

    fn is_dubious(&self, phase: Phase) -> bool {
        !self.is_not_duplicate()
            || self.data_sacked
            || self.reports_duplicate
            || phase != Phase::Open
    }
}

impl Connection {
    /// Checks that a segment acknowledges neither what was never sent nor what is long gone (RFC 5961 section 5); before
    /// that nothing of it is believed.
    #[inline]
    pub(crate) fn check_acknowledgement(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) -> Result<(), DiscardReason> {
        let reason = if segment.ack.is_after(self.next) {
            DiscardReason::UnsentAcknowledged
        } else {
            let range = self.largest_window.min(self.una - self.initial);
            if !segment.ack.is_before(self.una - range) {
                return Ok(());
            }
            DiscardReason::OldAcknowledgement
        };
        self.challenge(now, out);
        Err(reason)
    }

    /// Takes the acknowledgement of a segment, which was checked (RFC 9293 section 3.10.7.4 fifth, `tcp_ack`).
    pub(crate) fn acknowledge(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        out: &mut Outputs<'_>,
    ) {
        let ack = segment.ack;
        let prior_una = self.una;
        let mut effect = Effect::default();
        if ack.is_before(prior_una) {
            if !segment.options.sack.is_empty() {
                self.take_sacks(now, segment, prior_una, &mut effect);
                let resend = self.alert(now, prior_una, 0, &mut effect, segment);
                self.resend(now, resend, out);
            }
            return;
        }
        let lost_before = self.board.lost;
        let prior_sacked = self.board.highest_sacked(prior_una);
        if ack.is_after(prior_una) {
            effect.advances = true;
            self.timeouts = 0;
        }
        effect.has_data = segment.length() > 0;
        self.update_window(segment, &mut effect);
        self.una = ack;
        if !segment.options.sack.is_empty() {
            self.take_sacks(now, segment, prior_una, &mut effect);
        }
        self.probes = 0;
        if self.board.is_empty() {
            if effect.reports_duplicate {
                self.alert(now, prior_una, 0, &mut effect, segment);
            }
            self.reconsider_window_probe(now);
            self.end_probe(now, ack, &effect);
            return;
        }
        self.release_acknowledged(now, prior_una, prior_sacked, segment, &mut effect);
        self.rack
            .update_window(self.delivered, effect.prior_delivered);
        self.end_probe(now, ack, &effect);
        let mut resend = Resend::Nothing;
        if effect.is_dubious(self.phase) {
            let is_duplicate =
                !effect.advances && !effect.is_not_duplicate() && !effect.reports_duplicate;
            resend = self.alert(
                now,
                prior_una,
                u32::from(is_duplicate),
                &mut effect,
                segment,
            );
        }
        if effect.sets_timer {
            self.restart_timer_or_probe(now);
        }
        self.adjust_congestion_window(now, lost_before, &effect);
        self.resend(now, resend, out);
        if effect.advances {
            self.note_own_fin(out);
        }
    }

    /// Takes the peer's window, if the segment is not older than the last that brought one.
    fn update_window(&mut self, segment: &Segment<'_>, effect: &mut Effect) {
        let scale = if segment.flags.has(Flags::SYN) {
            0
        } else {
            self.peer_scale
        };
        let window = u32::from(segment.window) << scale;
        let is_news = segment.ack.is_after(self.una)
            || segment.seq.is_after(self.window_seq)
            || segment.seq == self.window_seq && (window > self.window || window == 0);
        if is_news {
            effect.updates_window = true;
            self.window_seq = segment.seq;
            self.window = window;
            self.largest_window = self.largest_window.max(window);
        }
    }

    /// Removes acknowledged segments and updates the estimates (`tcp_clean_rtx_queue`).
    fn release_acknowledged(
        &mut self,
        now: Instant,
        prior_una: Seq,
        prior_sacked: Seq,
        segment: &Segment<'_>,
        effect: &mut Effect,
    ) {
        let una = self.una;
        let had_sacked = self.board.sacked > 0;
        let (mut first_at, mut last_at) = (None, None);
        let (mut acked, mut lowest) = (0, None::<Seq>);
        let mut cut = false;
        while let Some(first) = self.board.first().copied() {
            if first.end.is_after(una) {
                if first.start.is_before(una) {
                    self.board.trim_first(una);
                    cut = true;
                }
                break;
            }
            acked += 1;
            let tags = first.tags;
            if tags.ever_retransmitted {
                effect.resent_acked = true;
            } else if !tags.sacked {
                last_at = Some(first.stamp.at);
                first_at = first_at.or(last_at);
                lowest = lowest.or(Some(first.start));
                effect.original_acked |= !first.end.is_after(self.high);
            }
            effect.note_prior(&first);
            if !tags.sacked && self.sack {
                self.delivered += 1;
                effect.delivered += 1;
                if !self.is_spurious(&first, segment) {
                    self.note_delivery(now, &first);
                }
            }
            if first.is_syn {
                effect.syn_acked = true;
                self.first_resent = None;
            } else {
                effect.data_acked = true;
            }
            self.board.pop(self.sack);
        }
        self.buffer.release(una);
        effect.reneges = self.board.first().is_some_and(|first| first.tags.sacked);
        let since = |at: Instant| micros(now - at);
        let mut rtt = None;
        if let (Some(first), Some(last)) = (first_at, last_at)
            && !effect.resent_acked
        {
            rtt = Some(since(first));
            effect.rtt = Some(since(last));
            let is_lone = acked == 1 && !cut && !had_sacked && effect.delivered <= 1;
            effect.maybe_delayed = is_lone
                && una - prior_una < u32::from(self.segment_size)
                && !effect.syn_acked
                && !effect.data_sacked
                && !effect.reports_duplicate;
        }
        let sack_rtt = effect.first_sacked_at.map(since);
        if let Some(last) = effect.last_sacked_at {
            effect.rtt = Some(since(last));
        }
        let is_sampled = self.take_round_trip(now, rtt.or(sack_rtt), segment, effect);
        if effect.data_acked || effect.syn_acked {
            effect.sets_timer = true;
            if !self.sack {
                self.remove_duplicates(acked, effect);
                if effect.resent_acked {
                    effect.original_acked = false;
                }
            } else if let Some(lowest) = lowest
                && lowest.is_before(prior_sacked)
            {
                self.note_reordering(lowest, prior_sacked);
            }
        } else if let (Some(first), Some(rtt), true) = (self.board.first(), sack_rtt, is_sampled)
            && rtt > since(first.stamp.at)
        {
            effect.sets_timer = true;
        }
        if let Some(rtt) = effect.rtt {
            self.congestion
                .sample(now, rtt, self.una, self.next, self.profile.hystart);
        }
    }

    /// Takes a round-trip sample and sets the timeout.
    ///
    /// The sample comes from segments sent once, otherwise from timestamps (RFC 7323 section 4).
    fn take_round_trip(
        &mut self,
        now: Instant,
        rtt: Option<u32>,
        segment: &Segment<'_>,
        effect: &mut Effect,
    ) -> bool {
        let mut rtt = rtt;
        if rtt.is_none()
            && (effect.data_acked || effect.syn_acked)
            && let Some((_, echo)) = segment.options.timestamps
            && self.timestamps
            && echo != 0
        {
            let millis = self.timestamp(now).wrapping_sub(echo);
            // An echo from the future, or from hours ago, says nothing.
            if millis < 1 << 22 {
                rtt = Some(millis.max(1) * 1000);
                effect.rtt = rtt;
            }
        }
        let Some(rtt) = rtt else {
            return false;
        };
        if let Some(latest) = effect.rtt
            && !(effect.maybe_delayed && latest > self.rtt.least())
        {
            self.rtt.note_least(latest, now);
        }
        self.rtt.sample(rtt, &self.profile, self.una, self.next);
        self.backoffs = 0;
        true
    }

    /// Grows the congestion window, or reduces it in proportion to delivered data (`tcp_cong_control`).
    fn adjust_congestion_window(&mut self, now: Instant, lost_before: u32, effect: &Effect) {
        let lost = self.board.lost.saturating_sub(lost_before);
        if matches!(self.phase, Phase::Reduced | Phase::Recovery) {
            let acked = Acked {
                segments: effect.delivered,
                lost,
                advances: effect.advances,
            };
            self.congestion.reduce(self.in_flight(), acked);
        } else if effect.data_acked
            || effect.data_sacked && self.reordering > self.profile.duplicate_threshold
        {
            self.congestion.grow(now, effect.delivered, &self.profile);
        }
    }

    /// The peer opened its window, or the next probe is put off (`tcp_ack_probe`).
    fn reconsider_window_probe(&mut self, now: Instant) {
        if !self.has_unsent() || !self.is_synchronised() {
            return;
        }
        let length = (self.buffer.end() - self.next).min(self.payload_limit());
        if !(self.next + length).is_after(self.window_end()) {
            self.backoffs = 0;
            if self.timer == Timer::WindowProbe {
                self.timer = Timer::Off;
                self.timer_at = None;
            }
        } else {
            self.set_timer(Timer::WindowProbe, now, self.probe_interval());
        }
    }

    /// How long until the next window probe (`tcp_probe0_when`).
    pub(crate) fn probe_interval(&self) -> Duration {
        let base = self.rtt.timeout().max(Duration::from_millis(200));
        let doubled = base * (1 << self.backoffs.min(16));
        doubled.min(self.profile.max_rto)
    }

    /// Our end of the stream is acknowledged (RFC 9293 section 3.10.7.4 fifth).
    fn note_own_fin(&mut self, out: &mut Outputs<'_>) {
        if !self.fin_sent || self.una != self.next || !self.board.is_empty() {
            return;
        }
        match self.state {
            State::FinWait1 => self.state = State::FinWait2,
            State::Closing => self.finish_both(State::TimeWait, out),
            State::LastAck => self.finish_both(State::Closed, out),
            _ => {}
        }
    }
}
