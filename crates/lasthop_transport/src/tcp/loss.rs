use lasthop_units::Instant;

use super::connection::{Connection, Phase};
use super::incoming_ack::Effect;

/// Says which segments are lost: by time, by counting, or by duplicate acknowledgements.
impl Connection {
    pub(super) fn has_losses(&self) -> bool {
        if self.board.lost > 0 {
            return true;
        }
        let counts = self.sack && !self.profile.rack;
        counts && self.board.sacked >= self.reordering
    }

    pub(super) fn identify_losses(&mut self, now: Instant, effect: &mut Effect) {
        if self.board.is_empty() {
            return;
        }
        if !self.sack {
            self.mark_by_duplicates(effect.advances);
        } else if self.profile.rack {
            let before = self.board.retransmitted;
            if self.find_losses(now) {
                effect.sets_timer = false;
            }
            effect.resent_lost |= before > self.board.retransmitted;
        } else if self.phase >= Phase::Recovery {
            self.mark_by_count();
        }
    }

    /// NewReno: the first segment, at the threshold and at each partial acknowledgement (RFC 6582 section 3.2).
    fn mark_by_duplicates(&mut self, advances: bool) {
        let is_at_threshold = self.phase < Phase::Recovery && self.board.sacked >= self.reordering;
        if is_at_threshold || self.phase == Phase::Recovery && advances {
            let first = self.board.first();
            if first.is_some_and(|first| !first.tags.lost) {
                self.board.mark_lost(0);
            }
        }
    }

    /// The first segment is lost when a recovery begins by counting.
    pub(super) fn mark_first_by_count(&mut self) {
        if self.sack && !self.profile.rack {
            self.board.mark_lost(0);
            self.mark_by_count();
        }
    }

    /// A segment is lost when enough segments beyond it have arrived (RFC 6675 section 4, `IsLost`).
    fn mark_by_count(&mut self) {
        let mut beyond = self.board.sacked;
        for place in 0..self.board.outstanding() as usize {
            let Some(sent) = self.board.get(place) else {
                break;
            };
            if sent.tags.sacked {
                beyond -= 1;
            } else if beyond >= self.reordering && !sent.tags.lost {
                self.board.mark_lost(place);
            }
        }
    }

    /// After a timeout all is lost but what was sent within the last round trip (`tcp_timeout_mark_lost`).
    pub(super) fn mark_lost_by_timeout(&mut self, now: Instant) {
        let reneges = self.board.first().is_some_and(|first| first.tags.sacked);
        if reneges {
            self.board.forget_sacks();
        } else if !self.sack {
            self.board.sacked = 0;
        }
        for place in 0..self.board.outstanding() as usize {
            let is_recent = place > 0
                && !reneges
                && self.sack
                && self.profile.rack
                && self
                    .board
                    .get(place)
                    .is_some_and(|sent| self.time_left(now, sent, 0).is_some());
            if !is_recent {
                self.board.mark_lost(place);
            }
        }
    }

    /// Duplicate acknowledgements stand for segments that left the network.
    pub(super) fn add_duplicates(&mut self, duplicates: u32, effect: &mut Effect) {
        if self.sack || duplicates == 0 {
            return;
        }
        let before = self.board.sacked;
        self.board.sacked += duplicates;
        self.limit_duplicates(0);
        let delivered = self.board.sacked.saturating_sub(before);
        self.delivered += delivered;
        effect.delivered += delivered;
    }

    /// More duplicates than segments beyond the first gap: something was reordered.
    fn limit_duplicates(&mut self, acked: u32) {
        let outstanding = self.board.outstanding();
        let holes = self.board.lost.max(1).min(outstanding);
        if self.board.sacked + holes > outstanding {
            self.board.sacked = outstanding - holes;
            self.reordering = (outstanding + acked).min(super::sack::MAX_REORDERING);
            self.rack.reordering_seen = true;
        }
    }

    /// An acknowledgement for what is beyond the next gap removes as many duplicates as it covers.
    pub(crate) fn remove_duplicates(&mut self, acked: u32, effect: &mut Effect) {
        if acked > 0 {
            let delivered = acked.saturating_sub(self.board.sacked).max(1);
            self.delivered += delivered;
            effect.delivered += delivered;
            self.board.sacked = self.board.sacked.saturating_sub(acked - 1);
        }
        self.limit_duplicates(acked);
    }
}
