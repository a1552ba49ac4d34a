use lasthop_broker::{BrokerLimits, Qos};
use lasthop_units::Duration;

use super::sending::Sending;

/// The configuration of a broker. The defaults are those of mosquitto 2.0, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MqttBrokerConfig {
    /// Hand every publication to the application above, too.
    pub is_destination: bool,
    /// The QoS of messages that the application publishes.
    pub qos: Qos,
    /// The best quality that is served: a publication of a better one ends its connection (MQTT-3.2.2-11), a subscription
    /// gets this one (`max_qos`).
    pub maximum_qos: Qos,
    /// The maximum number of QoS 1 and 2 messages in flight to a client, and the broker's receive maximum in MQTT 5
    /// (`max_inflight_messages`).
    pub max_in_flight: u16,
    /// When QoS 1 and 2 messages go to a client with unacknowledged ones.
    pub sending: Sending,
    /// The maximum number of unreleased QoS 2 messages of a 3.1.1 client, which has no receive maximum.
    pub max_unreleased: u16,
    /// The number of topic aliases that the broker accepts from a client (`max_topic_alias`).
    pub topic_alias_maximum: u16,
    /// The largest packet that the broker accepts (`max_packet_size`); `None` for no limit.
    pub maximum_packet_size: Option<u32>,
    /// Whether messages of QoS 0 go to a client in datagrams, where they fit into one and the transport has such.
    pub datagrams: bool,
    /// The longest keep-alive that a client can request (`max_keepalive`); `None` for no limit.
    pub maximum_keep_alive: Option<Duration>,
    /// How long a connection may stay without CONNECT. mosquitto allows 1.5 times 60 s.
    pub connect_timeout: Duration,
    /// The limits on what the broker holds.
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

/// The counters of a broker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrokerCounters {
    /// Connections that were closed because of invalid input.
    pub refused: u64,
    /// Publications that were not allowed.
    pub denied: u64,
    /// Messages that found a queue full, or were larger than their subscriber takes.
    pub dropped: u64,
    /// Messages that expired in a queue.
    pub expired: u64,
}
