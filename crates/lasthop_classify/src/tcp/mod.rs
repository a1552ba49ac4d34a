//! Reassembly of captured TCP connections.

mod connection;
mod half;
mod segment;

pub(crate) use connection::Connection;
pub(crate) use segment::Segment;
