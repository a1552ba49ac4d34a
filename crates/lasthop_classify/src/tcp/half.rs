use std::collections::VecDeque;

use lasthop_contract::{Cause, Layer};

use super::segment::Segment;
use crate::marks::mark;
use crate::portion::{Portion, Remark};
use crate::stream::StreamParser;

/// One direction of a TCP connection.
#[derive(Debug, Default)]
pub(crate) struct Half {
    /// The number of its SYN.
    syn: Option<u32>,
    /// The number after what was read in order, its upper half counted here.
    next: Option<i64>,
    /// The highest number that the other side has acknowledged.
    acknowledged: Option<i64>,
    /// The number of its FIN.
    fin: Option<i64>,
    /// What came before its time, by number.
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    /// Whether it has sent anything behind its SYN.
    has_spoken: bool,
    /// Whether any of that were data.
    has_data: bool,
    /// Whether the other side has asked whether it is there.
    owes_answer: bool,
}

/// A segment with data or FIN.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The header length.
    pub(crate) header: usize,
    /// Whether the segment is the first SYN and carries data.
    pub(crate) is_set_up: bool,
    pub(crate) seq: u32,
    pub(crate) kept: Vec<u8>,
    pub(crate) length: usize,
    pub(crate) has_fin: bool,
    pub(crate) portion: Portion,
}

#[derive(Debug)]
struct Waiting {
    from: i64,
    /// Whether the other side had said that it has it.
    is_in_vain: bool,
    arrival: Arrival,
}

/// What a hole is waited with at most.
const MOST_WAITING_BYTES: usize = 1 << 20;
const MOST_WAITING: usize = 4096;

/// No window is larger (RFC 7323 section 2.3).
const LARGEST_WINDOW: i64 = 1 << 30;

/// Numbers count from here, so that what comes before the first is none below zero.
const ORIGIN: i64 = 1 << 40;

impl Half {
    /// Whether a SYN belongs to another connection than the known one.
    pub(crate) fn is_another(&self, seq: u32) -> bool {
        match self.syn {
            Some(syn) => syn != seq,
            None => self.next.is_some(),
        }
    }

    /// Returns the sequence number of the SYN, if it was captured.
    pub(crate) const fn syn(&self) -> Option<u32> {
        self.syn
    }

    /// Whether this side has sent anything after its SYN.
    pub(crate) const fn has_spoken(&self) -> bool {
        self.has_spoken
    }

    /// Records a SYN. Returns whether it was sent before.
    pub(crate) fn note_syn(&mut self, seq: u32) -> bool {
        let again = self.syn == Some(seq);
        if !again {
            self.syn = Some(seq);
            self.next = Some(ORIGIN + i64::from(seq) + 1);
        }
        again
    }

    /// Whether a segment is a keep-alive: one acknowledged byte sent again (RFC 1122 section 4.2.3.6).
    pub(crate) fn is_probe(&self, segment: &Segment<'_>) -> bool {
        let seq = self.next.map(|next| number(next, segment.seq));
        segment.length == 1
            && !segment.has_fin
            && seq.is_some()
            && seq.map(|seq| seq + 1) == self.acknowledged
            && self.acknowledged == self.next
    }

    /// Records that the other side must answer a keep-alive.
    pub(crate) fn owe_answer(&mut self) {
        self.owes_answer = true;
    }

    /// Returns the purpose of a segment without data.
    pub(crate) fn cause_of_empty(&mut self, other: &mut Self, seq: u32) -> Cause {
        let next = *self.next.get_or_insert(ORIGIN + i64::from(seq));
        let is_probe = match self.acknowledged {
            Some(acknowledged) => number(next, seq) + 1 == acknowledged,
            None => number(next, seq) + 1 == next && self.has_spoken,
        };
        let ends_handshake = self.syn.is_some() && other.syn.is_some() && !self.has_spoken;
        self.has_spoken = true;
        if is_probe {
            other.owes_answer = true;
            Cause::KeepAlive
        } else if core::mem::take(&mut self.owes_answer) {
            Cause::KeepAlive
        } else if ends_handshake && self.opened(other) {
            Cause::SessionSetUp
        } else if other.has_ended() {
            Cause::SessionTearDown
        } else {
            Cause::Acknowledgement
        }
    }

    /// Processes a segment with data or FIN.
    pub(crate) fn handle(
        &mut self,
        arrival: Arrival,
        stream: &mut StreamParser,
        told: &mut VecDeque<Portion>,
    ) {
        self.has_spoken = true;
        self.owes_answer = false;
        let next = *self.next.get_or_insert(ORIGIN + i64::from(arrival.seq));
        if !self.has_data && self.syn.is_none() {
            stream.begin_within();
        }
        self.has_data = true;
        let from = number(next, arrival.seq);
        let end = from + arrival.length as i64 + i64::from(arrival.has_fin);
        if end < next - LARGEST_WINDOW || from > next + LARGEST_WINDOW {
            // A number that no window lets through: a stray of another connection.
            told.push_back(arrival.opaque());
            return;
        }
        let is_in_vain = self
            .acknowledged
            .is_some_and(|acknowledged| end <= acknowledged);
        let waiting = Waiting {
            from,
            is_in_vain,
            arrival,
        };
        if from <= next {
            self.tell(waiting, stream, told);
            self.tell_what_joins(stream, told);
            return;
        }
        self.waiting_bytes += waiting.arrival.length;
        let place = self.waiting.partition_point(|other| other.from <= from);
        self.waiting.insert(place, waiting);
        while self.waiting_bytes > MOST_WAITING_BYTES || self.waiting.len() > MOST_WAITING {
            self.skip_hole(stream, told);
        }
    }

    /// Records an acknowledgement by the other side.
    pub(crate) fn note_acknowledged(
        &mut self,
        ack: u32,
        stream: &mut StreamParser,
        told: &mut VecDeque<Portion>,
    ) {
        let Some(mut next) = self.next else {
            self.next = Some(ORIGIN + i64::from(ack));
            return;
        };
        let ack = number(next, ack);
        if (ack - next).abs() > LARGEST_WINDOW {
            return;
        }
        while next < ack {
            match self.waiting.front() {
                Some(first) if first.from <= ack => self.skip_hole(stream, told),
                _ => {
                    stream.skip((ack - next) as usize);
                    self.next = Some(ack);
                }
            }
            next = self.next.unwrap_or(ack);
        }
        self.acknowledged = self.acknowledged.max(Some(ack));
    }

    /// Reports all waiting packets, in spite of gaps between them.
    pub(crate) fn give_up(&mut self, stream: &mut StreamParser, told: &mut VecDeque<Portion>) {
        while !self.waiting.is_empty() {
            self.skip_hole(stream, told);
        }
    }

    /// Whether it sent its SYN first, as far as numbers tell: the other's came as an answer.
    fn opened(&self, other: &Self) -> bool {
        !other.has_spoken
    }

    /// Whether all data of this side was captured, with its FIN.
    pub(crate) fn has_ended(&self) -> bool {
        self.fin.is_some_and(|fin| self.next > Some(fin))
    }

    /// Goes on behind the hole before the first that waits.
    fn skip_hole(&mut self, stream: &mut StreamParser, told: &mut VecDeque<Portion>) {
        if let (Some(next), Some(first)) = (self.next, self.waiting.front())
            && first.from > next
        {
            stream.skip((first.from - next) as usize);
            self.next = Some(first.from);
        }
        self.tell_what_joins(stream, told);
    }

    fn tell_what_joins(&mut self, stream: &mut StreamParser, told: &mut VecDeque<Portion>) {
        while let Some(waiting) = self
            .waiting
            .pop_front_if(|first| Some(first.from) <= self.next)
        {
            self.waiting_bytes -= waiting.arrival.length;
            self.tell(waiting, stream, told);
        }
    }

    /// Tells of a segment before whose beginning nothing is missing.
    fn tell(&mut self, waiting: Waiting, stream: &mut StreamParser, told: &mut VecDeque<Portion>) {
        let Waiting {
            from,
            is_in_vain,
            arrival,
        } = waiting;
        let next = self.next.unwrap_or(from);
        let data_end = from + arrival.length as i64;
        let end = data_end + i64::from(arrival.has_fin);
        let is_again = end <= next;
        let repeated = (next.min(data_end) - from).max(0) as usize;
        let mut portion = arrival.portion;
        let header = match (is_again, arrival.length) {
            _ if arrival.is_set_up => Cause::SessionSetUp,
            (true, _) => Cause::Retransmission,
            (false, 0) => Cause::SessionTearDown,
            (false, _) => Cause::Header,
        };
        if is_again {
            portion.remark = match is_in_vain {
                true => Remark::RepeatedInVain,
                false => Remark::Repeated,
            };
        }
        let spans = &mut portion.spans;
        mark(spans, Layer::Tcp, header, arrival.header);
        mark(spans, Layer::Tcp, Cause::Retransmission, repeated);
        let fresh = arrival.kept.get(repeated..).unwrap_or_default();
        if repeated < arrival.length {
            stream.take(fresh, arrival.length - repeated, &mut portion);
        }
        if arrival.has_fin {
            self.fin = Some(data_end);
        }
        self.next = Some(next.max(end));
        told.push_back(portion);
    }
}

impl Arrival {
    /// A segment that belongs to nothing.
    fn opaque(self) -> Portion {
        let mut portion = self.portion;
        mark(&mut portion.spans, Layer::Tcp, Cause::Opaque, self.header);
        mark(
            &mut portion.spans,
            Layer::Application,
            Cause::Opaque,
            self.length,
        );
        portion
    }
}

/// A number of the header as one that never wraps, near another.
fn number(near: i64, seq: u32) -> i64 {
    near + i64::from(seq.wrapping_sub(near as u32) as i32)
}
