use core::num::NonZeroU16;

use lasthop_contract::Packet;
use lasthop_units::{DataSize, Duration};

use crate::connection_count::NewConnections;

/// How long a host works on what comes, and with how many workers. Zero takes no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceTime {
    /// How many pieces of work go on at the same time.
    pub workers: NonZeroU16,
    /// How much may wait for a worker: the packets that have come, and those that are to leave.
    pub room: DataSize,
    /// For each packet that comes.
    pub packet: Duration,
    /// For each byte of it, from the IP header on.
    pub byte: Duration,
    /// For each connection that comes about by a full handshake, or by none.
    pub connection: Duration,
    /// For each one that comes about from an earlier session.
    pub resumption: Duration,
    /// For each message that comes, and for each that leaves, with its first byte.
    pub message: Duration,
}

impl ServiceTime {
    /// For a packet that comes, without the messages in it.
    pub(crate) fn of_packet(&self, packet: &Packet) -> Duration {
        self.packet + self.byte * packet.length() as u64
    }

    /// For connections that are there now.
    pub(crate) fn of_connections(&self, new: NewConnections) -> Duration {
        self.connection * new.full + self.resumption * new.resumed
    }
}
