use core::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use lasthop_contract::{Direction, Packet};
use lasthop_units::Instant;

/// The packets in a link, each with the time of its next stage; they come out by (time, order of entry).
///
/// A packet that is not before the last one in line joins the line, at constant cost; the others go to a heap.
/// With a constant delay the heap stays empty and holds no memory.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    line: VecDeque<Entry>,
    heap: BinaryHeap<Reverse<Entry>>,
    entered: u64,
}

/// A packet on its way through a pipeline.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) packet: Packet,
    /// Which of the two pipelines.
    pub(crate) direction: Direction,
    /// The index of the next step there.
    pub(crate) next: u8,
}

/// A held packet with the time of its next stage and its place among those of that time.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) at: Instant,
    /// In steps of two, so that a copy has a place right behind its original.
    sequence: u64,
    pub(crate) held: Held,
}

#[derive(Clone, Copy)]
enum Place {
    Line,
    Heap,
}

impl InFlight {
    /// Takes in a packet that waits until an instant.
    #[inline]
    pub(crate) fn push(&mut self, at: Instant, held: Held) {
        let entry = self.entry(at, held);
        self.insert(entry);
    }

    /// Takes a packet back in with a copy behind it. Both go on before all others of this instant, so that no
    /// packet overtakes them.
    pub(crate) fn resume_twice(&mut self, original: Entry) {
        let copy = Entry {
            at: original.at,
            sequence: original.sequence + 1,
            held: Held {
                packet: original.held.packet.duplicate(),
                ..original.held
            },
        };
        self.insert(original);
        self.insert(copy);
    }

    /// Takes out the next packet if its time has come, or tells when it will.
    #[inline]
    pub(crate) fn pop_due(&mut self, now: Instant) -> Result<Entry, Option<Instant>> {
        let Some((at, place)) = self.first() else {
            return Err(None);
        };
        if at > now {
            return Err(Some(at));
        }
        let entry = match place {
            Place::Line => self.line.pop_front(),
            Place::Heap => self.heap.pop().map(|Reverse(entry)| entry),
        };
        entry.ok_or(None)
    }

    /// Whether a packet is due.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.first().is_some_and(|(at, _)| at <= now)
    }

    /// The place of a packet that is at its next stage at this instant.
    #[inline]
    pub(crate) fn entry(&mut self, at: Instant, held: Held) -> Entry {
        self.entered += 2;
        Entry {
            at,
            sequence: self.entered,
            held,
        }
    }

    /// How many packets go a way.
    pub(crate) fn count(&self, direction: Direction) -> usize {
        let heap = self.heap.iter().map(|Reverse(entry)| entry);
        self.line
            .iter()
            .chain(heap)
            .filter(|entry| entry.held.direction == direction)
            .count()
    }

    #[inline(always)]
    fn insert(&mut self, entry: Entry) {
        if self.line.back().is_none_or(|last| *last < entry) {
            self.line.push_back(entry);
        } else {
            self.heap.push(Reverse(entry));
        }
    }

    #[inline]
    fn first(&self) -> Option<(Instant, Place)> {
        match (self.line.front(), self.heap.peek()) {
            (Some(line), Some(Reverse(heap))) if heap < line => Some((heap.at, Place::Heap)),
            (Some(line), _) => Some((line.at, Place::Line)),
            (None, Some(Reverse(heap))) => Some((heap.at, Place::Heap)),
            (None, None) => None,
        }
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
    fn lt(&self, other: &Self) -> bool {
        self.at < other.at || (self.at == other.at && self.sequence < other.sequence)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_out_by_time_and_then_by_entry() {
        let mut flight = InFlight::default();
        let held = |next| Held {
            packet: Packet::new(),
            direction: Direction::Up,
            next,
        };
        let at = Instant::from_nanos;
        for (index, time) in [30, 10, 30, 20, 10, 40].into_iter().enumerate() {
            flight.push(at(time), held(index as u8));
        }
        assert!(flight.is_due(at(10)) && !flight.is_due(at(9)));
        let mut order = Vec::new();
        while let Ok(entry) = flight.pop_due(at(30)) {
            order.push(entry.held.next);
        }
        assert_eq!(order, [1, 4, 3, 0, 2]);
        assert_eq!(flight.pop_due(at(30)).err(), Some(Some(at(40))));
        assert_eq!(flight.count(Direction::Up), 1);
    }
}
