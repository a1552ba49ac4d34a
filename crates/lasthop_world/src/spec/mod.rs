mod energy;
mod path;
mod population;
mod stack;
mod traffic;

use lasthop_nbiot::config::ConfigError;
use lasthop_units::{Duration, QuantityError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use energy::{EnergySpec, PowerProfileSpec};
pub use path::{
    DelayModelSpec, DelaySpec, DirectionSpec, LinkSpec, LossSpec, NatSpec, OutageSpec, PathSpec,
    ProbabilitySpec, QueueSpec, RateKindSpec, RateSpec, StageName,
};
pub use population::{ArrivingSpec, PopulationSpec};
pub use stack::{
    AcknowledgementSpec, CoapSpec, CoapTypeSpec, CongestionSpec, MqttSpec, MqttVersionSpec,
    PushSpec, SessionSpec, StackSpec, TcpProfileSpec, TcpSpec,
};
pub use traffic::{ArrivalSpec, PayloadSpec, TrafficKind, TrafficSpec};

/// Everything that a run depends on, beside the version. Every field is written out: there are no defaults
/// here, and an unknown field is an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// The version of this format.
    pub format: u32,
    /// The seed of all random streams.
    pub seed: u64,
    /// Which devices there are.
    pub population: PopulationSpec,
    /// Whether they share a server.
    pub server: ServerLayout,
    /// What they speak.
    pub stack: StackSpec,
    /// What they say.
    pub traffic: TrafficSpec,
    /// What is measured.
    pub measure: MeasureSpec,
    /// What their packets go through.
    pub path: PathSpec,
    /// What they live on; null where their energy is not asked for.
    pub energy: Option<EnergySpec>,
}

/// How many servers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerLayout {
    /// One for all devices.
    Shared,
    /// One for each.
    PerDevice,
}

/// Which part of a run is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureSpec {
    /// Messages due within this time of the first are not measured.
    pub warm_up_ns: u64,
    /// How long unanswered messages are waited for.
    pub drain_ns: u64,
    /// How long the sessions may take to set up.
    pub set_up_ns: u64,
    /// What is told of messages.
    pub messages: MessageDetail,
}

/// What is told of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageDetail {
    /// A row for each.
    Each,
    /// Sums alone, which take no more memory however many there are.
    Summed,
}

/// A run spec that describes no run.
#[derive(Debug, Error)]
pub enum SpecError {
    /// Not JSON, or not of this form.
    #[error("the run spec is not readable: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// Of a format that is not known.
    #[error("the run spec has format {0}; this version reads format {FORMAT}")]
    Format(u32),
    /// A value that cannot be.
    #[error("{field}: {problem}")]
    Value {
        /// Where.
        field: String,
        /// What is wrong.
        problem: String,
    },
}

/// The format that this version reads.
const FORMAT: u32 = 1;

impl RunSpec {
    /// Reads a run spec and checks it.
    ///
    /// # Errors
    /// [`SpecError`] says where and what.
    pub fn parse(json: &str) -> Result<Self, SpecError> {
        let spec: Self = serde_json::from_str(json)?;
        spec.check()?;
        Ok(spec)
    }

    fn check(&self) -> Result<(), SpecError> {
        if self.format != FORMAT {
            return Err(SpecError::Format(self.format));
        }
        self.path.check()?;
        self.population.check(self)?;
        self.stack.check()?;
        self.traffic.check()
    }
}

impl SpecError {
    pub(crate) fn value(field: impl Into<String>, problem: impl ToString) -> Self {
        Self::Value {
            field: field.into(),
            problem: problem.to_string(),
        }
    }
}

impl SpecError {
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
