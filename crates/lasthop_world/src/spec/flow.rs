use lasthop_traffic::{Encoding, FlowKind};
use serde::{Deserialize, Serialize};

/// Who says what to whom, and when. Every device of the group has one flow of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// What it is called; random streams of its schedules carry it.
    pub name: String,
    /// The group or server that makes the messages.
    pub from: String,
    /// The server or group that they are for. What is relayed goes to one device of the group each: the flow of the n-th
    /// device to the n-th, from the first on again after the last; or to all of them.
    pub to: String,
    /// By which of the group's clients, counted from 0.
    pub client: usize,
    /// Where messages go and end.
    pub kind: FlowKind,
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
    /// How long a session of the protocol lasts.
    pub session: SessionSpec,
    /// How many readings one message carries.
    pub batch: u32,
    /// Which part of the group's devices takes part, above 0 and up to 1.
    pub share: f64,
    /// The resource that it is about, by a name: flows with one name are about the same. Left out where it has none; then
    /// a flow by way of a cache is about one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// How long a session lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSpec {
    /// From before the first message on.
    Keep,
    /// From before the run on: all that is needed for it is over when something first counts.
    Established,
    /// From a message until all that is to be sent is done.
    PerMessage,
    /// From a message until so many are done.
    Per(u32),
    /// From before the first message on, by another connection after each so many nanoseconds.
    ForNs(u64),
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
    /// Fields in another form than plain JSON.
    Encoded {
        /// The fields, as the text of a JSON object of scalars.
        fields: String,
        /// How they are written.
        encoding: Encoding,
        /// Whether what is written is deflated.
        deflate: bool,
        /// What a message of one reading takes, for who reads the spec.
        bytes: u64,
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
