//! The delay of packets.

mod constant;
mod exponential;
mod held_back;
mod normal;
mod pareto;
mod trace;
mod uniform;

pub use constant::Constant;
pub use exponential::Exponential;
pub use held_back::HeldBack;
pub use normal::Normal;
pub use pareto::Pareto;
pub use trace::{Trace, TracePoint};
pub use uniform::Uniform;

use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Instant};
use serde::{Deserialize, Serialize};

/// A delay model, with the rule for reordering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// The distribution of the delay.
    pub model: DelayModel,
    /// Whether a packet can overtake an earlier packet.
    pub reordering: Reordering,
}

/// A distribution of the delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelayModel {
    /// A constant delay.
    Constant(Constant),
    /// A delay that is uniform between two bounds.
    Uniform(Uniform),
    /// A normally distributed delay, not below zero.
    Normal(Normal),
    /// A minimum plus an exponentially distributed delay.
    Exponential(Exponential),
    /// A Pareto-distributed (heavy-tailed) delay.
    Pareto(Pareto),
    /// A constant delay with a larger delay for some packets, which later packets overtake.
    HeldBack(HeldBack),
    /// Delays from a recorded trace.
    Trace(Trace),
}

/// Whether packets can overtake each other. A run spec writes a Boolean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Reordering {
    /// Packets can overtake: a packet with a short delay overtakes one with a long delay.
    #[default]
    Allowed,
    /// Packets keep their order. A packet that would overtake arrives directly after its predecessor.
    Fifo,
}

impl From<bool> for Reordering {
    fn from(allowed: bool) -> Self {
        if allowed { Self::Allowed } else { Self::Fifo }
    }
}

impl From<Reordering> for bool {
    fn from(reordering: Reordering) -> Self {
        reordering == Reordering::Allowed
    }
}

impl Delay {
    pub(crate) fn start(&self, seed: u64, prefix: &str) -> DelayProcess {
        let draws = || RandomStream::named(seed, format_args!("{prefix}/delay"));
        let source = match &self.model {
            DelayModel::Constant(model) => Source::Constant(*model),
            DelayModel::Uniform(model) => Source::Uniform(*model, draws()),
            DelayModel::Normal(model) => Source::Normal(*model, draws()),
            DelayModel::Exponential(model) => Source::Exponential(*model, draws()),
            DelayModel::Pareto(model) => Source::Pareto(*model, draws()),
            DelayModel::HeldBack(model) => Source::HeldBack(*model, draws()),
            DelayModel::Trace(model) => Source::Trace(model.clone()),
        };
        DelayProcess {
            source,
            reordering: self.reordering,
            previous: Instant::ZERO,
        }
    }
}

macro_rules! delay_from {
    ($($model:ident),+) => {$(
        impl From<$model> for Delay {
            fn from(model: $model) -> Self {
                Self {
                    model: DelayModel::$model(model),
                    reordering: Reordering::default(),
                }
            }
        }
    )+};
}

delay_from!(
    Constant,
    Uniform,
    Normal,
    Exponential,
    Pareto,
    HeldBack,
    Trace
);

/// Delay at work.
#[derive(Debug)]
pub(crate) struct DelayProcess {
    source: Source,
    reordering: Reordering,
    /// When the previous packet arrives; it matters for FIFO alone.
    previous: Instant,
}

#[derive(Debug)]
enum Source {
    Constant(Constant),
    Uniform(Uniform, RandomStream),
    Normal(Normal, RandomStream),
    Exponential(Exponential, RandomStream),
    Pareto(Pareto, RandomStream),
    HeldBack(HeldBack, RandomStream),
    Trace(Trace),
}

impl DelayProcess {
    /// When a packet arrives that sets out at an instant.
    pub(crate) fn arrival(&mut self, at: Instant) -> Instant {
        let arrival = at + self.source.next(at);
        match self.reordering {
            Reordering::Allowed => arrival,
            Reordering::Fifo => {
                self.previous = self.previous.max(arrival);
                self.previous
            }
        }
    }
}

impl Source {
    fn next(&mut self, at: Instant) -> Duration {
        match self {
            Self::Constant(model) => model.delay,
            Self::Uniform(model, draws) => model.draw(draws),
            Self::Normal(model, draws) => model.draw(draws),
            Self::Exponential(model, draws) => model.draw(draws),
            Self::Pareto(model, draws) => model.draw(draws),
            Self::HeldBack(model, draws) => model.draw(draws),
            Self::Trace(model) => model.delay_at(at),
        }
    }
}
