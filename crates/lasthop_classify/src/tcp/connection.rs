use std::collections::VecDeque;

use lasthop_contract::{Cause, Direction, Layer};

use super::half::{Arrival, Half};
use super::segment::Segment;
use crate::conversation::Conversation;
use crate::marks::mark;
use crate::portion::{Portion, Remark};
use crate::ports::Ports;
use crate::stream::Streams;

/// A TCP connection, or consecutive connections between the same two ports.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    /// What each side sends, by direction.
    halves: [Half; 2],
    streams: Streams,
    was_reset: bool,
}

impl Connection {
    /// Processes a segment. `portion` has the bytes below TCP.
    pub(crate) fn handle(
        &mut self,
        conversation: &mut Conversation,
        ports: &Ports,
        mut portion: Portion,
        segment: &Segment<'_>,
        told: &mut VecDeque<Portion>,
    ) {
        let direction = portion.direction;
        self.begin_anew(direction, segment, told);
        if segment.has_ack && !segment.has_rst {
            self.note_acknowledgement(direction, segment.ack, told);
        }
        let (half, other) = self.halves(direction);
        if segment.has_rst {
            mark(
                &mut portion.spans,
                Layer::Tcp,
                Cause::SessionTearDown,
                segment.header,
            );
            mark(
                &mut portion.spans,
                Layer::Application,
                Cause::Opaque,
                segment.length,
            );
            told.push_back(portion);
            self.give_up(told);
            self.was_reset = true;
            return;
        }
        if segment.has_syn && segment.length == 0 {
            let again = half.note_syn(segment.seq);
            let cause = if again {
                portion.remark = Remark::Repeated;
                Cause::Retransmission
            } else {
                Cause::SessionSetUp
            };
            mark(&mut portion.spans, Layer::Tcp, cause, segment.header);
            told.push_back(portion);
            return;
        }
        if segment.length == 0 && !segment.has_fin {
            let cause = half.cause_of_empty(other, segment.seq);
            mark(&mut portion.spans, Layer::Tcp, cause, segment.header);
            told.push_back(portion);
            return;
        }
        if half.is_probe(segment) {
            mark(
                &mut portion.spans,
                Layer::Tcp,
                Cause::KeepAlive,
                segment.header + segment.length,
            );
            other.owe_answer();
            told.push_back(portion);
            return;
        }
        self.streams.recognise(conversation, ports, segment.kept);
        let half = &mut self.halves[direction as usize];
        let set_up = segment.has_syn && !half.note_syn(segment.seq);
        let arrival = Arrival {
            header: segment.header,
            is_set_up: set_up,
            seq: segment.seq.wrapping_add(u32::from(segment.has_syn)),
            kept: segment.kept.to_vec(),
            length: segment.length,
            has_fin: segment.has_fin,
            portion,
        };
        half.handle(arrival, self.streams.of(direction), told);
    }

    /// Reports all waiting packets.
    pub(crate) fn give_up(&mut self, told: &mut VecDeque<Portion>) {
        for direction in Direction::ALL {
            let half = &mut self.halves[direction as usize];
            half.give_up(self.streams.of(direction), told);
        }
    }

    /// A SYN of another number begins another connection; so does one of the same number where the connection is over, as of
    /// a host that was off and chooses its numbers as before.
    fn begin_anew(
        &mut self,
        direction: Direction,
        segment: &Segment<'_>,
        told: &mut VecDeque<Portion>,
    ) {
        if !segment.has_syn || segment.has_rst {
            return;
        }
        let (half, other) = self.halves(direction);
        let is_another = half.is_another(segment.seq);
        // An answer of another number to an old SYN: who opened it was off, and so begins anew.
        let old = other
            .syn()
            .filter(|_| segment.has_ack && other.has_spoken());
        if is_another && segment.has_ack && old.is_none() {
            self.halves[direction as usize].give_up(self.streams.of(direction), told);
            self.halves[direction as usize] = Half::default();
        } else if is_another || !segment.has_ack && self.is_over() {
            self.give_up(told);
            *self = Self::default();
            if let Some(syn) = old {
                self.halves(direction).1.note_syn(syn);
            }
        }
    }

    fn is_over(&self) -> bool {
        self.was_reset || self.halves.iter().all(Half::has_ended)
    }

    /// What one side says it has, the other has sent: what is missing of it, the capture lacks.
    fn note_acknowledgement(&mut self, by: Direction, ack: u32, told: &mut VecDeque<Portion>) {
        let of = match by {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
        };
        self.halves[of as usize].note_acknowledged(ack, self.streams.of(of), told);
    }

    fn halves(&mut self, direction: Direction) -> (&mut Half, &mut Half) {
        let [up, down] = &mut self.halves;
        match direction {
            Direction::Up => (up, down),
            Direction::Down => (down, up),
        }
    }
}
