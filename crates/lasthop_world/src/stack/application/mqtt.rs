use lasthop_broker::BrokerCore;
use lasthop_contract::{Application, ChannelSet, WakeFlag};
use lasthop_device::{FirstMessage, MessageBoundary};
use lasthop_mqtt::codec::PacketType;
use lasthop_mqtt::{
    MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, PORT, Presence, QUIC_PORT, Qos,
    Reconnect, SECURE_PORT, Sending, Silence, Streams, User, Version,
};
use lasthop_units::Duration;

use super::tokens::{AUTH, TOKEN_LIFETIME, Tokens, token_authority};
use super::{ApplicationBuilder, ApplicationEntry};
use crate::spec::SessionSpec;
use crate::stack::shared::Shared;
use crate::stack::{
    Above, Carriage, ClientEnd, Guest, Needs, OptionEntry, OptionKind, Options, ServerEnd,
};

/// MQTT through a broker.
pub(super) const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "mqtt",
    summary: "MQTT through a broker",
    over: &[Carriage::Stream, Carriage::Streams, Carriage::Messages],
    port: PORT,
    port_over: &[("tls", SECURE_PORT), ("quic", QUIC_PORT)],
    has_topics: true,
    options: OPTIONS,
    build: Some(|_, options| Box::new(Mqtt::new(options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "qos",
        OptionKind::Word(&["0", "1", "2"]),
        "quality of service",
    )
    .default("1"),
    OptionEntry::new("version", OptionKind::Word(&["3.1.1", "5"]), "of MQTT").default("3.1.1"),
    OptionEntry::new(
        "keep_alive",
        OptionKind::Seconds(1, 65_535),
        "the longest silence of a client, 0s for any",
    )
    .default("1min"),
    OptionEntry::new(
        "ping_after",
        OptionKind::Word(&["own_silence", "any_silence"]),
        "whose silence of `keep_alive` a client breaks: its own, or the broker's as well, as libmosquitto and paho do",
    )
    .default("own_silence"),
    OptionEntry::new(
        "max_in_flight",
        OptionKind::Count(1, 65_535),
        "messages of a client under way without their acknowledgement",
    )
    .default("20")
    .needs("qos", &["1", "2"]),
    OptionEntry::new(
        "broker_sends",
        OptionKind::Word(&["at_once", "batches"]),
        "what becomes of messages to a client that has others to acknowledge: they go, up to the window, where it is not written, or all together when none is under way, as from HiveMQ",
    )
    .needs("qos", &["1", "2"]),
    OptionEntry::new(
        "receive_maximum",
        OptionKind::Count(1, 65_535),
        "messages to a client under way without its acknowledgement, as it says in CONNECT",
    )
    .default("65535")
    .needs("version", &["5"]),
    OptionEntry::new(
        "topic_alias",
        OptionKind::Switch,
        "a number stands for the topic from the second message on",
    )
    .default("off")
    .needs("version", &["5"]),
    OptionEntry::new(
        "clean_start",
        OptionKind::Switch,
        "each connection begins a new session, so the broker keeps no messages for a client that is away (in 3.1.1 the flag Clean Session); where it is not written, sessions are kept, unless `session` lets connections end after their messages and none come to the device",
    ),
    OptionEntry::new(
        "session_expiry",
        OptionKind::Seconds(1, 4_294_967_294),
        "how long the broker keeps the session of a client that is away; 0s ends the session with its connection; for ever where it is not written",
    )
    .needs("version", &["5"]),
    OptionEntry::new(
        "maximum_packet_size",
        OptionKind::Size(20, 268_435_455),
        "the largest packet that a client accepts, as it says in CONNECT: the broker drops larger messages to it; any size where it is not written",
    )
    .needs("version", &["5"]),
    OptionEntry::new(
        "back_off",
        OptionKind::Time,
        "how long a client that lost its connection waits before another at most, half of it drawn; doubled with each that fails, up to 1min",
    )
    .default("1s"),
    OptionEntry::new(
        "connect_timeout",
        OptionKind::Time,
        "how long a client waits for CONNACK, from the first packet of its connection on; 30s, as libmosquitto and paho do, where it is not written",
    ),
    OptionEntry::new(
        "streams",
        OptionKind::Word(&["single", "per_topic", "per_qos", "per_publish"]),
        "over which streams of QUIC messages go",
    )
    .default("single")
    .needs(Needs::LAYERS, &["quic"]),
    OptionEntry::new(
        "connect_pipelining",
        OptionKind::Switch,
        "SUBSCRIBE and PUBLISH leave right behind CONNECT, without waiting for CONNACK, as from paho 1",
    )
    .default("off")
    .unless("streams", &["per_topic", "per_qos", "per_publish"]),
    OptionEntry::new(
        "datagrams",
        OptionKind::Switch,
        "messages of QoS 0 go in datagrams of QUIC, as far as they fit: what is lost is not sent again",
    )
    .default("off")
    .needs(Needs::LAYERS, &["quic"]),
    OptionEntry::new(
        "priority",
        OptionKind::Word(&["none", "as_listed"]),
        "whose stream goes first: that of traffic that the study lists first",
    )
    .default("none")
    .needs("streams", &["per_topic", "per_publish"]),
    AUTH,
    TOKEN_LIFETIME,
];

const PURPOSE: &str = "mqtt";

/// No client waits longer between two connections, unless it waits longer before the first of them.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(60);

/// So long does a broker of others keep the session of a guest, in MQTT 5.
const GUEST_SESSION: Duration = Duration::from_secs(60);

struct Mqtt {
    version: Version,
    qos: Qos,
    keep_alive_seconds: u16,
    ping_after: Silence,
    max_in_flight: u16,
    broker_sends: Sending,
    receive_maximum: u16,
    topic_alias: bool,
    clean_start: Option<bool>,
    session_expiry: Option<Duration>,
    maximum_packet_size: Option<u32>,
    back_off: Duration,
    connect_timeout: Option<Duration>,
    connect_pipelining: bool,
    streams: Streams,
    datagrams: bool,
    has_priorities: bool,
    tokens: Tokens,
    clients: Shared<MqttClientConfig>,
}

impl Mqtt {
    fn new(options: Options<'_>) -> Self {
        Self {
            version: match options.word("version") {
                "5" => Version::V5,
                _ => Version::V3_1_1,
            },
            qos: match options.word("qos") {
                "0" => Qos::AtMostOnce,
                "1" => Qos::AtLeastOnce,
                _ => Qos::ExactlyOnce,
            },
            keep_alive_seconds: options.small("keep_alive"),
            ping_after: match options.word("ping_after") {
                "any_silence" => Silence::Any,
                _ => Silence::Own,
            },
            // QoS 0 has no acknowledgements to wait for.
            max_in_flight: options.small("max_in_flight").max(1),
            broker_sends: match options.word("broker_sends") {
                "batches" => Sending::InBatches,
                _ => Sending::AtOnce,
            },
            // MQTT 3.1.1 has no word for it.
            receive_maximum: match options.small("receive_maximum") {
                0 => u16::MAX,
                maximum => maximum,
            },
            topic_alias: options.switch("topic_alias"),
            clean_start: options
                .has("clean_start")
                .then(|| options.switch("clean_start")),
            session_expiry: options
                .has("session_expiry")
                .then(|| Duration::from_secs(options.integer("session_expiry"))),
            maximum_packet_size: options
                .has("maximum_packet_size")
                .then(|| options.integer("maximum_packet_size") as u32),
            back_off: options.time("back_off"),
            connect_timeout: options
                .has("connect_timeout")
                .then(|| options.time("connect_timeout")),
            connect_pipelining: options.switch("connect_pipelining"),
            streams: match options.word("streams") {
                "per_topic" => Streams::PerTopic,
                "per_qos" => Streams::PerQos,
                "per_publish" => Streams::PerPublish,
                _ => Streams::Single,
            },
            datagrams: options.switch("datagrams"),
            has_priorities: options.word("priority") == "as_listed",
            tokens: Tokens::of(options),
            clients: Shared::default(),
        }
    }
}

impl ApplicationBuilder for Mqtt {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let (presence, messages_a_connection) = match end.session {
            SessionSpec::Keep | SessionSpec::Established | SessionSpec::ForNs(_) => {
                (Presence::Lasting, 1)
            }
            SessionSpec::PerMessage => (Presence::OnDemand, 1),
            SessionSpec::Per(messages) => (Presence::OnDemand, messages),
        };
        let presence = match presence {
            Presence::OnDemand if end.is_commanded() || !end.hears.is_empty() => {
                Presence::Recurring
            }
            other => other,
        };
        let usual = MqttClientConfig::new(end.server);
        let config = MqttClientConfig {
            version: self.version,
            prefix: end.guest.map_or("", |guest| &guest.prefix).into(),
            user: end.guest.and_then(user_of),
            qos: self.qos,
            subscribes: end.received(),
            hears: end.hears.into(),
            asks: end.asks(),
            awaits: match presence {
                Presence::Lasting => ChannelSet::NONE,
                Presence::OnDemand | Presence::Recurring => end.echoed(),
            },
            keep_alive_seconds: self.keep_alive_seconds,
            ping_after: self.ping_after,
            max_in_flight: self.max_in_flight,
            receive_maximum: self.receive_maximum,
            topic_alias: self.topic_alias,
            maximum_packet_size: self.maximum_packet_size,
            connect_pipelining: self.connect_pipelining,
            streams: self.streams,
            datagrams: self.datagrams,
            has_priorities: self.has_priorities,
            presence,
            messages_a_connection,
            renew_after: match end.session {
                SessionSpec::ForNs(nanos) => Some(Duration::from_nanos(nanos)),
                _ => None,
            },
            reconnect: Reconnect {
                first: self.back_off,
                longest: LONGEST_BACK_OFF.max(self.back_off),
            },
            // There is nothing to come back to, or nothing is to be left behind.
            clean_start: match presence {
                Presence::OnDemand => true,
                Presence::Lasting => self.clean_start.unwrap_or(end.guest.is_some()),
                Presence::Recurring => self.clean_start.unwrap_or(false),
            },
            session_expiry: self.session_expiry.or(end.guest.map(|_| GUEST_SESSION)),
            connect_timeout: self.connect_timeout.unwrap_or(usual.connect_timeout),
            ..usual
        };
        let stream = end.host.stream(PURPOSE);
        let client = MqttClient::new(self.clients.of(config), end.main_flow(), stream);
        let client = match end.registered() {
            Some((_, device)) => client.known_as(&device.path, &device.event_topic()),
            None => client,
        };
        above.over(match self.tokens.source(end) {
            None => client,
            Some(tokens) => client.with_tokens(tokens),
        })
    }

    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        let config = MqttBrokerConfig {
            is_destination: end.is_destination,
            qos: self.qos,
            max_in_flight: self.max_in_flight,
            sending: self.broker_sends,
            datagrams: self.datagrams,
            ..MqttBrokerConfig::default()
        };
        let stream = end.host.stream(PURPOSE);
        above.over(match end.core {
            Some(core) => MqttBroker::at(core.service(), config, stream),
            None if self.tokens.are_asked_for() => {
                let core = BrokerCore::new(config.limits, token_authority(), WakeFlag::new());
                MqttBroker::at(core.service(), config, stream)
            }
            None => MqttBroker::new(config, stream),
        })
    }

    fn acknowledges(&self) -> bool {
        self.qos != Qos::AtMostOnce
    }

    fn forwards(&self) -> bool {
        true
    }

    fn carries_in_parts(&self) -> bool {
        true
    }

    fn boundary(&self) -> Option<MessageBoundary> {
        Some(|bytes| {
            let (packet_type, length) = PacketType::first_in(bytes)?;
            Some(FirstMessage {
                length,
                is_for_application: packet_type == Some(PacketType::Publish),
            })
        })
    }
}

fn user_of(guest: &Guest) -> Option<User> {
    let (name, password) = guest.user.as_ref()?;
    Some(User {
        name: name.as_str().into(),
        password: password.as_ref().map(|it| it.as_bytes().into()),
    })
}
