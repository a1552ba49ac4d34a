//! MQTT 3.1.1 and 5, client and broker, as applications over a stream transport.
//!
//! A [`MqttClient`] is one device: it publishes to the topics of its flows, `device/<n>` and `device/<n>/<channel>`, and
//! may subscribe to them.
//! A [`MqttBroker`] serves many clients on [`PORT`]; sessions, subscriptions and retained messages live in
//! [`BrokerCore`](lasthop_broker::BrokerCore). The [`codec`] refuses what the standards call malformed.
//! `MODEL.md` beside this crate says what is modelled and what is not.

mod broker;
mod client;
pub mod codec;
mod datagram;
mod in_flight;
mod ledger;
mod packets;
mod topic;
mod unconfirmed;
mod unreleased;

pub use broker::{BrokerCounters, MqttBroker, MqttBrokerConfig, Sending};
pub use client::{
    MqttClient, MqttClientConfig, Presence, Reconnect, Silence, Streams, User, WillMessage,
};
pub use codec::Version;
pub use lasthop_broker::{BrokerLimits, Qos};

/// The registered TCP port of MQTT (IANA: `mqtt`).
pub const PORT: u16 = 1883;

/// The TCP port of MQTT over TLS (IANA: `secure-mqtt`).
pub const SECURE_PORT: u16 = 8883;

/// The usual UDP port of MQTT over QUIC. It is not registered.
pub const QUIC_PORT: u16 = 14_567;
