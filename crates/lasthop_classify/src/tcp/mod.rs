//! TCP as somebody sees it who stands beside it.

mod connection;
mod half;
mod segment;

pub(crate) use connection::Connection;
pub(crate) use segment::Segment;
