use core::fmt;
use core::net::SocketAddr;

use lasthop_broker::Qos;
use lasthop_contract::{ChannelSet, FlowId};
use lasthop_units::Duration;

use crate::codec::Version;

/// The configuration of MQTT clients, shared by all devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MqttClientConfig {
    /// The address of the broker.
    pub broker: SocketAddr,
    /// The MQTT version.
    pub version: Version,
    /// The prefix of client names and topics, for a broker with other clients.
    pub prefix: Box<str>,
    /// The QoS of publications and of the subscription.
    pub qos: Qos,
    /// The flows whose topics a client subscribes to before it is ready.
    pub subscribes: ChannelSet,
    /// The request-response flows. What a client itself publishes in them has a separate topic.
    pub asks: ChannelSet,
    /// The flows of other devices to which the client subscribes.
    pub hears: Box<[FlowId]>,
    /// The flows in which the client expects a message back for each message sent. A short-lived connection waits for
    /// these messages.
    pub awaits: ChannelSet,
    /// The keep-alive in seconds; zero for none.
    pub keep_alive_seconds: u16,
    /// The side whose silence triggers a PINGREQ.
    pub ping_after: Silence,
    /// Whether each connection begins a new session (`CleanSession` in 3.1.1).
    pub clean_start: bool,
    /// The session expiry interval in MQTT 5; `None` for never, as in 3.1.1.
    pub session_expiry: Option<Duration>,
    /// The receive maximum, sent to the broker in MQTT 5.
    pub receive_maximum: u16,
    /// The maximum number of QoS 1 and 2 messages in flight, if the broker allows that many.
    pub max_in_flight: u16,
    /// Whether topic aliases are used from the second message on, in MQTT 5.
    pub topic_alias: bool,
    /// The largest packet that a client accepts, sent to the broker in MQTT 5; `None` for no limit.
    pub maximum_packet_size: Option<u32>,
    /// The will message.
    pub will: Option<WillMessage>,
    /// The user name and password.
    pub user: Option<User>,
    /// Whether publications are retained.
    pub retain: bool,
    /// The delay before a new connection.
    pub reconnect: Reconnect,
    /// The timeout from opening a connection until the client is ready.
    pub connect_timeout: Duration,
    /// Whether SUBSCRIBE and PUBLISH are sent right after CONNECT, before the CONNACK arrives, as in paho 1
    /// (MQTT-3.1.4-4).
    pub connect_pipelining: bool,
    /// When the client keeps a connection.
    pub presence: Presence,
    /// The number of own messages after which a short-lived connection ends.
    pub messages_a_connection: u32,
    /// The use of streams, on a transport with several.
    pub streams: Streams,
    /// Whether QoS 0 messages that fit go in datagrams, if the transport has them.
    pub datagrams: bool,
    /// Whether streams of flows with lower channels have priority.
    pub has_priorities: bool,
    /// The age at which a connection is replaced by a new one; `None` for never.
    pub renew_after: Option<Duration>,
}

/// The side whose silence triggers a PINGREQ.
///
/// Both are allowed, because a client can ping at any time (MQTT 3.1.1 section 3.1.2.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The client's silence, as the standard requires (MQTT-3.1.2-20; in 3.1.1 MQTT-3.1.2-23).
    Own,
    /// The silence of either side, as in libmosquitto and paho. A client that only sends then detects a dead path, too.
    Any,
}

/// How a client uses the streams of a connection. CONNECT and keep-alive use the first stream. Further streams work as
/// in EMQX 5: each has its own packet identifiers, in-flight messages and subscriptions, which end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// All packets use the first stream.
    Single,
    /// One stream for each topic. If the broker allows no more streams, the first one is used.
    PerTopic,
    /// One stream for each QoS.
    PerQos,
    /// One stream for each outgoing message. Messages wait until the broker allows another stream.
    PerPublish,
}

/// When a client keeps a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A permanent connection, from the start of the run on.
    Lasting,
    /// A connection from the first queued message until all messages are acknowledged, each time with a new session.
    OnDemand,
    /// As `OnDemand`, but in a persistent session, in which the broker queues messages for the client. The first
    /// connection subscribes.
    Recurring,
}

/// The delay before a reconnection. It doubles with each consecutive failure, and half of it is random (Brooker 2015,
/// "Exponential backoff and jitter": equal jitter), so that a fleet does not reconnect at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    /// The maximum of the first delay.
    pub first: Duration,
    /// The maximum of any delay.
    pub longest: Duration,
}

/// A user name, with a password or without (MQTT 5 §3.1.3.5).
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: Box<str>,
    /// The password.
    pub password: Option<Box<[u8]>>,
}

/// Nothing of a password is written anywhere.
impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A will (MQTT 5 §3.1.2.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WillMessage {
    /// The topic.
    pub topic: Box<str>,
    /// The payload.
    pub payload: Box<[u8]>,
    /// The QoS.
    pub qos: Qos,
    /// Whether the will is to be retained.
    pub retain: bool,
    /// The delay between the end of the connection and the publication, in MQTT 5.
    pub delay: Duration,
}

impl MqttClientConfig {
    /// Creates an MQTT 3.1.1 client with QoS 1 and a persistent session. The other defaults are those of libmosquitto
    /// 2.0 (keep-alive 60 s, 20 messages in flight).
    #[must_use]
    pub fn new(broker: SocketAddr) -> Self {
        Self {
            broker,
            version: Version::V3_1_1,
            prefix: Box::default(),
            qos: Qos::AtLeastOnce,
            subscribes: ChannelSet::NONE,
            asks: ChannelSet::NONE,
            hears: Box::default(),
            awaits: ChannelSet::NONE,
            keep_alive_seconds: 60,
            ping_after: Silence::Own,
            clean_start: false,
            session_expiry: None,
            receive_maximum: u16::MAX,
            max_in_flight: 20,
            topic_alias: false,
            maximum_packet_size: None,
            will: None,
            user: None,
            retain: false,
            reconnect: Reconnect {
                first: Duration::from_secs(1),
                longest: Duration::from_secs(60),
            },
            connect_timeout: Duration::from_secs(30),
            connect_pipelining: false,
            presence: Presence::Lasting,
            messages_a_connection: 1,
            streams: Streams::Single,
            datagrams: false,
            has_priorities: false,
            renew_after: None,
        }
    }

    /// Whether the client subscribes to any topic.
    pub(super) fn has_subscriptions(&self) -> bool {
        !self.subscribes.is_empty() || !self.hears.is_empty()
    }

    pub(super) fn session_expiry_seconds(&self) -> u32 {
        self.session_expiry.map_or(u32::MAX, whole_seconds)
    }
}

pub(super) fn whole_seconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos() / 1_000_000_000).unwrap_or(u32::MAX)
}
