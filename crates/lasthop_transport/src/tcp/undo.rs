use lasthop_units::Instant;

use super::connection::{Connection, Phase, State};
use super::segment::Segment;
use super::sequence::Seq;

/// Takes back what was done about a loss that was none.
impl Connection {
    /// A partial acknowledgement: was the gap filled by a late segment rather than by ours?
    pub(super) fn undoes_partially(
        &mut self,
        now: Instant,
        prior_una: Seq,
        segment: &Segment<'_>,
    ) -> bool {
        if self.undo_from.is_none() || !self.is_packet_delayed(segment) {
            return false;
        }
        let highest = self.board.highest_sacked(self.una);
        self.note_reordering(prior_una, highest);
        if self.board.retransmitted > 0 {
            return true;
        }
        if !self.has_resent() {
            self.first_resent = None;
        }
        self.undo(now, true);
        self.keep_open();
        false
    }

    /// All that was sent again was reported as a duplicate (RFC 3708).
    pub(super) fn undoes_by_reports(&mut self, now: Instant) -> bool {
        let all_reported = self.undo_from.is_some() && self.undo_count == 0;
        if all_reported {
            self.rack.recovery_undone();
            self.undo(now, false);
        }
        all_reported
    }

    pub(super) fn undoes_loss(
        &mut self,
        now: Instant,
        by_frto: bool,
        segment: &Segment<'_>,
    ) -> bool {
        if !by_frto && !self.may_undo(segment) {
            return false;
        }
        self.undo(now, true);
        self.timeouts = 0;
        if self.must_hold_on() {
            return true;
        }
        if by_frto || self.sack {
            self.phase = Phase::Open;
        }
        true
    }

    pub(super) fn may_undo(&self, segment: &Segment<'_>) -> bool {
        self.undo_from.is_some() && (self.undo_count == 0 || self.is_packet_delayed(segment))
    }

    /// Whether the peer answers a segment from before the first one that was sent again (RFC 3522, Eifel).
    fn is_packet_delayed(&self, segment: &Segment<'_>) -> bool {
        match self.first_resent {
            Some(at) => self.echoes_before(segment, at),
            // Without SACK the end of a phase that is held on to forgets when it was (`must_hold_on`).
            None => self.state != State::SynSent && (self.sack || self.una.is_before(self.high)),
        }
    }

    pub(super) fn undo(&mut self, now: Instant, unmarks_lost: bool) {
        if unmarks_lost {
            self.board.unmark_lost();
        }
        self.congestion.undo(now);
        self.undo_from = None;
        self.rack.advanced = true;
    }

    pub(super) fn start_undo(&mut self) {
        self.undo_from = Some(self.una);
        let probes = u32::from(self.probe_end.is_some() && self.probe_repeats);
        let out = self.board.retransmitted + probes;
        self.undo_count = if out == 0 { -1 } else { out as i32 };
    }

    /// Without SACK the phase lasts until something beyond its end is acknowledged (RFC 6582 section 3.2 step 1).
    pub(super) fn must_hold_on(&mut self) -> bool {
        let holds = !self.sack && self.una == self.high;
        if holds && !self.has_resent() {
            self.first_resent = None;
        }
        holds
    }

    /// Whether anything that was sent again is still out.
    pub(super) fn has_resent(&self) -> bool {
        let first = self.board.first();
        self.board.retransmitted > 0 || first.is_some_and(|first| first.tags.ever_retransmitted)
    }
}
