//! RTPS over TCP: frames on a connection, which both participants use.
//!
//! The protocol is that of Fast DDS 2.9. DDSI-RTPS 2.5 has none. A device opens the connection and says where its
//! participant is (`BindConnection`). Each end asks for the logical ports at which the other one receives
//! (`OpenLogicalPort`), and then sends RTPS messages to them.

mod channel;
mod checksum;
mod control;
mod frame;
mod transport;

pub use self::transport::RtpsTcp;

/// The bytes of a logical port, with which each datagram of [`RtpsTcp`] begins. The number is little-endian.
pub(crate) const LOGICAL_PORT: usize = 2;
