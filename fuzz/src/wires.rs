use std::collections::VecDeque;

use crate::script::Script;

/// Datagrams under way from each of two ends, and what may befall them.
#[derive(Default)]
pub(crate) struct Wires([VecDeque<Vec<u8>>; 2]);

/// How many datagrams an end may have under way before it is a flood.
const MOST_UNDER_WAY: usize = 2_000;

impl Wires {
    /// Sends a datagram from an end.
    pub(crate) fn push(&mut self, side: usize, datagram: Vec<u8>) {
        self.0[side].push_back(datagram);
        assert!(self.0[side].len() < MOST_UNDER_WAY, "a flood");
    }

    /// Takes the datagram that arrives next from an end.
    pub(crate) fn pop(&mut self, side: usize) -> Option<Vec<u8>> {
        self.0[side].pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(VecDeque::is_empty)
    }

    /// Does something to the datagrams under way from an end: operations 8 to 15.
    pub(crate) fn meddle(&mut self, operation: u8, side: usize, script: &mut Script<'_>) {
        let wire = &mut self.0[side];
        let place = match wire.len() {
            0 => 0,
            length => usize::from(script.byte()) % length,
        };
        match (operation, wire.get_mut(place)) {
            (8, Some(datagram)) if !datagram.is_empty() => {
                let at = usize::from(script.word()) % datagram.len();
                datagram[at] ^= script.byte();
            }
            (9, Some(datagram)) => datagram.truncate(script.word().into()),
            (10, Some(datagram)) => {
                let again = datagram.clone();
                wire.push_back(again);
            }
            (11, Some(_)) => {
                wire.remove(place);
            }
            (12, Some(_)) => wire.swap(0, place),
            (13, Some(datagram)) => {
                let more = script.slice();
                datagram.extend(more);
            }
            (14, _) => wire.push_back(script.slice().to_vec()),
            (15, Some(datagram)) => {
                let next = datagram.clone();
                let at = usize::from(script.word()) % (next.len() + 1);
                let with = [&next[..at], script.slice(), &next[at..]].concat();
                *datagram = with;
            }
            _ => {}
        }
    }
}
