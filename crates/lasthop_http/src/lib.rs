//! HTTP over any transport of streams: the machines of both ends, and the applications of a study that speak by them.
//!
//! [`RequestServer`] gives requests and takes their answers, now or later, and knows no application. [`HttpServer`] is that
//! of a study; [`HttpClient`] is the end of a device.

mod bearer;
mod caching;
mod client;
mod client_protocol;
mod exchange;
mod h1;
mod http2;
mod http3;
mod limits;
mod purpose;
mod server;
mod wire;
mod wire_text;

pub use client::{ConnectionPolicy, HttpClient, HttpClientConfig, HttpVersion};
pub use exchange::{ExchangeId, ServerEvent};
pub use http;
pub use http3::qpack;
pub use limits::ServerLimits;
pub use purpose::Purpose;
pub use server::{HttpServer, HttpServerConfig, RequestServer};

/// The port of servers.
pub const PORT: u16 = 80;
/// The port of servers over a secured transport.
pub const SECURE_PORT: u16 = 443;
