//! QUIC (RFC 9000, RFC 9001, RFC 9002, RFC 9221) over a datagram transport, as a transport with streams.
//!
//! The protocol is quinn-proto over rustls. In a run every random number comes from a named stream and the time is that
//! of the run, so that two runs of a seed agree in every byte; on sockets both are the system's. What each byte of a
//! packet is there for is noted while it is sealed.

mod admission;
mod clock;
mod connection;
mod crypto;
mod driving;
mod endpoint;
mod events;
mod frames;
mod gate;
mod handshake;
mod labels;
mod outcome;
mod profile;
mod qlog;
mod quic;
mod receiving;
mod room;
mod streams;
mod transport;

pub use admission::QuicLimits;
pub use profile::{Congestion, QuicClient, QuicServer, QuicSettings};
pub use quic::Quic;
