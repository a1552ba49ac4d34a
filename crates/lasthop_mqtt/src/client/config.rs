use core::fmt;
use core::net::SocketAddr;

use lasthop_broker::Qos;
use lasthop_contract::{ChannelSet, FlowId};
use lasthop_units::Duration;

use crate::codec::Version;

/// The configuration of clients, which devices share.
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
    /// The flows of other devices that it subscribes to.
    pub hears: Box<[FlowId]>,
    /// The flows whose messages come back. A short-lived connection waits for them.
    pub awaits: ChannelSet,
    /// The keep-alive in seconds; zero for none.
    pub keep_alive_seconds: u16,
    /// The side whose silence triggers a PINGREQ.
    pub ping_after: Silence,
    /// Whether each connection begins a new session (`CleanSession` in 3.1.1).
    pub clean_start: bool,
    /// How long the session outlives a connection, in MQTT 5; `None` for ever, as in 3.1.1.
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
    /// Whether SUBSCRIBE and PUBLISH leave right behind CONNECT, before CONNACK has come, as from paho 1 (MQTT-3.1.4-4).
    pub connect_pipelining: bool,
    /// When a client is connected.
    pub presence: Presence,
    /// The number of own messages after which a short-lived connection ends.
    pub messages_a_connection: u32,
    /// The use of streams, on a transport with several.
    pub streams: Streams,
    /// Whether QoS 0 messages that fit go in datagrams, if the transport has them.
    pub datagrams: bool,
    /// Whether streams of flows with lower channels have priority.
    pub has_priorities: bool,
    /// How long a connection lasts before it is replaced; `None` for ever.
    pub renew_after: Option<Duration>,
}

/// The side whose silence triggers a PINGREQ.
///
/// Both are allowed, because a client can ping at any time (MQTT 3.1.1 section 3.1.2.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Its own, as it must (MQTT-3.1.2-20; in 3.1.1 MQTT-3.1.2-23).
    Own,
    /// Its own and the broker's, as libmosquitto and paho do: who only sends learns of a dead path, too.
    Any,
}

/// Over which streams a client speaks. CONNECT and what keeps the connection go by the first one; the others are as
/// EMQX 5 has them: packet identifiers, messages in flight and subscriptions are those of a stream and end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// All by the first one.
    Single,
    /// One for each topic. Where the broker allows no more of them, by the first one.
    PerTopic,
    /// One for each quality of service.
    PerQos,
    /// One for each message of the client's own, which waits until the broker allows it.
    PerPublish,
}

/// When a client is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// From the start on.
    Lasting,
    /// From a message that is to be sent until all messages are done, each time anew.
    OnDemand,
    /// The same in a session that stays, in which messages wait for the client. It begins with the subscription.
    Recurring,
}

/// The wait before a new connection: doubled with each failure in a row, half of it random
/// (Brooker 2015, "Exponential backoff and jitter": equal jitter), so that a fleet does not return at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    /// The first wait at most.
    pub first: Duration,
    /// Any wait at most.
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
    /// Whether it is retained.
    pub retain: bool,
    /// The delay between the end of the connection and the publication, in MQTT 5.
    pub delay: Duration,
}

impl MqttClientConfig {
    /// A client of MQTT 3.1.1 with QoS 1 and a lasting session, as the defaults of this project and of
    /// libmosquitto 2.0 (keep alive 60 s, 20 messages in flight) have it.
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

    /// Whether there is a topic to subscribe to.
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
