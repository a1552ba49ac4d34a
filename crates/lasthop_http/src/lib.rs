//! HTTP over any transport with streams: clients and servers, and the applications of a study that use them.
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

/// The registered TCP port of HTTP.
pub const PORT: u16 = 80;
/// The registered port of HTTPS.
pub const SECURE_PORT: u16 = 443;
