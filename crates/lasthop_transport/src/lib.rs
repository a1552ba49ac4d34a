//! From IP up to what an application sees: wire formats, UDP, and the host that they live on.
//!
//! What is not here yet (TCP, TLS, DTLS, QUIC, WebSocket) implements the same [`lasthop_contract::Transport`].

mod flow_table;
mod ip;
mod stack_host;
mod udp;

pub use ip::{IpPacket, UDP_PROTOCOL};
pub use stack_host::{Routes, StackHost};
pub use udp::Udp;
