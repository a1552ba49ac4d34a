use lasthop_contract::Direction;
use lasthop_units::{DataSize, Instant};

use super::{Rate, Server, WaitingRoom};

/// One bottleneck for both directions: packets pass in the order of their arrival, whichever way they go. Each
/// direction has its own room to wait.
#[derive(Debug)]
pub(crate) struct Medium {
    server: Server,
    up: WaitingRoom,
    down: WaitingRoom,
}

impl Medium {
    /// A medium of the rate that both directions have.
    pub(crate) fn start(up: &Rate, down: &Rate) -> Self {
        Self {
            server: up.server(),
            up: WaitingRoom::new(up.queue),
            down: WaitingRoom::new(down.queue),
        }
    }

    /// When a packet leaves that arrives now; `None` when there is no room to wait. Instants never go back.
    pub(crate) fn pass(
        &mut self,
        direction: Direction,
        at: Instant,
        size: DataSize,
    ) -> Option<Instant> {
        let room = match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        };
        room.pass(&mut self.server, at, size)
    }
}
