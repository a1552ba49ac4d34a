use lasthop_units::Instant;

/// The one armed wake-up of each machine, earliest first: a four-ary heap that knows where each machine is.
///
/// Arming replaces in place, so a superseded deadline costs no event, and the heap is never larger than the
/// number of machines that wait.
#[derive(Debug, Default)]
pub(crate) struct WakeUpQueue {
    heap: Vec<WakeUp>,
    /// Place in the heap of each link and of each host.
    places: [Vec<u32>; 2],
}

// IMPORTANT: the order of these fields and of the variants of `Machine` is the order of events: by time,
// links before hosts (a packet that arrives now is seen by a timeout of now), then by number. Changing it
// changes results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WakeUp {
    pub(crate) at: Instant,
    pub(crate) who: Machine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Machine {
    Link(u32),
    Host(u32),
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

    pub(crate) fn first(&self) -> Option<WakeUp> {
        self.heap.first().copied()
    }

    /// Arms, replaces or (with `None`) disarms the wake-up of a machine.
    pub(crate) fn arm(&mut self, who: Machine, at: Option<Instant>) {
        let place = *self.place(who);
        match (place, at) {
            (NOWHERE, None) => {}
            (NOWHERE, Some(at)) => {
                self.heap.push(WakeUp { at, who });
                self.rise(self.heap.len() - 1);
            }
            (place, Some(at)) => {
                let place = place as usize;
                let before = self.heap[place].at;
                self.heap[place].at = at;
                if at < before {
                    self.rise(place);
                } else if at > before {
                    self.sink(place);
                }
            }
            (place, None) => {
                *self.place(who) = NOWHERE;
                let last = self.heap.pop().expect("a placed machine is in the heap");
                if last.who != who {
                    let place = place as usize;
                    self.put(place, last);
                    self.sink(place);
                    self.rise(place);
                }
            }
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
        loop {
            let first = place * ARITY + 1;
            let last = (first + ARITY).min(self.heap.len());
            let Some(child) = (first..last).min_by_key(|child| self.heap[*child]) else {
                break;
            };
            if self.heap[child] >= moved {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, moved);
    }

    fn put(&mut self, place: usize, wake_up: WakeUp) {
        self.heap[place] = wake_up;
        *self.place(wake_up.who) = place as u32;
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

    #[test]
    fn behaves_as_a_sorted_set_of_deadlines_does() {
        let mut queue = WakeUpQueue::default();
        let machines: Vec<Machine> = (0..20)
            .map(Machine::Link)
            .chain((0..20).map(Machine::Host))
            .collect();
        for who in &machines {
            queue.add(*who);
        }
        let mut model: BTreeSet<WakeUp> = BTreeSet::new();
        let mut random = RandomStream::named(1, "queue");
        for _ in 0..20_000 {
            let who = machines[random.below(40) as usize];
            let at = (random.below(4) > 0).then(|| Instant::from_nanos(random.below(50)));
            queue.arm(who, at);
            model.retain(|wake_up| wake_up.who != who);
            model.extend(at.map(|at| WakeUp { at, who }));
            assert_eq!(queue.first(), model.first().copied());
        }
        while let Some(first) = queue.first() {
            assert_eq!(Some(first), model.pop_first());
            queue.arm(first.who, None);
        }
        assert!(model.is_empty());
    }
}
