//! Messages on one TCP connection: a length of four bytes, big endian, and the payload.
//!
//! TCP is all the reliability there is: what was under way when a connection is lost is lost with it. A device
//! whose connection is gone opens another. Commands need a greeting first, a payload whose message number is 0,
//! so that the server learns which connection leads to the device.

mod client;
mod framed_stream;
mod inbox;
mod server;

pub use client::RawTcpClient;
pub use server::RawTcpServer;

/// The default port of the server.
pub const PORT: u16 = 40_001;
