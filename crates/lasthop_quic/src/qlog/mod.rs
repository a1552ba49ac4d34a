//! The events of a host's connections in qlog 0.3 (draft-ietf-quic-qlog-main-schema-02 and
//! draft-ietf-quic-qlog-quic-events-01). Each event is a record of a JSON text sequence (RFC 7464).

mod frames;
pub(crate) mod header;
mod parameters;

use core::time::Duration;

use lasthop_contract::{ConnectionId, LookupMap, begin_event_log, log_event};
use lasthop_units::Instant;
use quinn_proto::{ConnectionStats, Side};
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::crypto::PlainPacket;

/// The qlog of a host.
pub(crate) struct Qlog {
    host: Box<str>,
    has_begun: bool,
    known: LookupMap<ConnectionId, Known>,
}

/// What was told of a connection.
#[derive(Default)]
struct Known {
    /// The destination of the client's first packet, by which both ends call it.
    group: String,
    state: Option<State>,
    metrics: Metrics,
    lost: u64,
}

/// How far a connection is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Attempted,
    HandshakeComplete,
    Closed,
}

/// What is told when it has changed.
#[derive(Clone, Copy, Default, PartialEq)]
struct Metrics {
    min_rtt: Duration,
    smoothed_rtt: Duration,
    congestion_window: u64,
}

impl Qlog {
    /// Creates the log of a host with this name, if it is wanted.
    pub(crate) fn of(host: &str) -> Option<Self> {
        begin_event_log(host).then(|| Self {
            host: host.into(),
            has_begun: false,
            known: LookupMap::new(),
        })
    }

    /// Logs the packets that a connection has sent and received.
    pub(crate) fn packets(
        &mut self,
        now: Instant,
        id: ConnectionId,
        side: Side,
        packets: &mut Vec<PlainPacket>,
    ) {
        for packet in packets.drain(..) {
            if !self.known.contains(&id) {
                self.begin(now, id, side, header::destination(&packet.header));
            }
            let name = match packet.is_sent {
                true => "transport:packet_sent",
                false => "transport:packet_received",
            };
            let data = json!({
                "header": header::header(&packet),
                "raw": {"length": packet.length},
                "frames": frames::frames(&packet.frames),
            });
            self.event(now, id, name, data);
        }
    }

    /// Logs a Retry packet that a server sends. The server keeps only the destination connection ID of the client's
    /// first packet.
    pub(crate) fn retry_sent(&mut self, now: Instant, first_destination: &[u8], packet: &[u8]) {
        self.open(Side::Server);
        let group = hex(first_destination);
        self.tell(now, &group, "transport:packet_sent", &of_retry(packet));
    }

    /// Logs a Retry packet that a client receives.
    pub(crate) fn retry_received(&mut self, now: Instant, id: ConnectionId, packet: &[u8]) {
        self.event(now, id, "transport:packet_received", of_retry(packet));
    }

    /// Logs changes of a connection's state and recovery metrics.
    pub(crate) fn look_at(&mut self, now: Instant, id: ConnectionId, connection: &Connection) {
        let machine = &connection.machine;
        let is_complete = connection.established.is_some();
        if is_complete && self.state(now, id, State::HandshakeComplete) {
            let declared = machine.crypto_session().transport_parameters();
            if let Some(declared) = declared.ok().flatten() {
                let data = parameters::parameters("remote", &declared);
                self.event(now, id, "transport:parameters_set", data);
            }
        }
        self.recovery(now, id, &machine.stats());
        if machine.is_closed() {
            self.state(now, id, State::Closed);
        }
    }

    /// Removes a closed connection.
    pub(crate) fn forget(&mut self, id: ConnectionId) {
        self.known.remove(&id);
    }

    fn begin(&mut self, now: Instant, id: ConnectionId, side: Side, group: String) {
        self.open(side);
        let known = Known {
            group,
            ..Known::default()
        };
        self.known.insert(id, known);
        self.state(now, id, State::Attempted);
    }

    /// Says what the events are, before the first.
    fn open(&mut self, side: Side) {
        if !core::mem::replace(&mut self.has_begun, true) {
            self.write(&json!({
                "qlog_version": "0.3",
                "qlog_format": "JSON-SEQ",
                "title": &*self.host,
                "trace": {
                    "vantage_point": {"name": &*self.host, "type": name_of(side)},
                    "common_fields": {
                        "time_format": "relative",
                        "reference_time": 0.0,
                        "protocol_type": ["QUIC"],
                    },
                },
            }));
        }
    }

    /// Tells of a state that a connection was not in yet; whether it was not.
    fn state(&mut self, now: Instant, id: ConnectionId, new: State) -> bool {
        let known = self.known.get_mut(&id);
        let Some(known) = known.filter(|known| known.state < Some(new)) else {
            return false;
        };
        let mut data = json!({"new": new.name()});
        if let Some(old) = known.state.replace(new) {
            data["old"] = old.name().into();
        }
        self.event(now, id, "connectivity:connection_state_updated", data);
        true
    }

    fn recovery(&mut self, now: Instant, id: ConnectionId, stats: &ConnectionStats) {
        let Some(known) = self.known.get_mut(&id) else {
            return;
        };
        let metrics = Metrics {
            min_rtt: stats.path.min_rtt,
            smoothed_rtt: stats.path.rtt,
            congestion_window: stats.path.cwnd,
        };
        let has_changed = core::mem::replace(&mut known.metrics, metrics) != metrics;
        let lost = stats.path.lost_packets;
        let newly_lost = lost.saturating_sub(core::mem::replace(&mut known.lost, lost));
        // The library counts them, and does not say which they are.
        for _ in 0..newly_lost {
            self.event(now, id, "recovery:packet_lost", json!({}));
        }
        if has_changed {
            let data = json!({
                "min_rtt": milliseconds(metrics.min_rtt),
                "smoothed_rtt": milliseconds(metrics.smoothed_rtt),
                "congestion_window": metrics.congestion_window,
            });
            self.event(now, id, "recovery:metrics_updated", data);
        }
    }

    fn event(&self, now: Instant, id: ConnectionId, name: &str, data: Value) {
        if let Some(known) = self.known.get(&id) {
            self.tell(now, &known.group, name, &data);
        }
    }

    fn tell(&self, now: Instant, group: &str, name: &str, data: &Value) {
        let time = now.as_nanos() as f64 / NANOSECONDS_A_MILLISECOND;
        self.write(&json!({"time": time, "group_id": group, "name": name, "data": data}));
    }

    fn write(&self, value: &Value) {
        log_event(&self.host, format!("\x1e{value}\n").as_bytes());
    }
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Attempted => "attempted",
            Self::HandshakeComplete => "handshake_completed",
            Self::Closed => "closed",
        }
    }
}

const NANOSECONDS_A_MILLISECOND: f64 = 1e6;

fn milliseconds(span: Duration) -> f64 {
    span.as_nanos() as f64 / NANOSECONDS_A_MILLISECOND
}

const fn name_of(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}

fn of_retry(packet: &[u8]) -> Value {
    json!({"header": header::of_retry(packet), "raw": {"length": packet.len()}, "frames": []})
}

/// Bytes as qlog writes them.
fn hex(bytes: &[u8]) -> String {
    use core::fmt::Write;

    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
