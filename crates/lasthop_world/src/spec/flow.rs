use lasthop_traffic::{Encoding, FlowKind};
use serde::{Deserialize, Serialize};

/// A flow: sender, receiver, messages and schedule. Every device of the group has its own flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// The name, used in the random streams of its schedules.
    pub name: String,
    /// The group or server that sends the messages.
    pub from: String,
    /// The server or group that receives the messages.
    ///
    /// A message relayed to a group goes to one device: the n-th flow to the n-th device, in rotation, or to all
    /// devices.
    pub to: String,
    /// The index of the group's client that the flow uses, from 0.
    pub client: usize,
    /// The direction and the destination of messages.
    pub kind: FlowKind,
    /// The payload of messages.
    pub payload: PayloadSpec,
    /// The arrival process.
    pub arrivals: ArrivalSpec,
    /// The number of messages at each arrival.
    pub burst: u32,
    /// The time from the session set-up to the first arrival, in nanoseconds.
    pub start_ns: u64,
    /// The maximum additional start delay of a device, in nanoseconds.
    pub spread_ns: u64,
    /// The duration of arrivals, in nanoseconds.
    pub duration_ns: u64,
    /// The lifetime of protocol sessions.
    pub session: SessionSpec,
    /// The number of readings in one message.
    pub batch: u32,
    /// The time within which a message should be delivered, in nanoseconds. It changes no run, only what is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ns: Option<u64>,
    /// The share of the group's devices that have this flow, above 0 and at most 1.
    pub share: f64,
    /// The name of the flow's resource.
    ///
    /// Flows with the same name share a resource. Without a name, a flow through a cache has its own resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// The lifetime of a protocol session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSpec {
    /// One session that starts before the first message.
    Keep,
    /// One session that was established before the run. Its set-up is not counted.
    Established,
    /// A session from a message until all messages due in the meantime are sent.
    PerMessage,
    /// A session from a message until this number of messages is sent.
    Per(u32),
    /// A session that starts before the first message and is renewed at each of these intervals, in nanoseconds.
    ForNs(u64),
}

/// The payload of messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PayloadSpec {
    /// Plain text.
    Text {
        /// The size of the text, in bytes.
        bytes: u64,
    },
    /// A JSON object.
    Json {
        /// The fields, as the text of a JSON object.
        fields: String,
        /// The size to which the payload is padded, in bytes.
        bytes: Option<u64>,
    },
    /// Fields in an encoding or compression other than plain JSON.
    Encoded {
        /// The fields, as the text of a JSON object of scalars.
        fields: String,
        /// The encoding of the fields.
        encoding: Encoding,
        /// Whether the encoded fields are compressed by deflate.
        deflate: bool,
        /// The size of a message with one reading, in bytes.
        bytes: u64,
    },
}

/// The arrival process of messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// Periodic arrivals: one in each interval.
    Periodic {
        /// The interval, in nanoseconds.
        every_ns: u64,
    },
    /// A Poisson process: independent arrivals.
    Poisson {
        /// The mean interval between arrivals, in nanoseconds.
        mean_ns: u64,
    },
    /// A closed loop: the next message follows a pause after the last one has ended, by its answer, by its acknowledgement
    /// where it has no answer, or by a failure.
    Paused {
        /// The pause, in nanoseconds.
        pause_ns: u64,
        /// The time from a message until its sender no longer waits for its end, in nanoseconds.
        give_up_ns: u64,
        /// The maximum number of messages of a device.
        messages: Option<u32>,
    },
    /// A single message, which the device has when it arrives.
    Once,
}
