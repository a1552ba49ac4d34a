use std::collections::{BTreeSet, VecDeque};

/// How many connections are under way at a time, so that the backlog of a listener is not run over: what it drops comes
/// again after a second, by the kernel.
const AT_A_TIME: usize = 64;

/// The order in which clients start. Clients that only receive start first. The others start when all of those are
/// ready.
#[derive(Debug)]
pub(super) struct SetUp {
    hearing: VecDeque<u32>,
    speaking: VecDeque<u32>,
    /// Those who only hear, and are not ready.
    unready: BTreeSet<u32>,
    connecting: BTreeSet<u32>,
    has_begun: bool,
}

impl SetUp {
    /// Creates the order from whether each client only receives.
    pub(super) fn of(clients: impl Iterator<Item = bool>) -> Self {
        let (hearing, speaking): (Vec<_>, Vec<_>) =
            clients.zip(0..).partition(|(only_hears, _)| *only_hears);
        let numbers = |clients: &[(bool, u32)]| clients.iter().map(|(_, it)| *it).collect();
        Self {
            unready: hearing.iter().map(|(_, number)| *number).collect(),
            hearing: numbers(&hearing),
            speaking: numbers(&speaking),
            connecting: BTreeSet::new(),
            has_begun: false,
        }
    }

    /// Allows clients to start.
    pub(super) fn begin(&mut self) {
        self.has_begun = true;
    }

    /// Stops further clients from starting.
    pub(super) fn end(&mut self) {
        self.has_begun = false;
    }

    /// Returns the next client to start now.
    pub(super) fn next(&mut self) -> Option<u32> {
        if !self.has_begun || self.connecting.len() >= AT_A_TIME {
            return None;
        }
        let number = match self.hearing.pop_front() {
            None if self.unready.is_empty() => self.speaking.pop_front()?,
            hearing => hearing?,
        };
        self.connecting.insert(number);
        Some(number)
    }

    /// Records that a client's first connection is established or has failed.
    pub(super) fn settled(&mut self, number: u32) {
        self.connecting.remove(&number);
    }

    /// Records that a client has ended, so that no other waits for it.
    pub(super) fn gone(&mut self, number: u32) {
        self.settled(number);
        self.heard_of(number);
    }

    /// Records that a receiving client is ready.
    pub(super) fn heard_of(&mut self, number: u32) {
        self.unready.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(set_up: &mut SetUp) -> Vec<u32> {
        core::iter::from_fn(|| set_up.next()).collect()
    }

    #[test]
    fn who_speaks_waits_for_who_hears_to_be_ready() {
        let mut set_up = SetUp::of([false, true, false, true].into_iter());
        assert!(started(&mut set_up).is_empty());
        set_up.begin();
        assert_eq!(started(&mut set_up), [1, 3]);
        set_up.settled(1);
        set_up.heard_of(1);
        set_up.settled(3);
        assert!(started(&mut set_up).is_empty());
        set_up.heard_of(3);
        assert_eq!(started(&mut set_up), [0, 2]);
    }

    #[test]
    fn so_many_connect_at_a_time() {
        let mut set_up = SetUp::of(core::iter::repeat_n(false, 3 * AT_A_TIME));
        set_up.begin();
        assert_eq!(started(&mut set_up).len(), AT_A_TIME);
        (0..10).for_each(|number| set_up.settled(number));
        assert_eq!(started(&mut set_up).len(), 10);
        set_up.end();
        set_up.settled(20);
        assert!(started(&mut set_up).is_empty());
    }
}
