use lasthop_contract::ShortQueue;
use lasthop_units::{DataSize, Instant};
use serde::{Deserialize, Serialize};

use super::Server;

/// The limit of a queue before a bottleneck. The packet in service does not count.
///
/// A packet that finds too little room is dropped (drop-tail); one that need not wait always passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueLimit {
    /// A maximum amount of data.
    Bytes(DataSize),
    /// A maximum number of packets.
    Packets(u32),
}

/// The waiting room of one direction before a server: the packets that wait, known by their size and by when their
/// turn comes.
///
/// In a first-come first-served queue the turn is known at arrival, so that no timer is needed.
#[derive(Debug)]
pub(crate) struct WaitingRoom {
    waiting: ShortQueue<Waiting>,
    bytes: u64,
    limit: QueueLimit,
}

#[derive(Debug)]
struct Waiting {
    until: Instant,
    bytes: u64,
}

impl WaitingRoom {
    pub(super) fn new(limit: QueueLimit) -> Self {
        Self {
            waiting: ShortQueue::new(),
            bytes: 0,
            limit,
        }
    }

    /// When a packet leaves that arrives now; `None` when there is no room to wait. Instants never go back.
    pub(super) fn pass(
        &mut self,
        server: &mut Server,
        at: Instant,
        size: DataSize,
    ) -> Option<Instant> {
        let turn = server.turn(at, size);
        if turn > at && !self.admit(at, turn, size) {
            return None;
        }
        Some(server.serve(turn, size))
    }

    /// Admits a packet that waits until its turn; returns whether there was room.
    fn admit(&mut self, at: Instant, turn: Instant, size: DataSize) -> bool {
        while let Some(first) = self.waiting.first()
            && first.until <= at
        {
            self.bytes -= first.bytes;
            self.waiting.pop();
        }
        let bytes = self.bytes + size.as_bytes();
        let fits = match self.limit {
            QueueLimit::Bytes(limit) => bytes <= limit.as_bytes(),
            QueueLimit::Packets(limit) => self.waiting.len() < limit as usize,
        };
        if fits {
            self.bytes = bytes;
            self.waiting.push(Waiting {
                until: turn,
                bytes: size.as_bytes(),
            });
        }
        fits
    }
}
