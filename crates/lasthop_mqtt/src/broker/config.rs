use lasthop_broker::{BrokerLimits, Qos};
use lasthop_units::Duration;

use super::sending::Sending;

/// What a broker is to do. The defaults are those of mosquitto 2.0 where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MqttBrokerConfig {
    /// Hand every publication to the application above, too.
    pub is_destination: bool,
    /// How the messages of the application above are published.
    pub qos: Qos,
    /// The best quality that is served: a publication of a better one ends its connection (MQTT-3.2.2-11), a subscription
    /// gets this one (`max_qos`).
    pub maximum_qos: Qos,
    /// How many messages of QoS 1 and 2 are in flight to a client, if it takes so many, and the receive maximum of
    /// the broker in MQTT 5 (`max_inflight_messages`).
    pub max_in_flight: u16,
    /// When messages of QoS 1 and 2 go to a client that has others to acknowledge.
    pub sending: Sending,
    /// How many messages of QoS 2 a client of 3.1.1, which has no receive maximum, may leave unreleased.
    pub max_unreleased: u16,
    /// How many topic aliases the broker knows of a client (`max_topic_alias`).
    pub topic_alias_maximum: u16,
    /// The largest packet that the broker takes (`max_packet_size`); `None` for the largest there is.
    pub maximum_packet_size: Option<u32>,
    /// Whether messages of QoS 0 go to a client in datagrams, where they fit into one and the transport has such.
    pub datagrams: bool,
    /// The longest silence that a client may ask for (`max_keepalive`); `None` for any.
    pub maximum_keep_alive: Option<Duration>,
    /// How long a connection may stay without CONNECT; mosquitto gives it 1.5 times 60 s.
    pub connect_timeout: Duration,
    /// What the broker holds at most.
    pub limits: BrokerLimits,
}

impl Default for MqttBrokerConfig {
    fn default() -> Self {
        Self {
            is_destination: false,
            qos: Qos::AtLeastOnce,
            maximum_qos: Qos::ExactlyOnce,
            max_in_flight: 20,
            sending: Sending::AtOnce,
            // As many as mosquitto has in flight and queues.
            max_unreleased: 1020,
            topic_alias_maximum: 10,
            maximum_packet_size: None,
            datagrams: false,
            maximum_keep_alive: None,
            connect_timeout: Duration::from_secs(90),
            limits: BrokerLimits::default(),
        }
    }
}

/// What a broker counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrokerCounters {
    /// Connections that were closed for what came by them.
    pub refused: u64,
    /// Publications that were not allowed.
    pub denied: u64,
    /// Messages that found a queue full, or were larger than their subscriber takes.
    pub dropped: u64,
    /// Messages that nobody needed any more when their turn came.
    pub expired: u64,
}
