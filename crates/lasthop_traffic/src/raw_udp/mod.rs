//! Payloads directly in UDP datagrams, with or without acknowledgement and retransmission.
//!
//! Without acknowledgement a datagram is the payload. With it, four bytes come first: a type and the number
//! of the message. Commands need a greeting first, so that the server learns where the device is.

mod client;
mod frame;
mod message_link;
mod reliability;
mod server;

pub use client::RawUdpClient;
pub use frame::{Frame, FrameError, FrameId};
pub use reliability::RetransmissionPolicy;
pub use server::RawUdpServer;

/// The default port of the server.
pub const PORT: u16 = 40_000;
