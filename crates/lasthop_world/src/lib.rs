//! Builds a run from its spec and executes it. It is the only crate that depends on all models.
//!
//! # Order of calls
//!
//! 1. Read a [`RunSpec`] with [`RunSpec::parse`]. Unknown and missing fields are errors.
//! 2. Execute it with [`Simulated::run`], or with [`Simulated::run_with`] and a [`Registry`] of your own stacks and links.
//! 3. Read the results: [`Simulated::status`] first, then [`Simulated::summary`], [`Simulated::meter`] and the tables.
//!
//! # Example
//!
//! ```
//! use lasthop_world::{RunSpec, Simulated};
//! # let json = include_str!("../tests/specs/raw_udp.json");
//! let spec = RunSpec::parse(json)?;
//! let simulated = Simulated::run(&spec, Default::default(), &Default::default())?;
//! assert_eq!(simulated.summary().messages_offered, 2400);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod addresses;
mod agenda;
mod billing;
mod energy;
mod explained_radio;
mod host_names;
mod hosts;
mod load;
mod medium;
mod path;
mod plan;
mod population;
mod simulated;
mod spec;
mod stack;
mod watch;
mod world;

pub use explained_radio::ExplainedRadio;
pub use hosts::{SocketClient, SocketEnd, SocketHost, SocketKind};
pub use lasthop_device::Secures;
pub use lasthop_traffic::FlowKind;
pub use medium::{LinkEntry, LinkPlace, MediumSpec, NatSpec, WlanSpec};
pub use path::{LonePath, Translated};
pub use simulated::{MessageName, Observe, RunError, Simulated};
pub use spec::{
    AddressSpec, ArrivalSpec, ArrivingSpec, BackSpec, CacheSpec, ChangeSpec, ClientSpec,
    CloudPlanSpec, CredentialsSpec, DataPlanSpec, DeviceSpec, DeviceTcpSpec, DevicesSpec,
    EnergySpec, EngineSpec, EventSpec, FaultSpec, FlowSpec, ForwardsSpec, GroupSpec, HopSpec,
    LayerSpec, MeasureSpec, MessageDetail, MeteredSpec, NotifySpec, OutageOfSpec, OutsideServer,
    OutsideService, PathSpec, PayloadSpec, PopulationSpec, PowerProfileSpec, PowerStatesSpec,
    PrepaidSpec, ReadingSpec, RecurrenceSpec, RestartOfSpec, RoundingSpec, RoundingUnitSpec,
    RunSpec, ScopeSpec, ServerLayout, ServerSpec, ServiceSpec, ServiceTimeSpec, SessionSpec,
    ShortSpec, SpecError, StackSpec, StratumSpec, SurvivesSpec, TariffSpec, TcpLikeSpec,
    UserCredentials,
};
pub use stack::{
    Above, ApplicationBuilder, ApplicationEntry, Below, BuildApplication, BuildLayer, Carriage,
    ClientEnd, ClientFlow, DeviceEnd, FallsBack, Follows, Guest, HostEnd, LayerBuilder, LayerEntry,
    LayerKind, Needs, OptionEntry, OptionKind, Options, RegisteredDevice, Registry, Role,
    ServerEnd, ServerFiles, SocketServer, SocketTrust, StackBuilder,
};
pub use world::OutsideHosts;
