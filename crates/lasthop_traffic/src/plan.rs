use core::ops::Range;

use lasthop_contract::{DeviceId, Direction, FlowId};
use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

use crate::{Arrivals, PayloadTemplate};

/// Everything that is said in a run. Hosts share it; each flow draws from streams of its own.
#[derive(Clone, Debug)]
pub struct TrafficPlan {
    /// The seed of the run.
    pub seed: u64,
    /// In the order of their numbers.
    pub flows: Vec<PlannedFlows>,
}

/// Flows that are alike, one for each device of a group.
#[derive(Clone, Debug)]
pub struct PlannedFlows {
    /// The flow of the first device, and so on.
    pub numbers: Range<u32>,
    /// The name of the group: random streams begin with it.
    pub group: Box<str>,
    /// The name of the flows: random streams carry it.
    pub name: Box<str>,
    /// By which of their device's clients they go, counted from 0.
    pub client: u16,
    /// To or from which service of a server, counted over all servers.
    pub service: u16,
    /// Where messages go and end.
    pub kind: FlowKind,
    /// What the messages look like.
    pub payload: PayloadTemplate,
    /// How they follow each other; `None` where each device comes with one.
    pub arrivals: Option<Arrivals>,
    /// How many are due at each arrival.
    pub burst: u32,
    /// From the session's set-up to the start of the schedule.
    pub start: Duration,
    /// The start is later by up to this much, uniformly, for each flow.
    pub spread: Duration,
    /// From the start to the end of the schedule.
    pub duration: Duration,
}

/// Where messages go and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowKind {
    /// From the device to the server and back.
    RoundTrip,
    /// From the device to the server.
    Report,
    /// From the server to the device.
    Command,
}

impl TrafficPlan {
    /// What a flow does.
    #[must_use]
    pub fn of(&self, flow: FlowId) -> Option<&PlannedFlows> {
        let after = self
            .flows
            .partition_point(|flows| flows.numbers.start <= flow.0);
        let flows = &self.flows[after.checked_sub(1)?];
        flows.numbers.contains(&flow.0).then_some(flows)
    }

    /// The flows of a device.
    pub fn flows_of(&self, device: DeviceId) -> impl Iterator<Item = FlowId> {
        FlowId::all_of(device).take_while(|flow| self.of(*flow).is_some())
    }
}

impl PlannedFlows {
    /// The device of a flow, by its number in its group.
    #[must_use]
    pub fn device(&self, flow: FlowId) -> u32 {
        flow.0 - self.numbers.start
    }

    /// By which client of the device, or which service, it goes.
    #[must_use]
    pub const fn end(&self, side: Direction) -> u16 {
        match side {
            Direction::Up => self.client,
            Direction::Down => self.service,
        }
    }
}

impl FlowKind {
    /// At which end messages are made: `Up` at the device, `Down` at the server.
    #[must_use]
    pub const fn origin(self) -> Direction {
        match self {
            Self::RoundTrip | Self::Report => Direction::Up,
            Self::Command => Direction::Down,
        }
    }

    /// Whether messages come to the devices.
    #[must_use]
    pub const fn reaches_devices(self) -> bool {
        matches!(self, Self::RoundTrip | Self::Command)
    }
}
