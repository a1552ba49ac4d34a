//! From IP up to what an application sees: wire formats, UDP, TCP, and the host that they live on.
//!
//! What is not here yet (TLS, DTLS, QUIC) implements the same [`lasthop_contract::Transport`].

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
