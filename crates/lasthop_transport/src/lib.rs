//! IP, UDP, TCP, and a host that runs an application over them.
//!
//! TLS, DTLS, QUIC and WebSocket are crates of their own. They implement the same [`lasthop_contract::Transport`].
//!
//! # Order of calls
//!
//! 1. Create a transport with the address of its host, for example [`Udp`] or [`Tcp`].
//! 2. Create a [`StackHost`] with the transport and an application. It drives both and is a
//!    [`Host`](lasthop_contract::Host).
//! 3. Without a host, drive the transport yourself: open or listen, then poll it until it waits, as the example does.
//!
//! # Example
//!
//! ```
//! use lasthop_contract::{Cause, Chunk, Layer, Provenance, Transport, TransportOutput};
//! use lasthop_transport::Udp;
//! use lasthop_units::Instant;
//!
//! let now = Instant::ZERO;
//! let mut udp = Udp::new("192.0.2.1".parse()?);
//! let connection = udp.open(now, "192.0.2.2:5683".parse()?, &[])?;
//! let provenance = Provenance::new(Layer::Application, Cause::Payload);
//! udp.send_datagram(now, connection, &[Chunk { bytes: b"hello", provenance }])?;
//!
//! let mut sent = 0;
//! loop {
//!     match udp.poll(now) {
//!         TransportOutput::Transmit(packet) => sent += packet.length(),
//!         TransportOutput::WaitUntil(_) => break,
//!         _ => {}
//!     }
//! }
//! assert_eq!(sent, 20 + 8 + 5, "headers of IPv4 and UDP, and the datagram");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fallback;
mod flow_table;
mod host_network;
mod ip;
mod local;
mod packed_peer;
mod peer_limit;
mod port_table;
mod release_assistance;
mod routes;
mod service;
mod stack_host;
pub mod tcp;
mod transport_set;
mod udp;

pub use fallback::{Fallback, FallbackPolicy};
pub use flow_table::{Flow, FlowTable, Full, place_of};
pub use host_network::{ColumnId, HostNetwork};
pub use ip::IpPacket;
pub use lasthop_contract::{TCP_PROTOCOL, UDP_PROTOCOL};
pub use local::Local;
pub use peer_limit::PeerLimit;
pub use release_assistance::ReleaseAssistance;
pub use routes::Routes;
pub use service::Service;
pub use stack_host::StackHost;
pub use tcp::{Tcp, TcpProfile};
pub use transport_set::{Column, TransportSet};
pub use udp::Udp;
