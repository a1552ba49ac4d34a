use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{DirectionConfig, StageOrder};

/// The impairments of a [`crate::DuplexLink`], as in a run spec. The default is a perfect link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct LinkConfig {
    /// The order in which a packet meets the stages.
    pub order: StageOrder,
    /// Whether both directions share one rate and queue. Packets pass in order of arrival, and both directions have the
    /// same rate.
    pub shared: bool,
    /// From port 0 to port 1, away from the device.
    pub up: DirectionConfig,
    /// From port 1 to port 0, to the device.
    pub down: DirectionConfig,
}

read_checked!(LinkConfig);

impl LinkConfig {
    fn checked(self) -> Result<Self, ConfigError> {
        let one_rate = match (&self.up.rate, &self.down.rate) {
            (Some(up), Some(down)) => up.is_as_fast_as(down),
            _ => false,
        };
        if self.shared && !one_rate {
            return Err(ConfigError::SharedRate);
        }
        Ok(self)
    }
}

/// Numbers that describe no link.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// A stage occurs twice in the order.
    #[error("the order of stages must name each stage once")]
    RepeatedStage,
    /// A shared link without a rate, or with two different ones.
    #[error("a shared link needs one rate, the same in both directions")]
    SharedRate,
    /// Other traffic of more packets than one a microsecond.
    #[error("the mean time between packets of other traffic must be at least 1 us")]
    BackgroundTooDense,
    /// A list of lost packets has a zero.
    #[error("packets are counted from 1; there is no packet 0")]
    PacketZero,
    /// A mean holding time that would flip the state at almost every nanosecond.
    #[error("the mean time in the good and in the bad state must be at least 1 us")]
    HoldingTimeTooShort,
    /// An outage that starts again before it ends, or never starts to be different.
    #[error("an outage must come back later than it lasts")]
    OutageOverlapsItself,
    /// A uniform delay with reversed bounds.
    #[error("a uniform delay must go from the smaller to the larger bound")]
    BoundsReversed,
    /// A Pareto shape that is not above zero.
    #[error("the shape of a Pareto delay must be above 0, not {0}")]
    ParetoShape(f64),
    /// A trace of which a time or a delay is missing.
    #[error("a delay trace has as many delays as times")]
    TraceColumns,
    /// A trace that does not start at zero, or does not go forward.
    #[error("a delay trace must start at 0 and its times must rise")]
    TraceTimes,
    /// A trace that repeats before it has ended.
    #[error("the period of a delay trace must be later than its last time")]
    TracePeriod,
    /// Moments of a rate that are none.
    #[error(
        "the moments of a rate must rise up to its period, which is above 0, and let bytes pass"
    )]
    Opportunities,
    /// A translator that forces new mappings all the time.
    #[error("the time between forced rebindings must be above 0")]
    RebindingPeriodZero,
    /// A translator without ports, or with more than an address has.
    #[error("a translator has from 1 to 64512 ports to give out, not {0}")]
    PortCount(u32),
}

/// Reads settings of which not every value can be by their derived form, which is `remote = "Self"`, and then has
/// them `checked`.
macro_rules! read_checked {
    ($settings:ty) => {
        impl<'de> serde::Deserialize<'de> for $settings {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let read = <$settings>::deserialize(deserializer)?;
                read.checked().map_err(serde::de::Error::custom)
            }
        }

        impl serde::Serialize for $settings {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$settings>::serialize(self, serializer)
            }
        }
    };
}

pub(crate) use read_checked;
