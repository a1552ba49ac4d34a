use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{DirectionConfig, StageOrder};

/// The impairments of a [`crate::DuplexLink`], as in a run spec. The default is a perfect link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct LinkConfig {
    /// The order in which a packet passes the stages.
    pub order: StageOrder,
    /// Whether both directions share one rate and queue. Packets pass in order of arrival, and both directions have the
    /// same rate.
    pub shared: bool,
    /// The impairments from port 0 to port 1: uplink, away from the device.
    pub up: DirectionConfig,
    /// The impairments from port 1 to port 0: downlink, towards the device.
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

/// An error in the configuration of a link.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// A stage occurs twice in the order.
    #[error("the order of stages must name each stage once")]
    RepeatedStage,
    /// A shared link has no rate, or its two directions have different rates.
    #[error("a shared link needs one rate, the same in both directions")]
    SharedRate,
    /// The background traffic has more than one packet per microsecond.
    #[error("the mean time between packets of other traffic must be at least 1 us")]
    BackgroundTooDense,
    /// A list of lost packets contains the index 0.
    #[error("packets are counted from 1; there is no packet 0")]
    PacketZero,
    /// A mean holding time is so short that the state would change almost every nanosecond.
    #[error("the mean time in the good and in the bad state must be at least 1 us")]
    HoldingTimeTooShort,
    /// An outage starts again before it ends, or recurs without a pause.
    #[error("an outage must come back later than it lasts")]
    OutageOverlapsItself,
    /// The first bound of a uniform delay is above the second.
    #[error("a uniform delay must go from the smaller to the larger bound")]
    BoundsReversed,
    /// The mean of an exponential delay is below its minimum.
    #[error("the mean of an exponential delay must not be below its minimum")]
    MeanBelowMinimum,
    /// The Pareto shape is not above zero.
    #[error("the shape of a Pareto delay must be above 0, not {0}")]
    ParetoShape(f64),
    /// A trace point lacks its time or its delay.
    #[error("a delay trace has as many delays as times")]
    TraceColumns,
    /// The times of a trace do not start at zero, or do not increase.
    #[error("a delay trace must start at 0 and its times must rise")]
    TraceTimes,
    /// The period of a trace ends before its last point.
    #[error("the period of a delay trace must be later than its last time")]
    TracePeriod,
    /// The recorded send opportunities of a rate are invalid.
    #[error(
        "the moments of a rate must rise up to its period, which is above 0, and let bytes pass"
    )]
    Opportunities,
    /// The translator would force new mappings at every instant.
    #[error("the time between forced rebindings must be above 0")]
    RebindingPeriodZero,
    /// The translator has no ports, or more ports than an address has.
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
