use serde::{Deserialize, Serialize};

use super::SpecError;

/// Who sends what, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficSpec {
    /// From where to where.
    pub kind: TrafficKind,
    /// What the messages look like.
    pub payload: PayloadSpec,
    /// How they follow each other.
    pub arrivals: ArrivalSpec,
    /// Messages at each arrival.
    pub burst: u32,
    /// From the session's set-up to the first arrival.
    pub start_ns: u64,
    /// The start of each device is later by up to this much.
    pub spread_ns: u64,
    /// How long arrivals go on.
    pub duration_ns: u64,
}

/// From where to where messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrafficKind {
    /// From the device to the server and back.
    RoundTrip,
    /// From the device to the server.
    Report,
    /// From the server to the device.
    Command,
}

/// What messages look like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PayloadSpec {
    /// Plain text.
    Text {
        /// Of this size.
        bytes: u64,
    },
    /// A JSON object.
    Json {
        /// Its fields, as the text of a JSON object.
        fields: String,
        /// The size that it is padded to.
        bytes: Option<u64>,
    },
}

/// How messages follow each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// One after each span.
    Periodic {
        /// The span.
        every_ns: u64,
    },
    /// Independently.
    Poisson {
        /// The mean gap.
        mean_ns: u64,
    },
    /// One, with which its device comes.
    Once,
}

/// More messages than this have no number (24 bits).
const MAX_MESSAGES: u64 = 16_000_000;

/// Larger payloads fit no datagram with its headers.
const MAX_PAYLOAD: u64 = 60_000;

impl TrafficSpec {
    pub(super) fn check(&self) -> Result<(), SpecError> {
        let gap = match self.arrivals {
            ArrivalSpec::Periodic { every_ns } => every_ns,
            ArrivalSpec::Poisson { mean_ns } => mean_ns,
            ArrivalSpec::Once => self.duration_ns.max(1),
        };
        if gap == 0 {
            return Err(SpecError::value(
                "traffic.arrivals",
                "the gap must be above 0",
            ));
        }
        if self.burst == 0 {
            return Err(SpecError::value("traffic.burst", "must be at least 1"));
        }
        if (self.duration_ns / gap).saturating_mul(u64::from(self.burst)) > MAX_MESSAGES {
            return Err(SpecError::value(
                "traffic.duration_ns",
                format!("gives a device more than {MAX_MESSAGES} messages"),
            ));
        }
        let bytes = match &self.payload {
            PayloadSpec::Text { bytes } => *bytes,
            PayloadSpec::Json { fields, bytes } => bytes.unwrap_or(fields.len() as u64),
        };
        if bytes > MAX_PAYLOAD {
            return Err(SpecError::value(
                "traffic.payload",
                format!("is above {MAX_PAYLOAD} B"),
            ));
        }
        Ok(())
    }
}
