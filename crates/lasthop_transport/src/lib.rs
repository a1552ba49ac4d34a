//! From IP up to what an application sees: wire formats, UDP, TCP, and the host that they live on.
//!
//! What is not here yet (TLS, DTLS, QUIC, WebSocket) implements the same [`lasthop_contract::Transport`].

mod flow_table;
mod ip;
mod peer_limit;
mod ports;
mod stack_host;
pub mod tcp;
mod udp;

pub use flow_table::{Flow, FlowTable, Full};
pub use ip::{IpPacket, TCP_PROTOCOL, UDP_PROTOCOL};
pub use peer_limit::PeerLimit;
pub use stack_host::{Routes, StackHost};
pub use tcp::{Tcp, TcpProfile};
pub use udp::Udp;
