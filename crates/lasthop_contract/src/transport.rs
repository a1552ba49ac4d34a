use core::net::{IpAddr, SocketAddr};

use lasthop_units::Instant;
use thiserror::Error;

use crate::{Expectation, Packet, Payload, Provenance};

/// Connections, streams and datagrams: what the layers stack by.
///
/// One contract for UDP flows, TCP, TLS, DTLS, QUIC, WebSocket and kernel sockets. A transport owns all
/// connections of its host at its layer. One that works over another takes `TransportInput` and hands it down,
/// drains the lower one and turns its events into its own. A datagram transport has no streams, a stream
/// transport no datagrams: what a transport leaves out answers with an error value, never a panic.
pub trait Transport {
    /// Takes what happened at `now`.
    fn handle(&mut self, now: Instant, input: TransportInput);

    /// Gives the next thing to do.
    fn poll(&mut self, now: Instant) -> TransportOutput;

    /// Starts a connection. `early_data` leaves with the first flight where the layer can do that
    /// ([`Established::Early`] says that the peer took it) and after the handshake otherwise.
    ///
    /// # Errors
    /// When no local address, port or room is left, or the early data does not fit.
    fn open(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError>;

    /// Accepts connections at a port from now on. Each announces itself by [`TransportEvent::Established`];
    /// nothing is held for those to come.
    ///
    /// # Errors
    /// When the port is taken.
    fn listen(&mut self, port: u16) -> Result<(), ListenError>;

    /// Opens a further stream. Every stream transport has [`StreamId::FIRST`] from the start.
    ///
    /// # Errors
    /// When the transport has no (further) streams.
    fn open_stream(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        Err(StreamError::NoFurtherStream)
    }

    /// Writes to a stream, in one go, and returns how many bytes it took; [`TransportEvent::Writable`] tells when
    /// it takes more. A transport that sends at once keeps the chunks together, as a system call does.
    ///
    /// # Errors
    /// When there is no such stream.
    fn write(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        _chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        Err(StreamError::DatagramsOnly)
    }

    /// Reads from a stream into a buffer.
    ///
    /// # Errors
    /// When there is no such stream.
    fn read(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        _into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        Err(StreamError::DatagramsOnly)
    }

    /// Sends one datagram made of chunks.
    ///
    /// # Errors
    /// When the connection is not there or the datagram is too large for it.
    fn send_datagram(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        Err(DatagramError::StreamsOnly)
    }

    /// Says what is expected to follow the datagram that is sent next on a connection ([`Packet::expect`]).
    fn expect(&mut self, _connection: ConnectionId, _expectation: Expectation) {}

    /// Takes the next datagram of a connection, after [`TransportEvent::DatagramReadable`].
    fn receive_datagram(&mut self, _connection: ConnectionId) -> Option<Payload> {
        None
    }

    /// Says that no more will be written to a stream; reading goes on.
    fn finish(&mut self, _now: Instant, _connection: ConnectionId, _stream: StreamId) {}

    /// Ends a connection at once.
    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason);

    /// The other end's address, as it is now.
    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr>;
}

/// A connection of one transport; never used twice in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// A stream of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

impl StreamId {
    /// The stream that every stream transport has.
    pub const FIRST: Self = Self(0);
}

/// Bytes to be sent, with where they come from.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Where they come from.
    pub provenance: Provenance,
}

/// What a transport is told.
#[derive(Debug)]
pub enum TransportInput {
    /// A packet for this host.
    Packet(Packet),
    /// The host's address is now this one.
    AddressChanged(IpAddr),
    /// A deadline has come. It may also come early: check the time.
    Timeout,
}

/// What a transport wants.
#[derive(Debug)]
pub enum TransportOutput {
    /// Send this packet.
    Transmit(Packet),
    /// Something happened to a connection.
    Event(ConnectionId, TransportEvent),
    /// A packet was of no use.
    Discard(Packet, DiscardReason),
    /// Nothing more before this instant; `None` sleeps until input arrives.
    WaitUntil(Option<Instant>),
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportEvent {
    /// It is there: opened by us, or accepted.
    Established(Established),
    /// A stream has bytes, or has ended.
    Readable(StreamId),
    /// A stream takes bytes again.
    Writable(StreamId),
    /// A datagram waits.
    DatagramReadable,
    /// The peer is at another address now.
    Rebound(SocketAddr),
    /// It is gone; its id means nothing any more.
    Closed(CloseReason),
}

/// How a connection came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Established {
    /// By a full handshake, or with none at all.
    Full,
    /// From an earlier session.
    Resumed,
    /// From an earlier session, and the early data was taken.
    Early,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends were done.
    Finished,
    /// We reset it.
    Reset(ResetReason),
    /// The peer reset it.
    PeerReset,
    /// The peer did not answer.
    TimedOut,
    /// The peer broke the protocol.
    PeerError,
}

/// Why an application ends a connection at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetReason {
    /// It has no further use for it.
    NotNeeded,
    /// The peer broke the application's protocol.
    PeerError,
}

/// What a read gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    /// This many bytes, at least one.
    Read(usize),
    /// None now.
    Blocked,
    /// None ever: the peer has finished.
    Finished,
}

/// Why a packet was of no use to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiscardReason {
    /// A length or a field that cannot be.
    Malformed,
    /// The bytes changed on the way.
    BadChecksum,
    /// It is for another address.
    WrongAddress,
    /// Nobody listens at this port.
    PortUnreachable,
    /// A protocol above IP that the host does not speak.
    UnknownProtocol,
    /// It belongs to no connection.
    NoConnection,
    /// Its sequence numbers lie outside the window.
    OutOfWindow,
    /// Its time stamp is older than the last one.
    OldTimestamp,
    /// It acknowledges what was acknowledged long ago.
    OldAcknowledgement,
    /// It acknowledges what was never sent.
    UnsentAcknowledged,
    /// Control bits that make no sense here.
    UnexpectedFlags,
    /// Too many connections wait to be established, or there is no room for another peer.
    BacklogFull,
}

impl DiscardReason {
    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::BadChecksum => "bad_checksum",
            Self::WrongAddress => "wrong_address",
            Self::PortUnreachable => "port_unreachable",
            Self::UnknownProtocol => "unknown_protocol",
            Self::NoConnection => "no_connection",
            Self::OutOfWindow => "out_of_window",
            Self::OldTimestamp => "old_timestamp",
            Self::OldAcknowledgement => "old_acknowledgement",
            Self::UnsentAcknowledged => "unsent_acknowledged",
            Self::UnexpectedFlags => "unexpected_flags",
            Self::BacklogFull => "backlog_full",
        }
    }
}

/// Why a connection cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// All local ports lead to this peer already.
    #[error("no local port is free")]
    NoFreePort,
    /// The peer's address is of another IP version than ours.
    #[error("the peer has an address of another IP version")]
    AddressFamily,
    /// The early data is larger than the first flight.
    #[error("the early data is too large")]
    EarlyDataTooLarge,
}

/// Why a port cannot be listened at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("port {0} is taken")]
pub struct ListenError(pub u16);

/// Why a stream cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StreamError {
    /// There is no such connection or stream.
    #[error("no such stream")]
    NoSuchStream,
    /// This transport carries datagrams.
    #[error("a datagram transport has no streams")]
    DatagramsOnly,
    /// A connection has one stream here, or as many as the peer allows.
    #[error("no further stream can be opened")]
    NoFurtherStream,
}

/// Why a datagram cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DatagramError {
    /// There is no such connection.
    #[error("no such connection")]
    NoSuchConnection,
    /// It does not fit.
    #[error("the datagram is too large")]
    TooLarge,
    /// This transport carries streams.
    #[error("a stream transport has no datagrams")]
    StreamsOnly,
}
