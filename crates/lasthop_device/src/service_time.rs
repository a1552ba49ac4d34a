use core::num::NonZeroU16;

use lasthop_contract::Packet;
use lasthop_units::{DataSize, Duration};

use crate::connection_count::NewConnections;

/// The service time of a host and its number of workers. Zero takes no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceTime {
    /// The number of parallel workers.
    pub workers: NonZeroU16,
    /// The queue limit: received packets, and packets to send.
    pub room: DataSize,
    /// The time for each received packet.
    pub packet: Duration,
    /// The time for each received byte, from the IP header on.
    pub byte: Duration,
    /// The time for each connection with a full handshake or none.
    pub connection: Duration,
    /// The time for each resumed connection.
    pub resumption: Duration,
    /// The time for each received or sent message, at its first byte.
    pub message: Duration,
}

impl ServiceTime {
    /// Returns the time for a received packet, without the messages in it.
    pub(crate) fn of_packet(&self, packet: &Packet) -> Duration {
        self.packet + self.byte * packet.length() as u64
    }

    /// Returns the time for new connections.
    pub(crate) fn of_connections(&self, new: NewConnections) -> Duration {
        self.connection * new.full + self.resumption * new.resumed
    }
}
