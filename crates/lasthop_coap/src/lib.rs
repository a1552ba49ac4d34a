//! CoAP clients and servers that carry application messages over datagrams or streams.
//!
//! The layers, from the bottom up: [`codec`](Message) reads and writes messages (RFC 7252 section 3); the message layer
//! makes datagrams reliable where that is wanted (§4), the stream layer frames messages on a stream (RFC 8323); an
//! endpoint matches requests and responses (§5), puts bodies together from blocks (RFC 7959) and takes notifications
//! (RFC 7641); on it stand [`CoapClient`], the device, and [`CoapServer`].

mod answering;
mod block;
mod carrier;
mod client;
mod codec;
mod context;
mod counters;
mod endpoint;
mod facts;
mod inbox;
mod message_layer;
mod observation;
mod parameters;
mod proxying;
mod registration;
mod representation;
mod request;
mod server;
mod stream_layer;
pub mod testing;
mod topic_observations;

pub use block::BlockSize;
pub use client::{CoapClient, CoapClientConfig};
pub use codec::{
    Code, Content, Message, MessageError, MessageType, Options, Token, is_critical, option_number,
};
pub use counters::CoapCounters;
pub use inbox::Push;
pub use parameters::{Carrier, CoapParameters};
pub use request::{CoapRequest, CoapResponse, RequestEvent, RequestId};
pub use server::{
    CoapServer, CoapServerConfig, Example, MAX_DEVICES, MAX_OBSERVERS, MAX_RESOURCES,
};
pub use topic_observations::CoapTopics;

/// The maximum number of peers of a server over datagrams.
///
/// A peer that was idle for `EXCHANGE_LIFETIME` is evicted for a new one, the longest first. Without one, new peers are
/// ignored.
pub const MAX_PEERS: usize = 1 << 18;

/// The registered port of CoAP (RFC 7252 section 6.1, RFC 8323 section 8.1).
pub const PORT: u16 = 5683;

/// The registered port of CoAP over DTLS and TLS (RFC 7252 section 6.2, RFC 8323 section 8.2).
pub const SECURE_PORT: u16 = 5684;
