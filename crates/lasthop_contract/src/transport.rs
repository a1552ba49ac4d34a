use core::net::{IpAddr, SocketAddr};

use lasthop_units::{Duration, Instant};

use crate::{
    Awaited, DatagramError, DiscardReason, Expectation, InterfaceId, JoinError, ListenError, Mtu,
    OpenError, Packet, Payload, Provenance, ReadOutcome, ResetReason, StreamError, Survives,
    TransportEvent,
};

/// A transport: connections, streams and datagrams. Protocol layers are transports on top of another.
///
/// One contract for UDP flows, TCP, TLS, DTLS, QUIC, WebSocket and kernel sockets. A transport owns all
/// connections of its host at its layer. One that works over another takes `TransportInput` and hands it down,
/// drains the lower one and turns its events into its own. A datagram transport has no streams, a stream
/// transport no datagrams: what a transport leaves out answers with an error value, never a panic.
///
/// A stream comes into being with its connection ([`Transport::initial_stream`]), by [`Transport::open_stream`], or at
/// the peer, which [`TransportEvent::StreamOpened`] tells. An application uses the streams that it was given so.
pub trait Transport {
    /// Processes an input that happened at `now`.
    fn handle(&mut self, now: Instant, input: TransportInput);

    /// Returns the next output of the transport.
    fn poll(&mut self, now: Instant) -> TransportOutput;

    /// Opens a connection from any free port, by the interface that the route to the peer uses.
    ///
    /// # Errors
    /// Those of [`Transport::open_with`].
    fn open(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        self.open_with(now, peer, OpenOptions::default(), early_data)
    }

    /// Opens a connection, with optional early data.
    ///
    /// `early_data` leaves in the first flight if the layer supports that
    /// ([`Established::Early`](crate::Established::Early) reports that the peer accepted it), otherwise after the
    /// handshake. In a stream transport it is the beginning of the initial stream.
    ///
    /// # Errors
    /// When no local address, port or room is left, the port is another's, or the early data does not fit.
    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError>;

    /// Accepts connections at a port from now on.
    ///
    /// Each is announced by [`TransportEvent::Established`]. Nothing is allocated before that.
    ///
    /// # Errors
    /// When the port is taken.
    fn listen(&mut self, port: u16) -> Result<(), ListenError>;

    /// Receives the datagrams of a multicast group at a port from now on.
    ///
    /// The datagrams of one sender arrive on one connection, and answers on it go to that sender only. A connection
    /// opened to the group sends to all members.
    ///
    /// # Errors
    /// When the address is no group's, the port is taken, or the transport has no datagrams.
    fn join(&mut self, group: IpAddr, _port: u16) -> Result<(), JoinError> {
        Err(JoinError::StreamsOnly(group))
    }

    /// Returns the first stream of a connection.
    ///
    /// It is the only stream of TCP and of layers with one stream. A transport with many streams has one if early data
    /// was given.
    fn initial_stream(&self, _connection: ConnectionId) -> Option<StreamId> {
        None
    }

    /// Returns a bidirectional stream of a connection that this end opened. It is the first stream of the connection if
    /// there is one, or else a new stream.
    ///
    /// # Errors
    /// When there is no such connection, or the peer allows no stream yet.
    fn own_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        match self.initial_stream(connection) {
            Some(stream) => Ok(stream),
            None => self.open_stream(now, connection, StreamKind::Bidirectional),
        }
    }

    /// Opens another stream on a connection.
    ///
    /// The peer gets [`TransportEvent::StreamOpened`], at the latest with the first byte.
    ///
    /// # Errors
    /// When the transport has no (further) streams.
    fn open_stream(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        Err(StreamError::NoFurtherStream)
    }

    /// Writes to a stream and returns the number of bytes accepted.
    ///
    /// [`TransportEvent::Writable`] announces further room. A transport that sends at once keeps the chunks together,
    /// as a system call does.
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

    /// Declares what is expected to follow the next datagram on a connection ([`Packet::expect`]).
    fn expect(&mut self, _connection: ConnectionId, _expectation: Expectation) {}

    /// Returns what follows the last packet sent, for the given expectation of the application.
    ///
    /// Its own acknowledgements and handshakes count. It is `None` if several packets follow, if it has more to send,
    /// or if it cannot know.
    fn expectation(&self, _awaited: Awaited) -> Option<Expectation> {
        None
    }

    /// Takes the next datagram of a connection, after [`TransportEvent::DatagramReadable`].
    fn receive_datagram(&mut self, _connection: ConnectionId) -> Option<Payload> {
        None
    }

    /// Ends the writing side of a stream. Reading continues.
    fn finish(&mut self, _now: Instant, _connection: ConnectionId, _stream: StreamId) {}

    /// Resets a stream in both directions and leaves the other streams.
    ///
    /// Unacknowledged data is not sent again and incoming data is not read. The peer receives the code
    /// ([`TransportEvent::StreamReset`]). A connection with a single stream ends.
    ///
    /// # Errors
    /// When there is no such stream.
    fn reset_stream(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        _code: u64,
    ) -> Result<(), StreamError> {
        Err(StreamError::DatagramsOnly)
    }

    /// Sets the priority of a stream, 0 by default.
    ///
    /// Data on streams of higher priority leaves first. It has an effect only if a connection has several streams, and
    /// only at this end.
    fn prioritise(&mut self, _connection: ConnectionId, _stream: StreamId, _priority: i32) {}

    /// Keeps a connection open at this end after its first stream has ended, until [`Transport::close`] or
    /// [`Transport::reset`]. A connection that is a single stream still ends with that stream.
    fn outlast_streams(&mut self, _connection: ConnectionId) {}

    /// Closes a connection at once, with an application code if the protocol carries one.
    fn close(&mut self, now: Instant, connection: ConnectionId, _code: u64) {
        self.reset(now, connection, ResetReason::NotNeeded);
    }

    /// Ends a connection at once.
    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason);

    /// Releases a peer for which the application holds no state and from which it expects nothing.
    ///
    /// A transport without sessions forgets the connection. One with a session keeps it, because the peer keeps it and
    /// will use it again.
    fn forget(&mut self, _now: Instant, _connection: ConnectionId) {}

    /// Reports that the application gave up on an unanswered request, and the time since its last transmission.
    ///
    /// If the peer may have lost the session, the transport starts a new one on the same connection, unless it has
    /// received from the peer meanwhile.
    fn unanswered(&mut self, _now: Instant, _connection: ConnectionId, _waited: Duration) {}

    /// Returns the peer's current address.
    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr>;

    /// Returns the memory that the transport's connections use. A transport on top of another does not report it.
    fn held(&self) -> Held {
        Held::default()
    }

    /// Returns the current local address towards a peer.
    ///
    /// It is the address of the given interface, or of the one that routes to the peer. `None` if the transport does
    /// not know it.
    fn local_address(&self, _towards: IpAddr, _by: Option<InterfaceId>) -> Option<IpAddr> {
        None
    }
}

/// A connection of a transport, never reused in a run.
///
/// The highest eight bits belong to a [set of transports](Transport), which stores the transport's index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

const COLUMN_SHIFT: u32 = 56;

impl ConnectionId {
    /// Returns the ID that a set of transports uses for this connection.
    #[must_use]
    pub const fn in_column(self, column: u8) -> Self {
        Self(self.0 | (column as u64) << COLUMN_SHIFT)
    }

    /// Returns the index of the transport in its set.
    #[must_use]
    pub const fn column(self) -> u8 {
        (self.0 >> COLUMN_SHIFT) as u8
    }

    /// Returns the ID that the transport itself uses.
    #[must_use]
    pub const fn within_column(self) -> Self {
        Self(self.0 & ((1 << COLUMN_SHIFT) - 1))
    }
}

/// A stream of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// The writers of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Both ends write.
    Bidirectional,
    /// Only the end that opened it writes.
    Unidirectional,
}

/// The memory that the connections of a transport use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Established connections and those being established.
    pub connections: u32,
    /// Connections in TIME-WAIT, of which only the number is kept (RFC 9293 section 3.6.1).
    pub time_waits: u32,
    /// Received bytes that were not read yet.
    pub unread_bytes: u64,
    /// Bytes that were written and that the peer has not acknowledged.
    pub written_bytes: u64,
}

/// Options for opening a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The local port. `None` chooses a free one.
    pub local_port: Option<u16>,
    /// The interface for its packets. `None` leaves the choice to the host's routes.
    pub interface: Option<InterfaceId>,
    /// The index of the transport, from 0, if the application has several.
    pub column: u8,
}

/// Bytes to send, with their provenance.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// The origin of the bytes.
    pub provenance: Provenance,
}

/// An input to a transport.
#[derive(Debug)]
pub enum TransportInput {
    /// A packet for this host. It carries the interface by which it arrived.
    Packet(Packet),
    /// An interface has a new address and the old one no longer works. The programs of the host are not notified.
    AddressChanged {
        /// The interface.
        interface: InterfaceId,
        /// Its new address.
        address: IpAddr,
    },
    /// The programs of the host are notified of a changed address.
    ///
    /// Connections from the old address end. Layers that can migrate a session do so.
    AddressNoticed,
    /// The maximum packet size of an interface, if it differs from Ethernet's.
    InterfaceMtu {
        /// The interface.
        interface: InterfaceId,
        /// How large.
        mtu: Mtu,
    },
    /// The application's process ends.
    ///
    /// New connections are refused and existing ones close after the written data.
    Stop,
    /// The host loses power.
    ///
    /// All connections are gone, nothing is sent, and only the named state survives.
    Crash(Survives),
    /// A deadline has passed.
    ///
    /// It can also come early, so check the time.
    Timeout,
}

/// An output of a transport.
#[derive(Debug)]
pub enum TransportOutput {
    /// Send this packet by the interface that it names, or else by the one that leads to its destination.
    Transmit(Packet),
    /// An event of a connection.
    Event(ConnectionId, TransportEvent),
    /// A packet was discarded, for this reason.
    Discard(Packet, DiscardReason),
    /// An idle peer was evicted to make room for another one. Its connection ends with a separate event.
    Evicted,
    /// There is nothing to do before this instant. `None` waits for input.
    WaitUntil(Option<Instant>),
}
