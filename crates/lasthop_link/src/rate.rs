//! How fast packets pass, and what waits.

mod pace;
mod queue;
mod serial_line;
mod token_bucket;

pub use queue::QueueLimit;
pub use serial_line::SerialLine;
pub use token_bucket::TokenBucket;

use lasthop_units::{DataSize, Instant};

use queue::Queue;
use serial_line::SerialService;
use token_bucket::TokenService;

/// A bottleneck: how fast packets pass, and how many may wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How fast.
    pub kind: RateKind,
    /// What may wait.
    pub queue: QueueLimit,
}

/// How fast packets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateKind {
    /// At once while there are tokens, which come at the rate.
    TokenBucket(TokenBucket),
    /// Bit by bit, one packet after the other.
    SerialLine(SerialLine),
}

impl RateKind {
    pub(crate) fn start(self) -> Server {
        match self {
            Self::TokenBucket(model) => Server::TokenBucket(model.start()),
            Self::SerialLine(model) => Server::SerialLine(model.start()),
        }
    }
}

/// What packets of one direction, or of both, pass one after the other.
#[derive(Debug)]
pub(crate) enum Server {
    TokenBucket(TokenService),
    SerialLine(SerialService),
}

impl Server {
    /// Until when a packet that arrives now must wait.
    fn turn(&self, at: Instant, size: DataSize) -> Instant {
        match self {
            Self::TokenBucket(service) => service.turn(at, size),
            Self::SerialLine(service) => service.turn(at),
        }
    }

    /// Serves a packet at its turn and tells when it leaves.
    fn serve(&mut self, turn: Instant, size: DataSize) -> Instant {
        match self {
            Self::TokenBucket(service) => service.serve(turn, size),
            Self::SerialLine(service) => service.serve(turn, size),
        }
    }
}

/// The waiting room of one direction before a server.
#[derive(Debug)]
pub(crate) struct WaitingRoom(Queue);

impl WaitingRoom {
    pub(crate) fn new(limit: QueueLimit) -> Self {
        Self(Queue::new(limit))
    }

    /// When a packet leaves that arrives now; `None` when there is no room to wait. Instants never go back.
    pub(crate) fn pass(
        &mut self,
        server: &mut Server,
        at: Instant,
        size: DataSize,
    ) -> Option<Instant> {
        let turn = server.turn(at, size);
        if turn > at && !self.0.admit(at, turn, size) {
            return None;
        }
        Some(server.serve(turn, size))
    }
}
