//! Builds a run from its spec and runs it: the only crate that knows all models.
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
mod assembly;
mod city;
mod energy;
mod network;
mod path;
mod simulated;
mod spec;
mod stack;
mod traffic;
mod visits;

pub use simulated::{Observe, RunError, Simulated};
pub use spec::{
    AcknowledgementSpec, ArrivalSpec, ArrivingSpec, CoapSpec, CoapTypeSpec, CongestionSpec,
    DelayModelSpec, DelaySpec, DirectionSpec, EnergySpec, LinkSpec, LossSpec, MeasureSpec,
    MessageDetail, MqttSpec, MqttVersionSpec, NatSpec, OutageSpec, PathSpec, PayloadSpec,
    PopulationSpec, PowerProfileSpec, ProbabilitySpec, PushSpec, QueueSpec, RateKindSpec, RateSpec,
    RunSpec, ServerLayout, SessionSpec, SpecError, StackSpec, StageName, TcpProfileSpec, TcpSpec,
    TrafficKind, TrafficSpec,
};
