use lasthop_contract::{BackgroundTraffic, Direction};
use lasthop_units::{DataSize, Instant};

use super::background::Lane;
use super::{Rate, Server};

/// One bottleneck for both directions: packets pass in the order of their arrival, whichever way they go. Each
/// direction has its own room to wait.
#[derive(Debug)]
pub(crate) struct SharedRate {
    server: Server,
    /// Up and down.
    lanes: [Lane; 2],
}

impl SharedRate {
    /// A shared_rate of the rate that both directions have.
    pub(crate) fn start(up: &Rate, down: &Rate, seed: u64, prefix: &str) -> Self {
        let lane = |rate: &Rate, direction: Direction| {
            rate.lane(seed, &format!("{prefix}/{}", direction.name()))
        };
        Self {
            server: up.server(),
            lanes: [lane(up, Direction::Up), lane(down, Direction::Down)],
        }
    }

    /// When a packet leaves that arrives now; `None` when there is no room to wait. Instants never go back.
    pub(crate) fn pass(
        &mut self,
        direction: Direction,
        at: Instant,
        size: DataSize,
    ) -> Option<Instant> {
        Lane::let_others_come(&mut self.lanes, &mut self.server, at);
        self.lanes[direction as usize].pass(&mut self.server, at, size)
    }

    /// What other traffic there was up to an instant, up and down.
    pub(crate) fn background(&mut self, until: Instant) -> [BackgroundTraffic; 2] {
        Lane::let_others_come(&mut self.lanes, &mut self.server, until);
        self.lanes.each_ref().map(Lane::counted)
    }
}
