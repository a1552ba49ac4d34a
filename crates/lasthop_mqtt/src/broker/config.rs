use lasthop_broker::{BrokerLimits, Qos};
use lasthop_units::Duration;

use super::sending::Sending;

/// The configuration of a broker. The defaults are those of mosquitto 2.0, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MqttBrokerConfig {
    /// Whether every publication is also delivered to the application above.
    pub is_destination: bool,
    /// The QoS of messages that the application publishes.
    pub qos: Qos,
    /// The highest QoS of the broker (`max_qos`). A publication with a higher QoS ends its connection (MQTT-3.2.2-11).
    /// A subscription with a higher QoS is granted this one.
    pub maximum_qos: Qos,
    /// The maximum number of QoS 1 and 2 messages in flight to a client, and the broker's receive maximum in MQTT 5
    /// (`max_inflight_messages`).
    pub max_in_flight: u16,
    /// When the broker sends QoS 1 and 2 messages to a client that has unacknowledged messages.
    pub sending: Sending,
    /// The maximum number of unreleased QoS 2 messages of a 3.1.1 client, which has no receive maximum.
    pub max_unreleased: u16,
    /// The number of topic aliases that the broker accepts from a client (`max_topic_alias`).
    pub topic_alias_maximum: u16,
    /// The largest packet that the broker accepts (`max_packet_size`); `None` for no limit.
    pub maximum_packet_size: Option<u32>,
    /// Whether QoS 0 messages are sent to a client in datagrams, if they fit and the transport has datagrams.
    pub datagrams: bool,
    /// The longest keep-alive that a client can request (`max_keepalive`); `None` for no limit.
    pub maximum_keep_alive: Option<Duration>,
    /// The time within which a connection must send CONNECT. mosquitto allows 1.5 times 60 s.
    pub connect_timeout: Duration,
    /// The limits on the broker's state.
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
    /// Publications that were not authorised.
    pub denied: u64,
    /// Messages dropped because a queue was full, or because the subscriber's maximum packet size was too small.
    pub dropped: u64,
    /// Messages that expired in a queue.
    pub expired: u64,
}
