use lasthop_contract::Trigger;
use lasthop_units::{Duration, Instant};

use super::connection::{Connection, Outputs, Phase, State, Timer};
use super::incoming_ack::Effect;
use super::output::Push;
use super::segment::Segment;
use super::sequence::Seq;

/// What an acknowledgement lets be sent in a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resend {
    /// Nothing to send.
    Nothing,
    /// Segments marked as lost.
    Lost,
    /// New data, to see whether a timeout was spurious (RFC 5682 section 2.1 step 2b).
    New,
}

impl Connection {
    /// Weighs an acknowledgement that is not plain progress (`tcp_fastretrans_alert`).
    pub(crate) fn alert(
        &mut self,
        now: Instant,
        prior_una: Seq,
        duplicates: u32,
        effect: &mut Effect,
        segment: &Segment<'_>,
    ) -> Resend {
        if self.board.is_empty() {
            self.board.sacked = 0;
        }
        if effect.reneges && effect.advances {
            self.begin_anew_soon(now);
            effect.sets_timer = false;
            return Resend::Nothing;
        }
        if self.phase == Phase::Open {
            self.first_resent = None;
        } else if !self.una.is_before(self.high) && self.leaves_phase(now, segment) {
            return Resend::Nothing;
        }
        match self.phase {
            Phase::Recovery => {
                if !effect.advances {
                    self.add_duplicates(duplicates, effect);
                } else if self.undoes_partially(now, prior_una, segment) {
                    return Resend::Nothing;
                }
                if self.undoes_by_reports(now) {
                    self.try_to_open();
                }
                self.identify_losses(now, effect);
                if self.phase != Phase::Recovery {
                    if !self.has_losses() {
                        return Resend::Nothing;
                    }
                    self.enter_recovery();
                }
                Resend::Lost
            }
            Phase::Loss => {
                let resend = self.go_on_after_timeout(now, duplicates, effect, segment);
                self.identify_losses(now, effect);
                if self.phase != Phase::Open && !effect.resent_lost {
                    return resend;
                }
                self.look_for_recovery(now, duplicates, effect)
            }
            _ => self.look_for_recovery(now, duplicates, effect),
        }
    }

    /// Sends again what is lost, or something new first.
    pub(crate) fn resend(&mut self, now: Instant, resend: Resend, out: &mut Outputs<'_>) {
        if resend == Resend::Nothing || self.state == State::SynSent {
            return;
        }
        if resend == Resend::New {
            self.send_new(now, Push::AtOnce, out);
            if self.next.is_after(self.high) {
                return;
            }
            self.frto = false;
        }
        out.begin(self.loss_as_trigger());
        self.resend_lost(now, out);
        out.end();
    }

    /// Returns how the loss was detected.
    fn loss_as_trigger(&self) -> Trigger {
        if self.phase == Phase::Loss {
            Trigger::LostAtTimeout
        } else if !self.sack {
            Trigger::DuplicateAcknowledgements
        } else if self.profile.rack {
            Trigger::Overtaken
        } else {
            Trigger::SelectiveAcknowledgements
        }
    }

    /// Begins fast recovery (`tcp_enter_recovery`).
    pub(crate) fn enter_recovery(&mut self) {
        self.first_resent = None;
        self.start_undo();
        if self.phase < Phase::Reduced {
            self.congestion.start_reduction(true);
        } else {
            self.congestion.forget_prior();
        }
        self.high = self.next;
        self.probe_end = None;
        self.phase = Phase::Recovery;
    }

    /// Begins anew after a timeout (`tcp_enter_loss`).
    pub(crate) fn enter_loss(&mut self, now: Instant) {
        let is_new = self.phase < Phase::Recovery;
        self.mark_lost_by_timeout(now);
        let is_first = self.phase <= Phase::Disorder
            || !self.high.is_after(self.una)
            || self.phase == Phase::Loss && self.timeouts == 0;
        if is_first {
            self.congestion.reduce_threshold(true);
            self.start_undo();
        }
        if self.phase <= Phase::Disorder && self.board.sacked >= self.profile.duplicate_threshold {
            self.reordering = self.reordering.min(self.profile.duplicate_threshold);
        }
        let in_flight = self.board.in_flight();
        self.congestion.collapse(now, in_flight);
        self.congestion.start_round(now, self.next);
        self.phase = Phase::Loss;
        self.high = self.next;
        self.probe_end = None;
        self.frto = self.profile.frto && (is_new || self.timeouts > 0);
    }

    /// Ends the reduction that stands for a loss which the tail loss probe repaired (RFC 8985 section 7.4.2).
    pub(crate) fn end_probe(&mut self, now: Instant, ack: Seq, effect: &Effect) {
        let Some(end) = self.probe_end else {
            return;
        };
        if ack.is_before(end) {
            return;
        }
        if !self.probe_repeats || effect.reports_probe {
            self.probe_end = None;
        } else if ack.is_after(end) {
            self.probe_end = None;
            self.high = self.next;
            self.congestion.start_reduction(false);
            self.congestion.end_reduction(now);
            self.phase = Phase::Open;
            self.keep_open();
        } else if !effect.advances && !effect.is_not_duplicate() && !effect.data_sacked {
            self.probe_end = None;
        }
    }

    fn look_for_recovery(&mut self, now: Instant, duplicates: u32, effect: &mut Effect) -> Resend {
        if !self.sack {
            if effect.advances {
                self.board.sacked = 0;
            }
            self.add_duplicates(duplicates, effect);
        }
        if self.phase <= Phase::Disorder {
            self.undoes_by_reports(now);
        }
        self.identify_losses(now, effect);
        if !self.has_losses() {
            self.try_to_open();
            return Resend::Lost;
        }
        self.enter_recovery();
        self.mark_first_by_count();
        Resend::Lost
    }

    /// Leaves a phase whose end is acknowledged; returns whether processing is done.
    fn leaves_phase(&mut self, now: Instant, segment: &Segment<'_>) -> bool {
        match self.phase {
            Phase::Reduced if self.una != self.high => {
                self.congestion.end_reduction(now);
                self.phase = Phase::Open;
                false
            }
            Phase::Recovery => {
                if !self.sack {
                    self.board.sacked = 0;
                }
                if self.ends_recovery(now, segment) {
                    return true;
                }
                false
            }
            _ => false,
        }
    }

    /// Ends or undoes a recovery (`tcp_try_undo_recovery`); returns whether it continues.
    fn ends_recovery(&mut self, now: Instant, segment: &Segment<'_>) -> bool {
        let was_reducing = self.phase == Phase::Recovery;
        let is_undone = self.may_undo(segment);
        if is_undone {
            self.undo(now, false);
        } else {
            self.rack.recovery_ended();
        }
        if self.must_hold_on() {
            return true;
        }
        // Without undo the window ends where it was headed for.
        if was_reducing && !is_undone && self.undo_from.is_some() {
            self.congestion.end_reduction(now);
        }
        self.phase = Phase::Open;
        false
    }

    /// Goes on after a timeout (`tcp_process_loss`), with F-RTO (RFC 5682 section 3.1).
    fn go_on_after_timeout(
        &mut self,
        now: Instant,
        duplicates: u32,
        effect: &mut Effect,
        segment: &Segment<'_>,
    ) -> Resend {
        let is_recovered = !self.una.is_before(self.high);
        if effect.advances && self.undoes_loss(now, false, segment) {
            return Resend::Nothing;
        }
        if self.frto {
            if effect.original_acked && self.undoes_loss(now, true, segment) {
                return Resend::Nothing;
            }
            if self.next.is_after(self.high) {
                if effect.data_sacked || duplicates > 0 {
                    self.frto = false;
                }
            } else if effect.advances && !is_recovered {
                self.high = self.next;
                if self.has_unsent() && self.window_end().is_after(self.next) {
                    return Resend::New;
                }
                self.frto = false;
            }
        }
        if is_recovered {
            self.ends_recovery(now, segment);
            return Resend::Nothing;
        }
        if !self.sack {
            if self.next.is_after(self.high) && duplicates > 0 {
                self.add_duplicates(duplicates, effect);
            } else if effect.advances {
                self.board.sacked = 0;
            }
        }
        Resend::Lost
    }

    pub(super) fn try_to_open(&mut self) {
        if !self.has_resent() {
            self.first_resent = None;
        }
        if self.phase != Phase::Reduced {
            self.keep_open();
        }
    }

    pub(super) fn keep_open(&mut self) {
        let is_amiss = self.board.sacked + self.board.lost > 0 || self.has_resent();
        let phase = if is_amiss {
            Phase::Disorder
        } else {
            Phase::Open
        };
        if self.phase != phase {
            self.phase = phase;
            self.high = self.next;
        }
    }

    /// The peer discarded data that it had acknowledged selectively (reneging, RFC 2018 section 8): restarts soon.
    fn begin_anew_soon(&mut self, now: Instant) {
        let soon = (self.rtt.smoothed() / 2).max(10_000);
        let soon = Duration::from_nanos(u64::from(soon) * 1000);
        self.set_timer(Timer::Retransmission, now, soon);
    }
}
