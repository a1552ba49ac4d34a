use lasthop_units::{Duration, Instant};

/// The armed wake-up of each machine, earliest first. It is a four-ary heap that knows the position of each machine.
///
/// Arming replaces in place, so a superseded deadline costs no event, and the heap is never larger than the
/// number of machines that wait.
#[derive(Debug, Default)]
pub(crate) struct WakeUpQueue {
    heap: Vec<Rank>,
    /// Place in the heap of each link and of each host.
    places: [Vec<u32>; 2],
    /// The part of each link and of each host; without them all belong to one.
    parts: [Vec<u32>; 2],
}

/// The next event of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WakeUp {
    pub(crate) at: Instant,
    pub(crate) part: u32,
    pub(crate) who: Machine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    Link(u32),
    Host(u32),
}

/// The maximum time that a part runs before the next part runs.
pub(crate) const WINDOW: Duration = Duration::from_nanos(1 << LOW_BITS);

/// A wake-up as one number, because comparing is most of what the heap does.
///
/// IMPORTANT: this is the order of events: by time, links before hosts (a packet that arrives now is seen by a
/// timeout of now), then by number. Where there are parts, one goes through a whole window of time before the
/// next one does. Changing it changes results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u128);

// From the highest bit on: the window; the part; the time in the window; the kind of machine and its number.
const LOW_BITS: u32 = 33;
const PART_BITS: u32 = 31;
const WHO_BITS: u32 = 33;
const LOW_MASK: u64 = (1 << LOW_BITS) - 1;

impl Rank {
    fn of(WakeUp { at, part, who }: WakeUp) -> Self {
        let (kind, number) = match who {
            Machine::Link(number) => (0, number),
            Machine::Host(number) => (1, number),
        };
        let (window, low) = (at.as_nanos() >> LOW_BITS, at.as_nanos() & LOW_MASK);
        let time = u128::from(window) << PART_BITS | u128::from(part);
        let time = time << LOW_BITS | u128::from(low);
        Self(time << WHO_BITS | kind << 32 | u128::from(number))
    }

    fn wake_up(self) -> WakeUp {
        let time = self.0 >> WHO_BITS;
        let window = (time >> (LOW_BITS + PART_BITS)) as u64;
        let part = (time >> LOW_BITS) as u32 & ((1 << PART_BITS) - 1);
        WakeUp {
            at: Instant::from_nanos(window << LOW_BITS | time as u64 & LOW_MASK),
            part,
            who: self.who(),
        }
    }

    fn who(self) -> Machine {
        let number = self.0 as u32;
        if self.0 & 1 << 32 == 0 {
            Machine::Link(number)
        } else {
            Machine::Host(number)
        }
    }
}

const NOWHERE: u32 = u32::MAX;
const ARITY: usize = 4;

impl WakeUpQueue {
    /// Makes room for a machine, which must be the next of its kind.
    pub(crate) fn add(&mut self, who: Machine) {
        let (places, index) = self.places_of(who);
        debug_assert_eq!(places.len(), index);
        places.push(NOWHERE);
    }

    /// Orders events by part from now on: of each link, and of each host.
    pub(crate) fn order_by_parts(&mut self, parts: [Vec<u32>; 2]) {
        self.parts = parts;
        self.sort_anew();
    }

    /// Orders events by time alone from now on.
    pub(crate) fn order_by_time(&mut self) {
        self.order_by_parts([Vec::new(), Vec::new()]);
    }

    /// Whether events are ordered by part, so that an event can come before an earlier one of another part.
    pub(crate) fn has_parts(&self) -> bool {
        !self.parts[1].is_empty()
    }

    pub(crate) fn first(&self) -> Option<WakeUp> {
        self.heap.first().map(|rank| rank.wake_up())
    }

    /// Arms, replaces or (with `None`) disarms the wake-up of a machine.
    pub(crate) fn arm(&mut self, who: Machine, at: Option<Instant>) {
        let place = *self.place(who);
        let rank = at.map(|at| self.rank(at, who));
        match (place, rank) {
            (NOWHERE, None) => {}
            (NOWHERE, Some(rank)) => {
                self.heap.push(rank);
                self.rise(self.heap.len() - 1);
            }
            (place, Some(rank)) => {
                let place = place as usize;
                let before = self.heap[place];
                self.heap[place] = rank;
                if rank < before {
                    self.rise(place);
                } else if rank > before {
                    self.sink(place);
                }
            }
            (place, None) => {
                *self.place(who) = NOWHERE;
                let last = self.heap.pop().expect("a placed machine is in the heap");
                if last.who() != who {
                    let place = place as usize;
                    self.put(place, last);
                    self.sink(place);
                    self.rise(place);
                }
            }
        }
    }

    fn rank(&self, at: Instant, who: Machine) -> Rank {
        let (parts, index) = match who {
            Machine::Link(index) => (&self.parts[0], index as usize),
            Machine::Host(index) => (&self.parts[1], index as usize),
        };
        let part = parts.get(index).copied().unwrap_or(0);
        Rank::of(WakeUp { at, part, who })
    }

    fn sort_anew(&mut self) {
        let mut heap = core::mem::take(&mut self.heap);
        for rank in &mut heap {
            let WakeUp { at, who, .. } = rank.wake_up();
            *rank = self.rank(at, who);
        }
        // What is sorted is a heap.
        heap.sort_unstable();
        self.heap = heap;
        for place in 0..self.heap.len() {
            self.put(place, self.heap[place]);
        }
    }

    fn rise(&mut self, mut place: usize) {
        let moved = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.heap[parent] <= moved {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, moved);
    }

    fn sink(&mut self, mut place: usize) {
        let moved = self.heap[place];
        while let Some((child, first)) = self.first_child(place)
            && first < moved
        {
            self.put(place, first);
            place = child;
        }
        self.put(place, moved);
    }

    /// The earliest of the children of a place, and where it is.
    fn first_child(&self, place: usize) -> Option<(usize, Rank)> {
        let from = place * ARITY + 1;
        let children = self.heap.get(from..)?;
        let earlier = |one: (usize, Rank), other: (usize, Rank)| match other.1 < one.1 {
            true => other,
            false => one,
        };
        if let Some([a, b, c, d]) = children.first_chunk::<ARITY>() {
            let first = earlier((from, *a), (from + 1, *b));
            return Some(earlier(first, earlier((from + 2, *c), (from + 3, *d))));
        }
        (from..).zip(children.iter().copied()).reduce(earlier)
    }

    fn put(&mut self, place: usize, rank: Rank) {
        self.heap[place] = rank;
        *self.place(rank.who()) = place as u32;
    }

    fn place(&mut self, who: Machine) -> &mut u32 {
        let (places, index) = self.places_of(who);
        &mut places[index]
    }

    fn places_of(&mut self, who: Machine) -> (&mut Vec<u32>, usize) {
        match who {
            Machine::Link(index) => (&mut self.places[0], index as usize),
            Machine::Host(index) => (&mut self.places[1], index as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lasthop_contract::RandomStream;

    use super::*;

    /// Arms and disarms at random and compares with a sorted set, whose order is given.
    fn compare<K: Ord>(queue: &mut WakeUpQueue, key: impl Fn(Instant, Machine) -> K) {
        let machines: Vec<Machine> = (0..20)
            .map(Machine::Link)
            .chain((0..20).map(Machine::Host))
            .collect();
        let mut model: BTreeSet<(K, u64, u32)> = BTreeSet::new();
        let mut random = RandomStream::named(1, "queue");
        for step in 0..20_000 {
            let index = random.below(40) as u32;
            let who = machines[index as usize];
            let at = (random.below(4) > 0 && step < 19_900)
                .then(|| Instant::from_nanos(random.below(50) << (LOW_BITS - 3)));
            queue.arm(who, at);
            model.retain(|(_, _, armed)| *armed != index);
            model.extend(at.map(|at| (key(at, who), at.as_nanos(), index)));
            let first = queue.first().map(|first| (first.at.as_nanos(), first.who));
            let expected = model
                .first()
                .map(|(_, at, index)| (*at, machines[*index as usize]));
            assert_eq!(first, expected);
        }
        while let Some(first) = queue.first() {
            let expected = model
                .pop_first()
                .map(|(_, at, index)| (at, machines[index as usize]));
            assert_eq!(Some((first.at.as_nanos(), first.who)), expected);
            queue.arm(first.who, None);
        }
        assert!(model.is_empty());
    }

    fn queue() -> WakeUpQueue {
        let mut queue = WakeUpQueue::default();
        for number in 0..20 {
            queue.add(Machine::Link(number));
            queue.add(Machine::Host(number));
        }
        queue
    }

    fn kind_and_number(who: Machine) -> (u8, u32) {
        match who {
            Machine::Link(number) => (0, number),
            Machine::Host(number) => (1, number),
        }
    }

    #[test]
    fn events_come_by_time_then_links_before_hosts_then_by_number() {
        compare(&mut queue(), |at, who| (at, kind_and_number(who)));
    }

    #[test]
    fn with_parts_each_goes_through_a_window_by_itself() {
        let part_of = |number: u32| number % 3;
        let parts = || (0..20).map(part_of).collect();
        let mut queue = queue();
        queue.order_by_parts([parts(), parts()]);
        compare(&mut queue, |at, who| {
            let (kind, number) = kind_and_number(who);
            let window = at.as_nanos() / WINDOW.as_nanos();
            (window, part_of(number), at, kind, number)
        });
    }

    #[test]
    fn the_order_can_change_while_machines_wait() {
        let mut queue = queue();
        queue.order_by_parts([vec![0; 20], (0..20).rev().collect()]);
        for number in 0..20 {
            let at = Instant::from_nanos(u64::from(number) + 1);
            queue.arm(Machine::Host(number), Some(at));
        }
        assert_eq!(
            queue.first().map(|first| first.who),
            Some(Machine::Host(19))
        );
        queue.order_by_time();
        for number in 0..20 {
            let who = Machine::Host(number);
            assert_eq!(queue.first().map(|first| first.who), Some(who));
            queue.arm(who, None);
        }
    }
}
