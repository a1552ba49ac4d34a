//! WebSocket (RFC 6455) as a layer over a stream transport: each write of the application becomes binary frames, after
//! an HTTP/1.1 handshake.
//!
//! ```
//! use lasthop_contract::testing::{STREAM, WireEnd};
//! use lasthop_contract::{Cause, Chunk, Layer, Provenance, RandomStream, Transport, TransportOutput};
//! use lasthop_units::Instant;
//! use lasthop_websocket::{WebSocket, WebSocketConfig};
//!
//! let (client, server, _wire) = WireEnd::pair();
//! let config = std::sync::Arc::new(WebSocketConfig::new("mqtt"));
//! let mut client = WebSocket::new(client, config.clone(), Some(RandomStream::named(1, "device/0/ws")));
//! let mut server = WebSocket::new(server, config, Some(RandomStream::named(1, "server/0/ws")));
//! let now = Instant::ZERO;
//! let bytes = b"hello";
//! let provenance = Provenance::new(Layer::Application, Cause::Payload);
//! let early = [Chunk { bytes, provenance }];
//! let id = client.open(now, "192.0.2.1:80".parse()?, &early)?;
//! for _ in 0..3 {
//!     while !matches!(server.poll(now), TransportOutput::WaitUntil(_)) {}
//!     while !matches!(client.poll(now), TransportOutput::WaitUntil(_)) {}
//! }
//! let mut room = [0; 16];
//! server.read(now, id, STREAM, &mut room)?;
//! assert!(room.starts_with(b"hello"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod closing;
mod config;
mod connection;
mod frame;
mod handshake;
mod inbound;
mod messages;
mod opening;
mod outbound;
mod text;
mod transport;

pub use config::WebSocketConfig;
pub use messages::{MessageKind, MessageOutcome};
pub use transport::WebSocket;
