use core::ops::Range;

use lasthop_contract::{DeviceId, Direction, FlowId};
use lasthop_units::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::{Arrivals, Grouping, PayloadTemplate};

/// All traffic of a run. Hosts share it, and each flow has its own random streams.
#[derive(Clone, Debug)]
pub struct TrafficPlan {
    /// The seed of the run.
    pub seed: u64,
    /// The flows, in the order of their numbers.
    pub flows: Vec<PlannedFlows>,
}

/// Flows with the same settings, one for each device of a group.
#[derive(Clone, Debug)]
pub struct PlannedFlows {
    /// The flow numbers of the devices, in the order of the devices.
    pub numbers: Range<u32>,
    /// The share of the group's devices that have the flow.
    pub part: Part,
    /// The name of the group, which starts the names of random streams.
    pub group: Box<str>,
    /// The name of the flows, used in the names of random streams.
    pub name: Box<str>,
    /// The direction and the destination of messages.
    pub kind: FlowKind,
    /// The payload of messages.
    pub payload: PayloadTemplate,
    /// The arrival process; `None` if each device arrives with a single message.
    pub arrivals: Option<Arrivals>,
    /// How arrivals are grouped into messages.
    pub grouping: Grouping,
    /// The time from the session set-up to the start of the schedule.
    pub start: Duration,
    /// The earliest time of the session set-up.
    pub not_before: Instant,
    /// The maximum additional start delay, drawn uniformly for each flow.
    pub spread: Duration,
    /// The duration of the schedule.
    pub duration: Duration,
}

/// The direction and the destination of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowKind {
    /// A message from the device to the server, which returns it.
    RoundTrip,
    /// A message from the device to the server.
    Report,
    /// A message from the server to the device.
    Command,
    /// A request of the server, which the device answers.
    Pull,
    /// A request of the device, which the server answers with a file.
    Download,
    /// A message from the device to one device of another group, which subscribes at the server's broker.
    Relay,
    /// A message from the device to every device of another group. It is published once and received by each of them.
    RelayToAll,
}

impl TrafficPlan {
    /// Returns the traffic of a flow.
    #[must_use]
    pub fn of(&self, flow: FlowId) -> Option<&PlannedFlows> {
        let after = self
            .flows
            .partition_point(|flows| flows.numbers.start <= flow.0);
        let flows = &self.flows[after.checked_sub(1)?];
        flows.numbers.contains(&flow.0).then_some(flows)
    }

    /// Returns the flows of a device.
    pub fn flows_of(&self, device: DeviceId) -> impl Iterator<Item = FlowId> {
        // Numbers grow with the channel.
        let end = self.flows.last().map_or(0, |last| last.numbers.end);
        let flows = FlowId::all_of(device).take_while(move |flow| flow.0 < end);
        flows.filter(|flow| self.of(*flow).is_some_and(|planned| planned.has(*flow)))
    }
}

/// A share of the devices, evenly spaced over their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The share, from 0 to 1.
    pub share: f64,
    /// The offset of the spacing, from 0 to 1. Each repetition has its own.
    pub phase: f64,
}

impl Part {
    /// All devices.
    pub const ALL: Self = Self {
        share: 1.0,
        phase: 0.0,
    };

    /// No device.
    pub const NONE: Self = Self {
        share: 0.0,
        phase: 0.0,
    };

    /// Creates the share that contains one device only.
    #[must_use]
    pub fn of_one(device: u32, devices: u32) -> Self {
        let share = 1.0 / f64::from(devices);
        Self {
            share,
            phase: 1.0 - (f64::from(device) + 0.5) * share,
        }
    }

    /// Whether a device belongs to the share.
    #[must_use]
    pub fn contains(self, device: u32) -> bool {
        self.before(device + 1) > self.before(device)
    }

    /// Returns the number of devices in the share among the first `devices`.
    #[must_use]
    pub fn count(self, devices: u32) -> u32 {
        self.before(devices)
    }

    fn before(self, device: u32) -> u32 {
        (f64::from(device) * self.share + self.phase) as u32
    }
}

impl PlannedFlows {
    /// Returns the number of devices with the flow.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.part.count(self.numbers.end - self.numbers.start)
    }

    /// Whether the messages are files, whose transfer takes time.
    #[must_use]
    pub fn is_of_files(&self) -> bool {
        self.kind == FlowKind::Download
    }

    /// Whether the device of a flow belongs to the share that has the flow.
    #[must_use]
    pub fn has(&self, flow: FlowId) -> bool {
        self.part.contains(self.device(flow))
    }

    /// Returns the number of a flow's device in its group.
    #[must_use]
    pub fn device(&self, flow: FlowId) -> u32 {
        flow.0 - self.numbers.start
    }
}

impl FlowKind {
    /// Returns the end that sends the first message: `Up` for the device, `Down` for the server.
    #[must_use]
    pub const fn origin(self) -> Direction {
        match self {
            Self::RoundTrip | Self::Report | Self::Download | Self::Relay | Self::RelayToAll => {
                Direction::Up
            }
            Self::Command | Self::Pull => Direction::Down,
        }
    }

    /// Whether messages reach the devices that have the flow.
    #[must_use]
    pub const fn reaches_devices(self) -> bool {
        !matches!(self, Self::Report) && !self.is_relayed()
    }

    /// Whether messages end at the server or request something from it.
    #[must_use]
    pub const fn is_for_server(self) -> bool {
        !matches!(self, Self::RoundTrip | Self::Command) && !self.is_relayed()
    }

    /// Whether messages are for devices of another group.
    #[must_use]
    pub const fn is_relayed(self) -> bool {
        matches!(self, Self::Relay | Self::RelayToAll)
    }

    /// Whether the sender of a message receives one in return.
    #[must_use]
    pub const fn is_answered(self) -> bool {
        matches!(self, Self::RoundTrip | Self::Pull | Self::Download)
    }

    /// Whether one end sends a request and the other answers.
    #[must_use]
    pub const fn asks(self) -> bool {
        matches!(self, Self::Pull | Self::Download)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_one_has_that_device_alone() {
        for devices in [1, 2, 3, 7, 20, 1000] {
            for number in 0..devices {
                let part = Part::of_one(number, devices);
                let taking = (0..devices).filter(|device| part.contains(*device));
                assert!(taking.eq([number]), "{number} of {devices}");
                assert_eq!(part.count(devices), 1);
            }
        }
        assert_eq!(Part::NONE.count(1000), 0);
    }

    #[test]
    fn a_part_has_as_many_devices_as_its_share_says_and_no_two_beside_each_other_for_nothing() {
        for share in [0.0, 0.001, 0.1, 1.0 / 3.0, 0.5, 0.9, 1.0] {
            for phase in [0.0, 0.25, 0.999_999] {
                let part = Part { share, phase };
                let taking: Vec<u32> = (0..1000).filter(|device| part.contains(*device)).collect();
                assert_eq!(taking.len(), part.count(1000) as usize);
                assert!(
                    (taking.len() as f64 - share * 1000.0).abs() <= 1.0,
                    "{part:?}"
                );
                let gaps = taking.windows(2).map(|pair| f64::from(pair[1] - pair[0]));
                for gap in gaps {
                    assert!((gap - 1.0 / share).abs() < 1.0 + 1e-9, "{part:?}: {gap}");
                }
            }
        }
    }
}
