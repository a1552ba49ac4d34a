mod check;
mod credentials;
mod device;
mod energy;
mod event;
mod fault;
mod flow;
mod gateway;
mod group;
mod load;
mod of_stacks;
mod outside;
mod path;
mod recurrence;
mod server;
mod short;
mod stack;
mod tariff;

use std::collections::BTreeMap;

use lasthop_contract::PathId;
use lasthop_nbiot::config::ConfigError;
use lasthop_units::{Duration, Instant, QuantityError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use check::{MAX_DOWNLOAD, demand};
pub use credentials::{CredentialsSpec, UserCredentials};
pub use device::{DeviceSpec, DeviceTcpSpec, ReadingSpec, TcpLikeSpec};
pub use energy::{EnergySpec, PowerProfileSpec, PowerStatesSpec};
pub use event::{
    AddressSpec, BackSpec, ChangeSpec, DevicesSpec, EventSpec, NotifySpec, OutageOfSpec,
    RestartOfSpec, SurvivesSpec,
};
pub use fault::FaultSpec;
pub use flow::{ArrivalSpec, FlowSpec, PayloadSpec, SessionSpec};
pub use group::{ArrivingSpec, ClientSpec, GroupSpec, PopulationSpec, StratumSpec};
pub(crate) use of_stacks::check_stacks;
pub use outside::{OutsideServer, OutsideService};
pub use path::{HopSpec, PathSpec, ScopeSpec};
pub use recurrence::RecurrenceSpec;
pub use server::{CacheSpec, ForwardsSpec, ServerLayout, ServerSpec, ServiceSpec, ServiceTimeSpec};
pub use short::ShortSpec;
pub use stack::{LayerSpec, StackSpec};
pub use tariff::{
    CloudPlanSpec, DataPlanSpec, MeteredSpec, PrepaidSpec, RoundingSpec, RoundingUnitSpec,
    TariffSpec,
};

/// Everything that determines a run, except the version.
///
/// Every field is written out. Only [`faults`](Self::faults), [`credentials`](Self::credentials) and
/// [`EventSpec::again`] can be absent. Unknown fields are errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// The version of the run spec format.
    pub format: u32,
    /// The engine, which determines the clock.
    pub engine: EngineSpec,
    /// The seed of all random streams.
    pub seed: u64,
    /// The stacks by name.
    pub stacks: BTreeMap<String, StackSpec>,
    /// The paths by name.
    pub paths: BTreeMap<String, PathSpec>,
    /// The servers of the run.
    pub servers: Vec<ServerSpec>,
    /// The groups of devices.
    pub groups: Vec<GroupSpec>,
    /// The flows of messages.
    pub flows: Vec<FlowSpec>,
    /// The events of the run: outages, restarts, handovers and other changes.
    pub events: Vec<EventSpec>,
    /// The faults aimed at messages of a protocol; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultSpec>,
    /// The user's credentials; absent if they are generated from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<CredentialsSpec>,
    /// The user's credentials themselves. They are never serialised.
    #[serde(skip)]
    pub given: Option<UserCredentials>,
    /// The measurement settings.
    pub measure: MeasureSpec,
}

/// The engine of a run, which determines its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineSpec {
    /// Virtual time: the clock jumps to the next event.
    Virtual,
    /// Wall-clock time.
    WallClock,
    /// Wall-clock time, with real software allowed as servers.
    Live,
    /// Wall-clock time on kernel sockets: servers are external and no path is emulated.
    Load,
}

/// The measurement settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureSpec {
    /// The warm-up time in nanoseconds. Messages due within it, counted from the first message, are not measured.
    pub warm_up_ns: u64,
    /// The maximum wait for unanswered messages at the end of the run, in nanoseconds.
    pub drain_ns: u64,
    /// The maximum set-up time of sessions, in nanoseconds.
    pub set_up_ns: u64,
    /// The level of detail of results about messages.
    pub messages: MessageDetail,
}

/// The level of detail of results about messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageDetail {
    /// A row for each message.
    Each,
    /// Sums over messages only, in constant memory.
    Summed,
}

/// An error in a run spec.
#[derive(Debug, Error)]
pub enum SpecError {
    /// The text is not JSON, or does not have the structure of a run spec.
    #[error("the run spec is not readable: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The format version is unknown.
    #[error("the run spec has format {0}; this version reads format {FORMAT}")]
    Format(u32),
    /// A field has an invalid value.
    #[error("{field}: {problem}")]
    Value {
        /// The path of the field.
        field: String,
        /// The problem with the value.
        problem: String,
    },
}

/// The format that this version reads.
const FORMAT: u32 = 2;

impl RunSpec {
    /// Reads a run spec and checks it, as far as this needs no knowledge of stacks.
    ///
    /// # Errors
    /// [`SpecError`] says where and what.
    pub fn parse(json: &str) -> Result<Self, SpecError> {
        let spec: Self = serde_json::from_str(json)?;
        if spec.format != FORMAT {
            return Err(SpecError::Format(spec.format));
        }
        spec.check()?;
        Ok(spec)
    }

    /// Returns the path of a group. [`RunSpec::parse`] has checked that it exists.
    #[must_use]
    pub fn path_of(&self, group: &GroupSpec) -> &PathSpec {
        &self.paths[&group.path]
    }

    /// When what is set up before the run is over, where sessions are: bytes and messages count from then on.
    pub(crate) fn established_at(&self) -> Option<Instant> {
        let mut flows = self.flows.iter();
        let is_established = flows.any(|it| it.session == SessionSpec::Established);
        is_established.then(|| Instant::ZERO + nanos(self.measure.set_up_ns))
    }

    /// The group of this name.
    pub(crate) fn group(&self, name: &str) -> Option<&GroupSpec> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// The gateway that runs on the device of a group, where one does.
    pub(crate) fn gateway_of(&self, group: &GroupSpec) -> Option<&ServerSpec> {
        let runs_on_it = |server: &&ServerSpec| {
            let forwards = server.forwards.as_ref();
            forwards.is_some_and(|forwards| forwards.by == group.name)
        };
        self.servers.iter().find(runs_on_it)
    }

    /// The server of a flow, where that is a caching proxy.
    fn proxy_of(&self, flow: &FlowSpec) -> Option<&ServerSpec> {
        let server = &self.client_of(flow)?.server;
        let mut servers = self.servers.iter().filter(|it| it.is_proxy());
        servers.find(|it| it.name == *server)
    }

    /// The number of the resource that a flow is about; `None` where that has no name of its own.
    pub(crate) fn resource_of(&self, flow: &FlowSpec) -> Option<u32> {
        let name_of = |flow: &'_ FlowSpec| {
            let own = || self.proxy_of(flow).map(|_| flow.name.clone());
            flow.resource.clone().or_else(own)
        };
        let wanted = name_of(flow)?;
        let mut names: Vec<String> = Vec::new();
        for name in self.flows.iter().filter_map(name_of) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let place = names.iter().position(|name| *name == wanted);
        place.map(|place| place as u32)
    }

    /// Whether a server answers caching proxies by one of its stacks.
    pub(crate) fn is_behind_a_cache(&self, client: &ClientSpec) -> bool {
        let groups = self.groups.iter().filter(|it| it.clients.contains(client));
        let mut proxies = groups.filter_map(|it| self.gateway_of(it));
        proxies.any(ServerSpec::is_proxy)
    }

    /// The number of a path.
    pub(crate) fn path_id(&self, path: &str) -> PathId {
        let mut names = self.paths.keys();
        PathId(names.position(|name| name == path).unwrap_or_default() as u16)
    }

    /// By which client of its group a flow goes.
    pub(crate) fn client_of(&self, flow: &FlowSpec) -> Option<&ClientSpec> {
        self.group(flow.group())?.clients.get(flow.client)
    }

    /// The group that hears what is relayed by a server, and by which of its clients: one of the server itself, or of a
    /// caching proxy that leads there.
    pub(crate) fn hearing<'a>(
        &'a self,
        flow: &FlowSpec,
        server: &str,
    ) -> Option<(&'a GroupSpec, usize)> {
        let group = self.group(&flow.to)?;
        let mut clients = group.clients.iter();
        let direct = clients.position(|it| it.server == server);
        let by_proxy = |it: &ClientSpec| self.client_of_proxy(it, server).is_some();
        let client = direct.or_else(|| group.clients.iter().position(by_proxy))?;
        Some((group, client))
    }

    /// By which client of its own a caching proxy that a client talks to leads to a server.
    pub(crate) fn client_of_proxy(&self, client: &ClientSpec, server: &str) -> Option<&ClientSpec> {
        let proxy = self.server(&client.server).filter(|it| it.is_proxy())?;
        let group = self.group(&proxy.forwards.as_ref()?.by)?;
        group.clients.iter().find(|it| it.server == server)
    }

    /// The flows that the devices of a group are an end of. They have channels in this order.
    pub(crate) fn flows_of<'a>(
        &'a self,
        group: &'a GroupSpec,
    ) -> impl Iterator<Item = &'a FlowSpec> {
        self.flows
            .iter()
            .filter(|flow| flow.group() == group.name.as_str())
    }
}

impl SpecError {
    pub(crate) fn value(field: impl Into<String>, problem: impl ToString) -> Self {
        Self::Value {
            field: field.into(),
            problem: problem.to_string(),
        }
    }

    pub(crate) fn in_network(error: ConfigError) -> Self {
        Self::value(format!("path.nbiot.{}", error.field), error.problem)
    }
}

impl From<QuantityError> for SpecError {
    fn from(error: QuantityError) -> Self {
        Self::value("path", error)
    }
}

pub(crate) const fn nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}
