//! Publish and subscribe with JSON strings in UDP datagrams: the custom protocol of Chen & Kunz 2016.
//!
//! Publications are not acknowledged. The broker forwards them. Clients repeat subscriptions until they are confirmed.
//!
//! The paper does not print its messages. Ours are `{"op":"sub","topic":T}`, its confirmation
//! `{"op":"suback","topic":T}`, and `{"op":"pub","topic":T,"data":D}`, which the broker forwards as it came.
//! A subscription may name topics by the wildcards of MQTT. What another service of the broker's host has published is said
//! in JSON: an object as it is, other text as a string, anything else not at all.

mod bound;
mod broker;
mod client;
mod encoding;
mod envelope;

pub use bound::SubscriptionLimits;
pub use broker::JsonUdpBroker;
pub use client::{JsonUdpClient, JsonUdpClientConfig};
pub use envelope::{Envelope, EnvelopeError};

/// The default port of the broker.
pub const PORT: u16 = 40_001;
