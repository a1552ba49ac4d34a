use serde::{Deserialize, Serialize};

use super::{
    FlowSpec, GroupSpec, HopSpec, PathSpec, RecurrenceSpec, RunSpec, ServerLayout, SpecError,
};
use crate::agenda::happenings;
use crate::spec::check::demand;

/// An event that affects servers, hops or devices during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSpec {
    /// The time of the event, in nanoseconds since the start of the run.
    pub at_ns: u64,
    /// The change that the event makes.
    pub change: ChangeSpec,
    /// The recurrence; absent for a single event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<RecurrenceSpec>,
}

/// A change during the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChangeSpec {
    /// An outage: a place drops all packets for a time. Packets that have passed it are not affected.
    Outage {
        /// The place of the outage.
        of: OutageOfSpec,
        /// The duration of the outage, in nanoseconds.
        duration_ns: u64,
    },
    /// An outage of devices: they neither send nor receive for a time, and stay on.
    DeviceOutage {
        /// The devices that are out of reach.
        of: DevicesSpec,
        /// The duration of the outage, in nanoseconds.
        duration_ns: u64,
    },
    /// A power cut: devices crash, and restart later.
    PowerCut {
        /// The devices that crash.
        of: DevicesSpec,
        /// When and how the devices restart.
        back: BackSpec,
    },
    /// A restart: a server or devices shut down in good order, and start again later.
    Restart {
        /// The server or devices that restart.
        of: RestartOfSpec,
        /// When and how the hosts restart.
        back: BackSpec,
    },
    /// A new address for devices.
    NewAddress {
        /// The devices that get a new address.
        of: DevicesSpec,
        /// The ends that are notified of the new address.
        notify: NotifySpec,
    },
    /// A move of devices to another path, where they have another address.
    ChangePath {
        /// The devices that move.
        of: DevicesSpec,
        /// The name of the new path.
        to: String,
        /// The ends that are notified of the new address.
        notify: NotifySpec,
    },
    /// A handover of devices to another cell. Meanwhile they neither send nor receive.
    Handover {
        /// The devices that move to another cell.
        of: DevicesSpec,
        /// The interruption of the handover, in nanoseconds.
        gap_ns: u64,
        /// The address of the devices after the handover.
        address: AddressSpec,
        /// The ends that are notified of a new address.
        notify: NotifySpec,
    },
}

/// The ends that are notified when a device's address changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotifySpec {
    /// None. Each protocol detects the change by its own means.
    #[default]
    None,
    /// The applications of the device, at the same instant.
    Application,
}

/// The address of a device after a handover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressSpec {
    /// A new address.
    #[default]
    New,
    /// The address from before the handover.
    Kept,
}

/// The place of an outage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageOfSpec {
    /// A server by name. It neither sends nor receives.
    Server(String),
    /// A path by name. The outage is at its first hop that is not a radio network, or at the radio network if there is
    /// no other hop.
    Path(String),
    /// All hops with this name.
    Hop(String),
}

/// The hosts that restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestartOfSpec {
    /// A server by name.
    Server(String),
    /// Devices of a group.
    Devices(DevicesSpec),
}

/// Some or all devices of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DevicesSpec {
    /// The name of the group.
    pub group: String,
    /// The share of the group's devices, above 0 and at most 1. The devices are drawn at random.
    pub share: f64,
}

/// When hosts restart, and with which state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackSpec {
    /// The minimum off time, in nanoseconds.
    pub duration_ns: u64,
    /// The maximum additional random off time of each host, in nanoseconds.
    pub spread_ns: u64,
    /// The state that survives the restart.
    pub survives: SurvivesSpec,
}

/// The state that survives a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurvivesSpec {
    /// Only the configuration.
    Nothing,
    /// Resumption state of layers, such as TLS tickets.
    Tickets,
    /// Resumption state of layers and session state of applications.
    Sessions,
}

/// There are so many addresses for devices that change theirs.
const MAX_NEW_ADDRESSES: u64 = (1 << 20) - 2;

/// There are so many addresses for the outside of translators.
const MAX_OUTSIDE: u64 = (1 << 22) - 2;

impl RunSpec {
    /// The latest instant at which anything may still be waited for, since the start.
    pub(super) fn latest_end_ns(&self) -> u64 {
        let end = |flow: &FlowSpec| {
            flow.start_ns
                .saturating_add(flow.spread_ns + flow.duration_ns)
        };
        let ends = self.flows.iter().map(end);
        let around = self.measure.set_up_ns.saturating_add(self.measure.drain_ns);
        ends.max().unwrap_or(0).saturating_add(around)
    }

    pub(super) fn check_events(&self) -> Result<(), SpecError> {
        for (place, event) in self.events.iter().enumerate() {
            event.check(&format!("events[{place}]"), self)?;
        }
        let mut changes = self.events.iter().map(|it| &it.change);
        let changes_path = changes.any(|it| matches!(it, ChangeSpec::ChangePath { .. }));
        let moves = self.events.iter().filter_map(|event| {
            event.change.moved()?;
            Some(happenings(self, event).len() as u64)
        });
        let addresses: u64 = moves.sum();
        let staying = self.groups.iter().map(|it| u64::from(it.staying()));
        let outside = staying.sum::<u64>() * self.paths.len() as u64;
        demand(&[
            (
                addresses <= MAX_NEW_ADDRESSES,
                "events",
                "give devices more than 1048574 new addresses",
            ),
            (
                outside <= MAX_OUTSIDE || !changes_path,
                "events",
                "move so many devices between so many paths that translators have no addresses left",
            ),
        ])
    }
}

impl EventSpec {
    /// What the random streams of an event are called. Another time, or other events of other kinds, must not change who
    /// is drawn.
    pub(crate) fn name(&self, spec: &RunSpec) -> String {
        let kind = self.change.kind();
        let before = spec
            .events
            .iter()
            .take_while(|it| !core::ptr::eq(*it, self));
        let number = before.filter(|it| it.change.kind() == kind).count();
        format!("events/{kind}/{number}")
    }

    fn check(&self, field: &str, spec: &RunSpec) -> Result<(), SpecError> {
        demand(&[(
            self.at_ns <= spec.latest_end_ns(),
            &format!("{field}.at_ns"),
            "is after the end of the run",
        )])?;
        if let Some(again) = self.again {
            again.check(self.at_ns, field, spec)?;
        }
        let is_own = self.again.is_some_and(RecurrenceSpec::is_own);
        demand(&[(
            !is_own || self.change.devices().is_some(),
            field,
            "only devices have times of their own",
        )])?;
        match &self.change {
            ChangeSpec::Outage { of, duration_ns } => {
                demand(&[(*duration_ns > 0, field, "an outage lasts for a time")])?;
                of.check(field, spec)
            }
            ChangeSpec::DeviceOutage { of, duration_ns } => {
                demand(&[(*duration_ns > 0, field, "an outage lasts for a time")])?;
                of.check(field, spec)
            }
            ChangeSpec::PowerCut { of, .. } => of.check(field, spec),
            ChangeSpec::Restart { of, .. } => match of {
                RestartOfSpec::Server(name) => server(name, field, spec),
                RestartOfSpec::Devices(of) => of.check(field, spec),
            },
            ChangeSpec::NewAddress { of, .. } => of.check(field, spec),
            ChangeSpec::Handover { of, gap_ns, .. } => {
                demand(&[(*gap_ns > 0, field, "a handover has a gap")])?;
                of.check(field, spec)
            }
            ChangeSpec::ChangePath { of, to, .. } => {
                of.check(field, spec)?;
                let is_there = spec.paths.contains_key(to);
                demand(&[(is_there, field, "the other path is not there")])
            }
        }
    }
}

impl ChangeSpec {
    /// What it is called.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Outage { .. } => "outage",
            Self::DeviceOutage { .. } => "device_outage",
            Self::PowerCut { .. } => "power_cut",
            Self::Restart { .. } => "restart",
            Self::NewAddress { .. } => "new_address",
            Self::ChangePath { .. } => "change_path",
            Self::Handover { .. } => "handover",
        }
    }

    /// The devices that it happens to; `None` for a server, a path or a hop.
    pub(crate) const fn devices(&self) -> Option<&DevicesSpec> {
        match self {
            Self::DeviceOutage { of, .. }
            | Self::PowerCut { of, .. }
            | Self::Restart {
                of: RestartOfSpec::Devices(of),
                ..
            }
            | Self::NewAddress { of, .. }
            | Self::ChangePath { of, .. }
            | Self::Handover { of, .. } => Some(of),
            Self::Outage { .. }
            | Self::Restart {
                of: RestartOfSpec::Server(_),
                ..
            } => None,
        }
    }

    /// Who has another address afterwards.
    pub(crate) fn moved(&self) -> Option<&DevicesSpec> {
        match self {
            Self::NewAddress { of, .. }
            | Self::ChangePath { of, .. }
            | Self::Handover {
                of,
                address: AddressSpec::New,
                ..
            } => Some(of),
            Self::Outage { .. }
            | Self::DeviceOutage { .. }
            | Self::PowerCut { .. }
            | Self::Restart { .. }
            | Self::Handover { .. } => None,
        }
    }
}

impl OutageOfSpec {
    /// The hops that are out, each as its path's name and its place there.
    pub(crate) fn hops<'a>(&'a self, spec: &'a RunSpec) -> Vec<(&'a str, usize)> {
        let is_radio = |hop: &HopSpec| hop.medium.medium().is_radio();
        let of_path = |(name, path): (&'a String, &'a PathSpec)| {
            let mut hops = path.hops.iter();
            let places: Vec<usize> = match self {
                Self::Server(_) => Vec::new(),
                Self::Path(wanted) if wanted == name => {
                    let wired = hops.position(|hop| !is_radio(hop));
                    vec![wired.unwrap_or(0)]
                }
                Self::Path(_) => Vec::new(),
                Self::Hop(wanted) => {
                    let hops = hops.enumerate().filter(|(_, hop)| hop.name == *wanted);
                    hops.map(|(place, _)| place).collect()
                }
            };
            places.into_iter().map(|place| (name.as_str(), place))
        };
        spec.paths.iter().flat_map(of_path).collect()
    }

    fn check(&self, field: &str, spec: &RunSpec) -> Result<(), SpecError> {
        if let Self::Server(name) = self {
            return server(name, field, spec);
        }
        let is_there = match self {
            Self::Path(name) => spec.paths.contains_key(name),
            _ => !self.hops(spec).is_empty(),
        };
        demand(&[(is_there, field, "there is no such path or hop")])
    }
}

impl DevicesSpec {
    /// How many devices they are.
    pub(crate) fn count(&self, spec: &RunSpec) -> u32 {
        let staying = self.find(spec).map_or(0, GroupSpec::staying);
        (f64::from(staying) * self.share).round() as u32
    }

    pub(crate) fn find<'a>(&self, spec: &'a RunSpec) -> Option<&'a GroupSpec> {
        spec.groups.iter().find(|group| group.name == self.group)
    }

    fn check(&self, field: &str, spec: &RunSpec) -> Result<(), SpecError> {
        let Some(group) = self.find(spec) else {
            return Err(SpecError::value(field, "its group is not there"));
        };
        demand(&[
            (
                group.arriving().is_none(),
                field,
                "devices that come and go are there for one message: nothing else happens to them",
            ),
            (
                self.share > 0.0 && self.share <= 1.0,
                field,
                "a share is above 0 and at most 1",
            ),
            (
                self.count(spec) > 0,
                field,
                "the share is less than one device",
            ),
        ])
    }
}

/// A server that events may happen to.
fn server(name: &str, field: &str, spec: &RunSpec) -> Result<(), SpecError> {
    let Some(server) = spec.servers.iter().find(|server| server.name == name) else {
        return Err(SpecError::value(field, "its server is not there"));
    };
    let mut users = spec.groups.iter().filter(|group| group.talks_to(name));
    demand(&[(
        server.layout == ServerLayout::Shared || users.all(|group| group.arriving().is_none()),
        field,
        "each device that comes and goes brings a server of its own, to which nothing happens",
    )])
}
