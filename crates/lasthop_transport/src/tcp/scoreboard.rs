use std::collections::VecDeque;

use lasthop_units::Instant;

use super::sequence::Seq;

/// The segments that were sent and are not acknowledged yet, and what is known of them (RFC 6675 section 3, and the
/// tags of the retransmission queue of Linux).
#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    segments: VecDeque<Sent>,
    /// How many arrived out of order; without SACK, how many duplicate acknowledgements stand for one.
    pub(crate) sacked: u32,
    /// How many count as lost, sent again or not.
    pub(crate) lost: u32,
    /// How many are under way for a further time.
    pub(crate) retransmitted: u32,
}

/// A segment that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) start: Seq,
    /// The number after its last, SYN and FIN counted.
    pub(crate) end: Seq,
    /// When it was sent last.
    pub(crate) stamp: Stamp,
    pub(crate) tags: Tags,
    pub(crate) is_syn: bool,
    pub(crate) is_fin: bool,
}

/// When a segment was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) at: Instant,
    /// Its place among all that were sent: the clock stands still while many leave.
    pub(crate) order: u32,
    /// How many segments had been delivered then.
    pub(crate) delivered: u32,
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tags {
    /// The peer has it.
    pub(crate) sacked: bool,
    /// It counts as lost.
    pub(crate) lost: bool,
    /// A further copy is under way.
    pub(crate) retransmitted: bool,
    /// It was sent more than once.
    pub(crate) ever_retransmitted: bool,
}

impl Scoreboard {
    /// How many segments are not acknowledged.
    pub(crate) fn outstanding(&self) -> u32 {
        self.segments.len() as u32
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// How many are in the network, as far as is known (`pipe` of RFC 6675 section 4).
    pub(crate) fn in_flight(&self) -> u32 {
        (self.outstanding() + self.retransmitted).saturating_sub(self.sacked + self.lost)
    }

    pub(crate) fn first(&self) -> Option<&Sent> {
        self.segments.front()
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Sent> {
        self.segments.get(place)
    }

    pub(crate) fn push(&mut self, sent: Sent) {
        self.segments.push_back(sent);
    }

    /// Takes the first segment out, with all that is counted of it.
    pub(crate) fn pop(&mut self, counts_sacks: bool) -> Option<Sent> {
        let sent = self.segments.pop_front()?;
        self.forget(sent.tags, counts_sacks);
        // Room for a few stays: a thin stream comes back at once.
        if self.segments.is_empty() && self.segments.capacity() > 4 {
            self.segments = VecDeque::new();
        }
        Some(sent)
    }

    /// Cuts what is acknowledged off the first segment.
    pub(crate) fn trim_first(&mut self, start: Seq) {
        if let Some(first) = self.segments.front_mut() {
            first.start = start;
        }
    }

    /// Joins the segment behind this one to it, if both are plain data of at most `room` bytes together and the peer's
    /// window lets them through.
    pub(crate) fn join_next(&mut self, place: usize, room: u32, window_end: Seq) -> bool {
        let (Some(this), Some(next)) = (self.get(place).copied(), self.get(place + 1).copied())
        else {
            return false;
        };
        let fits = next.end - this.start <= room + u32::from(next.is_fin);
        if !fits || next.end.is_after(window_end) || this.is_syn || this.is_fin || next.tags.sacked
        {
            return false;
        }
        self.forget(next.tags, true);
        self.segments.remove(place + 1);
        let joined = &mut self.segments[place];
        joined.end = next.end;
        joined.is_fin = next.is_fin;
        joined.tags.ever_retransmitted |= next.tags.ever_retransmitted;
        true
    }

    /// Splits a segment that is longer than a peer takes now.
    pub(crate) fn split(&mut self, place: usize, length: u32) {
        let Some(sent) = self.segments.get_mut(place) else {
            return;
        };
        let mut rest = *sent;
        rest.start = sent.start + length;
        sent.end = rest.start;
        sent.is_fin = false;
        let tags = rest.tags;
        self.segments.insert(place + 1, rest);
        self.sacked += u32::from(tags.sacked);
        self.lost += u32::from(tags.lost);
        self.retransmitted += u32::from(tags.retransmitted);
    }

    /// Counts a segment as lost; one that was sent again is lost again.
    pub(crate) fn mark_lost(&mut self, place: usize) {
        let Some(sent) = self.segments.get_mut(place) else {
            return;
        };
        let tags = &mut sent.tags;
        if tags.sacked {
            return;
        }
        if tags.lost {
            if core::mem::take(&mut tags.retransmitted) {
                self.retransmitted -= 1;
            }
        } else {
            tags.lost = true;
            self.lost += 1;
        }
    }

    /// Takes the judgement back that anything is lost.
    pub(crate) fn unmark_lost(&mut self) {
        for sent in &mut self.segments {
            sent.tags.lost = false;
        }
        self.lost = 0;
    }

    /// Forgets what the peer said that it has (RFC 2018 section 8).
    pub(crate) fn forget_sacks(&mut self) {
        for sent in &mut self.segments {
            sent.tags.sacked = false;
        }
        self.sacked = 0;
    }

    /// Notes that a segment is sent once more.
    pub(crate) fn note_sent_again(&mut self, place: usize, stamp: Stamp, is_probe: bool) {
        let Some(sent) = self.segments.get_mut(place) else {
            return;
        };
        sent.stamp = stamp;
        sent.tags.ever_retransmitted = true;
        if !is_probe && !sent.tags.retransmitted {
            sent.tags.retransmitted = true;
            self.retransmitted += 1;
        }
    }

    /// Notes that the peer has a segment, and returns what was known of it before.
    pub(crate) fn note_sacked(&mut self, place: usize) {
        let Some(sent) = self.segments.get_mut(place) else {
            return;
        };
        let tags = &mut sent.tags;
        if tags.retransmitted {
            // Without the judgement that the first copy is lost, the further copy is still under way.
            if tags.lost {
                tags.lost = false;
                tags.retransmitted = false;
                self.lost -= 1;
                self.retransmitted -= 1;
            }
        } else if core::mem::take(&mut tags.lost) {
            self.lost -= 1;
        }
        tags.sacked = true;
        self.sacked += 1;
    }

    /// Notes that a further copy of a segment has arrived.
    pub(crate) fn note_copy_arrived(&mut self, place: usize) {
        if let Some(sent) = self.segments.get_mut(place)
            && core::mem::take(&mut sent.tags.retransmitted)
        {
            self.retransmitted -= 1;
        }
    }

    /// The number after the last segment that the peer has, or `una` when it has none.
    pub(crate) fn highest_sacked(&self, una: Seq) -> Seq {
        if self.sacked == 0 {
            return una;
        }
        let sacked = self.segments.iter().rev().find(|sent| sent.tags.sacked);
        sacked.map_or(una, |sent| sent.end)
    }

    fn forget(&mut self, tags: Tags, counts_sacks: bool) {
        self.retransmitted -= u32::from(tags.retransmitted);
        self.lost -= u32::from(tags.lost);
        if counts_sacks {
            self.sacked -= u32::from(tags.sacked);
        }
    }
}
