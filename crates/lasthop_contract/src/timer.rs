use std::collections::BTreeSet;

use lasthop_units::Instant;

/// The deadlines of many things that share one host: one queue, at most one deadline for a key and instant.
///
/// Arming and disarming cost the logarithm of what is armed; what is idle costs nothing.
#[derive(Clone, Debug)]
pub struct TimerQueue<K> {
    armed: BTreeSet<(Instant, K)>,
}

impl<K: Ord + Copy> TimerQueue<K> {
    /// A queue with nothing armed.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            armed: BTreeSet::new(),
        }
    }

    /// Arms a deadline.
    pub fn arm(&mut self, at: Instant, key: K) {
        self.armed.insert((at, key));
    }

    /// Takes an armed deadline back.
    pub fn disarm(&mut self, at: Instant, key: K) {
        self.armed.remove(&(at, key));
        self.give_back();
    }

    /// The earliest deadline.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.armed.first().map(|(at, _)| *at)
    }

    /// Takes out the earliest key whose deadline has come. Equal deadlines come in the order of their keys.
    pub fn pop_due(&mut self, now: Instant) -> Option<K> {
        if self.next_deadline()? > now {
            return None;
        }
        let first = self.armed.pop_first();
        self.give_back();
        first.map(|(_, key)| key)
    }

    /// A tree keeps a node when it is empty; what is idle is to hold nothing.
    fn give_back(&mut self) {
        if self.armed.is_empty() {
            self.armed = BTreeSet::new();
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
