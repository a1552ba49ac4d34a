use lasthop_units::Instant;
use smallvec::SmallVec;

use super::connection::Connection;
use super::incoming_ack::Effect;
use super::scoreboard::Sent;
use super::segment::Segment;
use super::sequence::Seq;

/// The most reordering that is believed (`tcp_max_reordering`).
pub(crate) const MAX_REORDERING: u32 = 300;

impl Effect {
    /// Notes how much had been delivered when a segment was sent that is delivered now.
    pub(crate) fn note_prior(&mut self, sent: &Sent) {
        let is_later = self
            .prior_delivered
            .is_none_or(|prior| sent.stamp.delivered.wrapping_sub(prior) as i32 >= 0);
        if is_later {
            self.prior_delivered = Some(sent.stamp.delivered);
        }
    }
}

impl Connection {
    /// Takes the blocks of a segment (RFC 2018 section 4, RFC 2883 section 5, `tcp_sacktag_write_queue`).
    pub(crate) fn take_sacks(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        prior_una: Seq,
        effect: &mut Effect,
    ) {
        if !self.sack {
            return;
        }
        let blocks = &segment.options.sack[..];
        let duplicate = self.reported_duplicate(segment, prior_una, effect);
        // From low to high, or what the last acknowledgement reported and was lost would look reordered.
        let mut ordered: SmallVec<[(Seq, Seq); 4]> = blocks.into();
        ordered.sort_by_key(|(start, _)| *start - self.una);
        for (start, end) in ordered {
            let is_duplicate = duplicate && blocks.first() == Some(&(start, end));
            // A block of what was never sent says nothing.
            if start.is_before(end) && !end.is_after(self.next) {
                self.tag(now, start, end, is_duplicate, segment, effect);
            }
        }
        if let Some(passed) = effect.passed {
            let highest = self.board.highest_sacked(self.una);
            self.note_reordering(passed, highest);
        }
    }

    /// Something arrived that was sent before what had arrived already (`tcp_check_sack_reordering`).
    pub(crate) fn note_reordering(&mut self, lowest: Seq, highest: Seq) {
        if !lowest.is_before(highest) {
            return;
        }
        let size = u32::from(self.segment_size).max(1);
        let distance = (highest - lowest).div_ceil(size);
        if distance > self.reordering {
            self.reordering = distance.min(MAX_REORDERING);
        }
        self.rack.reordering_seen = true;
    }

    /// Whether an acknowledgement was caused by the first copy of a segment that was sent again (RFC 3522).
    pub(crate) fn is_spurious(&self, sent: &Sent, segment: &Segment<'_>) -> bool {
        sent.tags.ever_retransmitted && self.echoes_before(segment, sent.stamp.at)
    }

    /// Whether a segment echoes a time stamp from before an instant.
    pub(crate) fn echoes_before(&self, segment: &Segment<'_>, at: Instant) -> bool {
        let Some((_, echo)) = segment.options.timestamps else {
            return false;
        };
        let behind = echo.wrapping_sub(self.timestamp(at)) as i32;
        self.timestamps && echo != 0 && behind < 0
    }

    /// Processes a duplicate SACK in the first block; returns whether there is one.
    fn reported_duplicate(
        &mut self,
        segment: &Segment<'_>,
        prior_una: Seq,
        effect: &mut Effect,
    ) -> bool {
        let blocks = &segment.options.sack[..];
        let Some(&(start, end)) = blocks.first() else {
            return false;
        };
        let is_below = start.is_before(segment.ack);
        let is_within = blocks.get(1).is_some_and(|(outer_start, outer_end)| {
            !start.is_before(*outer_start) && !end.is_after(*outer_end)
        });
        if !(is_below || is_within) || !start.is_before(end) || end - start > self.largest_window {
            return false;
        }
        let size = u32::from(self.segment_size).max(1);
        let count = if end - start > size {
            (end - start).div_ceil(size)
        } else {
            effect.reports_probe |= self.probe_end == Some(end);
            1
        };
        self.reported_duplicates += count;
        // More duplicates than were sent again: the network made them.
        if self.reported_duplicates > self.resent {
            return false;
        }
        if self.rack.reordering_seen && !effect.reports_probe {
            self.rack.duplicate_seen = true;
        }
        effect.reports_duplicate = true;
        effect.delivered += count;
        self.delivered += count;
        if let Some(undo_from) = self.undo_from
            && self.undo_count > 0
            && !end.is_after(prior_una)
            && end.is_after(undo_from)
        {
            self.undo_count = (self.undo_count - count as i32).max(0);
        }
        true
    }

    /// Notes that the peer has a range (`tcp_sacktag_one`).
    fn tag(
        &mut self,
        now: Instant,
        start: Seq,
        end: Seq,
        is_duplicate: bool,
        segment: &Segment<'_>,
        effect: &mut Effect,
    ) {
        for place in 0..self.board.outstanding() as usize {
            let Some(sent) = self.board.get(place).copied() else {
                break;
            };
            if !sent.start.is_before(end) {
                break;
            }
            if sent.start.is_before(start) || sent.end.is_after(end) {
                continue;
            }
            let tags = sent.tags;
            if is_duplicate && tags.ever_retransmitted {
                if let Some(undo_from) = self.undo_from
                    && self.undo_count > 0
                    && sent.end.is_after(undo_from)
                {
                    self.undo_count -= 1;
                }
                if tags.sacked {
                    effect.note_passed(sent.start);
                }
            }
            if !sent.end.is_after(self.una) {
                continue;
            }
            if !tags.sacked {
                if !self.is_spurious(&sent, segment) {
                    self.note_delivery(now, &sent);
                }
                if !tags.ever_retransmitted {
                    if sent.start.is_before(self.board.highest_sacked(self.una)) {
                        effect.note_passed(sent.start);
                    }
                    effect.original_acked |= !sent.end.is_after(self.high);
                    effect.first_sacked_at = effect.first_sacked_at.or(Some(sent.stamp.at));
                    effect.last_sacked_at = Some(sent.stamp.at);
                }
                effect.note_prior(&sent);
                effect.data_sacked = true;
                effect.delivered += 1;
                self.delivered += 1;
                self.board.note_sacked(place);
            }
            if is_duplicate {
                self.board.note_copy_arrived(place);
            }
        }
    }
}

impl Effect {
    fn note_passed(&mut self, start: Seq) {
        self.passed = Some(self.passed.map_or(start, |passed| passed.earlier(start)));
    }
}
