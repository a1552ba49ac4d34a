use lasthop_traffic::{Encoding, FlowKind};
use serde::{Deserialize, Serialize};

/// A flow: sender, receiver, messages and schedule. Every device of the group has its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// The name, used in the random streams of its schedules.
    pub name: String,
    /// The group or server that makes the messages.
    pub from: String,
    /// The receiving server or group.
    ///
    /// A message relayed to a group goes to one device: the n-th flow to the n-th device, in rotation, or to all
    /// devices.
    pub to: String,
    /// The index of the group's client that it uses, from 0.
    pub client: usize,
    /// The direction and the end point of messages.
    pub kind: FlowKind,
    /// The payload of messages.
    pub payload: PayloadSpec,
    /// The arrival process.
    pub arrivals: ArrivalSpec,
    /// Messages at each arrival.
    pub burst: u32,
    /// The time from the session set-up to the first arrival.
    pub start_ns: u64,
    /// The start of each device is later by up to this much.
    pub spread_ns: u64,
    /// The duration of arrivals.
    pub duration_ns: u64,
    /// The lifetime of protocol sessions.
    pub session: SessionSpec,
    /// The number of readings in one message.
    pub batch: u32,
    /// The share of the group's devices with this flow, above 0 and at most 1.
    pub share: f64,
    /// The name of its resource.
    ///
    /// Flows with the same name share a resource. Without a name, a flow through a cache has its own resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// The lifetime of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSpec {
    /// From before the first message on.
    Keep,
    /// Established before the run: its set-up is not counted.
    Established,
    /// From a message until everything that is due was sent.
    PerMessage,
    /// From a message until this number was sent.
    Per(u32),
    /// From before the first message, with a new connection after each of these intervals in nanoseconds.
    ForNs(u64),
}

/// The payload of messages.
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

/// The arrival process of messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// One message in each interval.
    Periodic {
        /// The span.
        every_ns: u64,
    },
    /// Independently.
    Poisson {
        /// The mean gap.
        mean_ns: u64,
    },
    /// A single message, with which the device arrives.
    Once,
}
