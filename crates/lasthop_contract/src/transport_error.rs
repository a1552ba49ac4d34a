use core::net::IpAddr;

use thiserror::Error;

/// Why a connection cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// All local ports towards this peer are in use.
    #[error("no local port is free")]
    NoFreePort,
    /// The peer's address and the local address have different IP versions.
    #[error("the peer has an address of another IP version")]
    AddressFamily,
    /// The local port belongs to a service of this host, or is already connected to this peer.
    #[error("local port {0} is taken")]
    PortTaken(u16),
    /// The application has fewer transports than this index.
    #[error("there is no such transport")]
    NoSuchColumn,
    /// The early data is larger than the first flight.
    #[error("the early data is too large")]
    EarlyDataTooLarge,
}

/// The port cannot be listened on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("port {0} is taken")]
pub struct ListenError(pub u16);

/// Why a multicast group cannot be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JoinError {
    /// The address is a unicast address.
    #[error("{0} is no multicast address")]
    NoGroup(IpAddr),
    /// The port belongs to another service of this host.
    #[error("port {0} is taken")]
    PortTaken(u16),
    /// This transport only carries streams, which have a single receiver.
    #[error("a stream transport receives nothing that is sent to {0}")]
    StreamsOnly(IpAddr),
}

/// Why a stream cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StreamError {
    /// The connection or stream does not exist.
    #[error("no such stream")]
    NoSuchStream,
    /// This transport only carries datagrams.
    #[error("a datagram transport has no streams")]
    DatagramsOnly,
    /// The stream limit is reached: one in this transport, or the number that the peer allows.
    #[error("no further stream can be opened")]
    NoFurtherStream,
}

/// Why a datagram cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DatagramError {
    /// The connection does not exist.
    #[error("no such connection")]
    NoSuchConnection,
    /// The data does not fit a datagram.
    #[error("the datagram is too large")]
    TooLarge,
    /// This transport only carries streams.
    #[error("a stream transport has no datagrams")]
    StreamsOnly,
}
