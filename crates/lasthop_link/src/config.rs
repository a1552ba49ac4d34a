use thiserror::Error;

use crate::delay::Delay;
use crate::loss::Loss;
use crate::rate::{QueueLimit, Rate, RateKind};
use crate::{Corrupt, Duplicate, Mtu, OutageSchedule, StageOrder};

/// What a [`crate::DuplexLink`] does to packets. The default is a perfect link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkConfig {
    /// The order in which a packet meets the stages.
    pub order: StageOrder,
    /// From port 0 to port 1: away from the device.
    pub up: DirectionConfig,
    /// From port 1 to port 0: to the device.
    pub down: DirectionConfig,
    /// How fast packets pass.
    pub rate: LinkRate,
}

/// The impairments of one direction, other than its rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionConfig {
    /// The largest packet.
    pub mtu: Option<Mtu>,
    /// When nothing passes.
    pub outages: OutageSchedule,
    /// Which packets are lost.
    pub loss: Option<Loss>,
    /// How long packets travel.
    pub delay: Option<Delay>,
    /// Which packets change on the way.
    pub corrupt: Option<Corrupt>,
    /// Which packets arrive twice.
    pub duplicate: Option<Duplicate>,
}

/// How fast packets pass a link, and who shares that.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkRate {
    /// Each direction by itself; `None` is without limit.
    Separate {
        /// From port 0 to port 1.
        up: Option<Rate>,
        /// From port 1 to port 0.
        down: Option<Rate>,
    },
    /// One medium for both directions: packets pass in the order of their arrival, whichever way they go.
    Shared {
        /// How fast.
        kind: RateKind,
        /// What may wait to go from port 0 to port 1.
        up_queue: QueueLimit,
        /// What may wait to go from port 1 to port 0.
        down_queue: QueueLimit,
    },
}

impl Default for LinkRate {
    fn default() -> Self {
        Self::Separate {
            up: None,
            down: None,
        }
    }
}

/// Numbers that describe no link.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// A stage stands twice in the order.
    #[error("the order of stages must name each stage once")]
    RepeatedStage,
    /// A list of lost packets has a zero.
    #[error("packets are counted from 1; there is no packet 0")]
    PacketZero,
    /// A mean holding time that would flip the state at almost every nanosecond.
    #[error("the mean time in the good and in the bad state must be at least 1 us")]
    HoldingTimeTooShort,
    /// An outage that starts again before it ends, or never starts to be different.
    #[error("an outage must come back later than it lasts")]
    OutageOverlapsItself,
    /// A uniform delay whose bounds are the wrong way round.
    #[error("a uniform delay must go from the smaller to the larger bound")]
    BoundsReversed,
    /// A Pareto shape that is not above zero.
    #[error("the shape of a Pareto delay must be above 0, not {0}")]
    ParetoShape(f64),
    /// A trace that does not start at zero, or does not go forward.
    #[error("a delay trace must start at 0 and its times must rise")]
    TraceTimes,
    /// A trace that repeats before it has ended.
    #[error("the period of a delay trace must be later than its last time")]
    TracePeriod,
    /// A translator that forces new mappings all the time.
    #[error("the time between forced rebindings must be above 0")]
    RebindingPeriodZero,
}
