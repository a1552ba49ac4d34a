//! Transports over kernel sockets.

mod listener;
mod tcp;
mod tcp_flow;
mod udp;

pub use listener::{Listener, ListenerError};
pub use tcp::{ConnectionLimits, KernelTcp, Tally};
pub use udp::KernelUdp;
