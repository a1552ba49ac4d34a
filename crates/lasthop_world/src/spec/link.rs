use serde::{Deserialize, Serialize};

/// What a link does to packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The order of the link's stages.
    pub order: [StageName; 7],
    /// Whether both directions share one rate.
    pub shared: bool,
    /// Away from the device.
    pub up: DirectionSpec,
    /// To the device.
    pub down: DirectionSpec,
}

/// A stage of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    /// The maximum transmission unit.
    Mtu,
    /// Outages.
    Outage,
    /// Loss.
    Loss,
    /// Rate and queue.
    Rate,
    /// Delay.
    Delay,
    /// Corruption.
    Corrupt,
    /// Duplication.
    Duplicate,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionSpec {
    /// The largest packet.
    pub mtu_bytes: u64,
    /// When nothing passes.
    pub outages: Vec<OutageSpec>,
    /// Which packets are lost.
    pub loss: Option<LossSpec>,
    /// How long packets travel.
    pub delay: Option<DelaySpec>,
    /// How fast packets pass.
    pub rate: Option<RateSpec>,
    /// How many packets arrive twice.
    pub duplicate: Option<ProbabilitySpec>,
    /// How many packets change.
    pub corrupt: Option<ProbabilitySpec>,
}

/// A time without service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutageSpec {
    /// Since the start of the run.
    pub start_ns: u64,
    /// How long.
    pub duration_ns: u64,
    /// How often it comes back.
    pub every_ns: Option<u64>,
}

/// A probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilitySpec {
    /// From 0 to 1.
    pub probability: f64,
}

/// A model of loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LossSpec {
    /// Each packet by itself.
    Bernoulli {
        /// From 0 to 1.
        probability: f64,
    },
    /// In bursts, counted in packets.
    GilbertElliottPacket {
        /// The probability that the state turns bad, a packet.
        good_to_bad: f64,
        /// The probability that the state turns good, a packet.
        bad_to_good: f64,
        /// The loss in the good state.
        loss_in_good: f64,
        /// The loss in the bad state.
        loss_in_bad: f64,
    },
    /// In bursts, counted in time.
    GilbertElliottTime {
        /// The mean length of a good period.
        mean_good_ns: u64,
        /// The mean length of a bad period.
        mean_bad_ns: u64,
        /// The loss in the good state.
        loss_in_good: f64,
        /// The loss in the bad state.
        loss_in_bad: f64,
    },
    /// Exactly these packets.
    Packets {
        /// Counted from 1.
        indices: Vec<u64>,
    },
}

/// A model of delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelaySpec {
    /// How long.
    pub model: DelayModelSpec,
    /// Whether packets may overtake each other.
    pub reordering: bool,
}

/// How long packets travel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DelayModelSpec {
    /// Always as long.
    Constant {
        /// The delay.
        delay_ns: u64,
    },
    /// Between two bounds.
    Uniform {
        /// The shortest.
        from_ns: u64,
        /// The longest.
        to_ns: u64,
    },
    /// Normally distributed, not below zero.
    Normal {
        /// The mean.
        mean_ns: u64,
        /// The standard deviation.
        sd_ns: u64,
    },
    /// Pareto distributed.
    Pareto {
        /// The shortest.
        minimum_ns: u64,
        /// The tail exponent.
        shape: f64,
    },
    /// As recorded.
    Trace {
        /// When each delay begins to hold, from 0.
        times_ns: Vec<u64>,
        /// The delays.
        delays_ns: Vec<u64>,
        /// After which the trace repeats.
        period_ns: Option<u64>,
    },
}

/// A bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateSpec {
    /// How fast.
    pub bits_per_second: u64,
    /// In which way.
    pub kind: RateKindSpec,
    /// What may wait.
    pub queue: QueueSpec,
}

/// How a bottleneck serves packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RateKindSpec {
    /// At once while there are tokens.
    TokenBucket {
        /// The most tokens.
        burst_bytes: u64,
    },
    /// Bit by bit.
    Serial,
}

/// What may wait before a bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueSpec {
    /// So many bytes.
    Bytes(u64),
    /// So many packets.
    Packets(u32),
}
