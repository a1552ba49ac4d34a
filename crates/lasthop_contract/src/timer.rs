use std::collections::BTreeSet;

use lasthop_units::Instant;

/// A queue of deadlines for many items of one host. It has at most one deadline for a key and instant.
///
/// Arming and disarming cost the logarithm of what is armed. A device has one thing to wait for as a rule: it
/// lies in the queue itself, and what is idle holds nothing.
#[derive(Clone, Debug)]
pub struct TimerQueue<K> {
    armed: Armed<K>,
}

#[derive(Clone, Debug)]
enum Armed<K> {
    None,
    One(Instant, K),
    /// Never empty.
    #[expect(
        clippy::box_collection,
        reason = "what few have is to take little room"
    )]
    Many(Box<BTreeSet<(Instant, K)>>),
}

impl<K: Ord + Copy> TimerQueue<K> {
    /// Creates an empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self { armed: Armed::None }
    }

    /// Arms a deadline.
    pub fn arm(&mut self, at: Instant, key: K) {
        match &mut self.armed {
            Armed::None => self.armed = Armed::One(at, key),
            Armed::One(first, other) => {
                let both = BTreeSet::from([(*first, *other), (at, key)]);
                self.armed = Armed::Many(Box::new(both));
            }
            Armed::Many(armed) => {
                armed.insert((at, key));
            }
        }
    }

    /// Removes a deadline that was armed.
    pub fn disarm(&mut self, at: Instant, key: K) {
        match &mut self.armed {
            Armed::One(first, one) if (*first, *one) == (at, key) => self.armed = Armed::None,
            Armed::None | Armed::One(..) => {}
            Armed::Many(armed) => {
                armed.remove(&(at, key));
                self.give_back();
            }
        }
    }

    /// Returns the earliest deadline.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        match &self.armed {
            Armed::None => None,
            Armed::One(at, _) => Some(*at),
            Armed::Many(armed) => armed.first().map(|(at, _)| *at),
        }
    }

    /// Removes and returns the earliest key whose deadline has passed. Equal deadlines follow the order of keys.
    #[inline]
    pub fn pop_due(&mut self, now: Instant) -> Option<K> {
        match &mut self.armed {
            Armed::One(at, key) if *at <= now => {
                let key = *key;
                self.armed = Armed::None;
                Some(key)
            }
            Armed::Many(_) => self.pop_due_of_many(now),
            Armed::None | Armed::One(..) => None,
        }
    }

    fn pop_due_of_many(&mut self, now: Instant) -> Option<K> {
        let Armed::Many(armed) = &mut self.armed else {
            return None;
        };
        armed.first().filter(|(at, _)| *at <= now)?;
        let first = armed.pop_first();
        self.give_back();
        first.map(|(_, key)| key)
    }

    /// A tree keeps a node when it is empty.
    fn give_back(&mut self) {
        if matches!(&self.armed, Armed::Many(armed) if armed.is_empty()) {
            self.armed = Armed::None;
        }
    }
}

impl<K: Ord + Copy> Default for TimerQueue<K> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_keys_in_the_order_of_their_deadlines() {
        let mut timers = TimerQueue::new();
        let at = Instant::from_nanos;
        timers.arm(at(20), 'b');
        timers.arm(at(10), 'z');
        timers.arm(at(20), 'a');
        timers.disarm(at(20), 'b');
        assert_eq!(timers.next_deadline(), Some(at(10)));
        assert_eq!(timers.pop_due(at(5)), None);
        assert_eq!(timers.pop_due(at(20)), Some('z'));
        assert_eq!(timers.pop_due(at(20)), Some('a'));
        assert_eq!(timers.pop_due(at(20)), None);
    }
}
