use lasthop_broker::BrokerLimits;
use lasthop_gateway::DeviceLimits;
use lasthop_units::DataSize;
use thiserror::Error;

use super::Served;

/// A limit of a server for its clients.
#[derive(Debug)]
pub struct Limit {
    /// Its name on the command line.
    pub name: &'static str,
    /// The servers that it is for.
    pub of: &'static [Served],
    /// The default.
    pub default: u64,
    /// The unit.
    pub unit: &'static str,
    /// What it limits, and what happens above it.
    pub meaning: &'static str,
}

/// The limits of a server, by name.
#[derive(Clone, Debug)]
pub struct Limits {
    values: [u64; LIMITS.len()],
}

/// A limit cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LimitError {
    /// There is none of this name.
    #[error("no limit is called {0}")]
    Unknown(String),
    /// It is for another server.
    #[error("{0} is no limit of this server")]
    OfAnother(&'static str),
    /// Nothing would be served.
    #[error("{0} is at least 1")]
    Zero(&'static str),
}

use Served::{Coap, CoapTcp, JsonUdp, Mqtt};

/// All limits, in the order of the documentation.
pub const LIMITS: [Limit; 28] = [
    Limit {
        name: "connections",
        of: &[Mqtt, CoapTcp],
        default: 100_000,
        unit: "connections",
        meaning: "open connections of all clients; the next one is closed at once",
    },
    Limit {
        name: "connections_per_address",
        of: &[Mqtt, CoapTcp],
        default: 1_000,
        unit: "connections",
        meaning: "open connections from one IP address; the next one is closed at once",
    },
    Limit {
        name: "handshakes_per_address",
        of: &[Mqtt, Coap, CoapTcp],
        default: 100,
        unit: "handshakes",
        meaning: "handshakes of TLS, QUIC and DTLS from one IP address that are not over; the next connection is closed at \
                  once, the next hello of DTLS not heard",
    },
    Limit {
        name: "connect_time",
        of: &[Mqtt, CoapTcp],
        default: 10,
        unit: "seconds",
        meaning: "from the connection to CONNECT, or to the settings (CSM) of CoAP; who is silent for longer is closed, \
                  and who is not gone as long after the end of CoAP is cut off",
    },
    Limit {
        name: "message_time",
        of: &[Mqtt, CoapTcp],
        default: 60,
        unit: "seconds",
        meaning: "from the first byte of a message of CoAP to its last, and of the body of a request of HTTP to its last or \
                  to 256 B more; who is slower is closed",
    },
    Limit {
        name: "packet_size",
        of: &[Mqtt],
        default: 1 << 20,
        unit: "bytes",
        meaning: "one packet of a client; who sends a larger one is closed (MQTT 5: 0x95, packet too large)",
    },
    Limit {
        name: "in_flight",
        of: &[Mqtt],
        default: 20,
        unit: "messages",
        meaning: "unacknowledged messages of QoS 1 and 2 to one client, more of which wait; and unreleased ones of QoS 2 \
                  from one, more of which close the connection (MQTT 5: 0x93)",
    },
    Limit {
        name: "queued_messages",
        of: &[Mqtt],
        default: 1_000,
        unit: "messages",
        meaning: "messages that wait for one session; the next one is dropped",
    },
    Limit {
        name: "queued_bytes",
        of: &[Mqtt],
        default: 4 << 20,
        unit: "bytes",
        meaning: "bytes that wait for one session; a message that does not fit is dropped",
    },
    Limit {
        name: "kept_bytes",
        of: &[Mqtt],
        default: 256 << 20,
        unit: "bytes",
        meaning: "bytes of the messages that are kept for all sessions: queued, in flight, unreleased ones of QoS 2, and wills, \
                  with 128 more for each; a message for several sessions counts once. The next message for a session is \
                  dropped. An unreleased one is refused in PUBREC (MQTT 5: 0x97) or closes the connection (3.1.1), and a \
                  CONNECT with a will is refused (MQTT 5: 0x97, 3.1.1: 3)",
    },
    Limit {
        name: "kept_bytes_per_user",
        of: &[Mqtt],
        default: 64 << 20,
        unit: "bytes",
        meaning: "the same for the sessions of one user, or of one address (IPv6: one /64) where clients have no name. It has no \
                  more than L² / `kept_bytes` either, where L bytes are left for all",
    },
    Limit {
        name: "pending_bytes",
        of: &[Mqtt],
        default: 256 << 20,
        unit: "bytes",
        meaning: "bytes of packets that have not come whole and of answers that clients do not read, of all connections that \
                  have more than 4 KiB of them; for the next ones the connection ends (MQTT 5: 0x97) whose bytes changed \
                  longest ago, of the address (IPv6: /64) with the most. Requests and answers of HTTP (`gateway`) have as \
                  many again",
    },
    Limit {
        name: "subscriptions",
        of: &[Mqtt],
        default: 1_000,
        unit: "filters",
        meaning: "filters of one session; the next one is refused in SUBACK (0x80, MQTT 5: 0x97)",
    },
    Limit {
        name: "subscription_bytes",
        of: &[Mqtt],
        default: 256 << 20,
        unit: "bytes",
        meaning: "bytes of the filters of all sessions together, and 128 more for each; the next one is refused as above",
    },
    Limit {
        name: "sessions",
        of: &[Mqtt],
        default: 100_000,
        unit: "sessions",
        meaning: "sessions, connected and parked; for the next one the session ends that was parked for longest, of the \
                  user, or of the address where clients have no name, with the most parked ones. Where none is parked, \
                  CONNECT is refused (MQTT 5: 0x97, 3.1.1: 3)",
    },
    Limit {
        name: "retained_messages",
        of: &[Mqtt, Coap, CoapTcp],
        default: 100_000,
        unit: "topics",
        meaning: "topics with a retained message; for the next one that message goes that the user, or the address where \
                  clients have no name, with the most topics has had there for longest",
    },
    Limit {
        name: "retained_bytes",
        of: &[Mqtt, Coap, CoapTcp],
        default: 256 << 20,
        unit: "bytes",
        meaning: "bytes of these messages and topics together; for the next one others go as above, of the one with the \
                  most bytes. A message that is larger than all may be is not kept",
    },
    Limit {
        name: "device_messages",
        of: &[Mqtt],
        default: 100,
        unit: "messages a second",
        meaning: "messages of one device of a gateway; the next one is not kept (MQTT 5: 0x97), and closes a connection of \
                  MQTT 3.1.1",
    },
    Limit {
        name: "device_bytes",
        of: &[Mqtt],
        default: 512 << 10,
        unit: "bytes a second",
        meaning: "payloads of one device of a gateway; the next one is not kept, as above",
    },
    Limit {
        name: "device_silence",
        of: &[Mqtt],
        default: 1_200,
        unit: "seconds",
        meaning: "longest keep alive of a device of a gateway; MQTT 5 is told to use this one, MQTT 3.1.1, which cannot be told, is \
                  refused with a longer one or none",
    },
    Limit {
        name: "topic_aliases",
        of: &[Mqtt],
        default: 10,
        unit: "topics",
        meaning: "topic aliases of one client of MQTT 5; a higher one closes the connection (0x94)",
    },
    Limit {
        name: "peers",
        of: &[Coap, JsonUdp],
        default: 100_000,
        unit: "addresses",
        meaning: "clients, by address and port; who is silent longest makes room after EXCHANGE_LIFETIME (CoAP) or 60 s, \
                  and without one a stranger is not heard",
    },
    Limit {
        name: "body_size",
        of: &[Coap, CoapTcp],
        default: 64 << 10,
        unit: "bytes",
        meaning: "a body that is put together from blocks; a larger one is refused (4.13)",
    },
    Limit {
        name: "waiting",
        of: &[Coap, CoapTcp],
        default: 64,
        unit: "messages",
        meaning: "notifications and separate responses that wait for one client; the next one is dropped, over TCP all but \
                  the newest of each observation",
    },
    Limit {
        name: "observations",
        of: &[Coap, CoapTcp],
        default: 16,
        unit: "resources",
        meaning: "resources and topics that one client observes; the next one is given out once, without Observe",
    },
    Limit {
        name: "topics",
        of: &[JsonUdp],
        default: 100_000,
        unit: "subscriptions",
        meaning: "subscriptions of all clients; the next one is not confirmed. An address with fewer than 16 still gets \
                  one: the client that was silent for longest at the address with the most loses its own",
    },
    Limit {
        name: "topic_bytes",
        of: &[JsonUdp],
        default: 64 << 20,
        unit: "bytes",
        meaning: "bytes of the topics of these subscriptions together; for the next one the same holds",
    },
    Limit {
        name: "subscription_time",
        of: &[JsonUdp],
        default: 3_600,
        unit: "seconds",
        meaning: "from the last datagram of a client to the end of its subscriptions; who wants them longer subscribes again",
    },
];

impl Default for Limits {
    fn default() -> Self {
        Self {
            values: LIMITS.each_ref().map(|limit| limit.default),
        }
    }
}

impl Limits {
    /// Sets a limit of a server that serves these.
    ///
    /// # Errors
    /// When the server has no such limit, or nothing would be left.
    pub fn set(&mut self, served: &[Served], name: &str, value: u64) -> Result<(), LimitError> {
        let place = place_of(name).ok_or_else(|| LimitError::Unknown(name.into()))?;
        let limit = &LIMITS[place];
        if !limit.of.iter().any(|of| served.contains(of)) {
            return Err(LimitError::OfAnother(limit.name));
        }
        if value == 0 {
            return Err(LimitError::Zero(limit.name));
        }
        self.values[place] = value;
        Ok(())
    }

    /// What a limit is.
    ///
    /// # Panics
    /// When there is no such limit.
    pub(super) fn of(&self, name: &str) -> u64 {
        self.values[place_of(name).expect("only limits of the table are asked for")]
    }

    /// A limit as a number of things that memory holds.
    pub(super) fn count_of(&self, name: &str) -> usize {
        usize::try_from(self.of(name)).unwrap_or(usize::MAX)
    }

    /// What a broker keeps for its clients.
    pub(super) fn of_the_broker(&self) -> BrokerLimits {
        BrokerLimits {
            sessions: self.count_of("sessions"),
            subscriptions_per_session: self.count_of("subscriptions"),
            subscriptions_size: DataSize::from_bytes(self.of("subscription_bytes")),
            retained_messages: self.count_of("retained_messages"),
            retained_size: DataSize::from_bytes(self.of("retained_bytes")),
            queued_messages: self.count_of("queued_messages"),
            queued_size: DataSize::from_bytes(self.of("queued_bytes")),
            kept_size: Some(DataSize::from_bytes(self.of("kept_bytes"))),
            kept_size_of_one: Some(DataSize::from_bytes(self.of("kept_bytes_per_user"))),
            pending_size: Some(DataSize::from_bytes(self.of("pending_bytes"))),
        }
    }

    /// What a device of a gateway may send.
    pub(super) fn of_a_device(&self) -> DeviceLimits {
        DeviceLimits {
            messages_per_second: self.of("device_messages"),
            bytes_per_second: self.of("device_bytes"),
            ..DeviceLimits::default()
        }
    }
}

fn place_of(name: &str) -> Option<usize> {
    LIMITS.iter().position(|limit| limit.name == name)
}
