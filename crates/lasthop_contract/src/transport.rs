use core::net::{IpAddr, SocketAddr};

use lasthop_units::{Duration, Instant};

use crate::{
    Awaited, DatagramError, DiscardReason, Expectation, InterfaceId, JoinError, ListenError, Mtu,
    OpenError, Packet, Payload, Provenance, ReadOutcome, ResetReason, StreamError, Survives,
    TransportEvent,
};

/// Connections, streams and datagrams: what the layers stack by.
///
/// One contract for UDP flows, TCP, TLS, DTLS, QUIC, WebSocket and kernel sockets. A transport owns all
/// connections of its host at its layer. One that works over another takes `TransportInput` and hands it down,
/// drains the lower one and turns its events into its own. A datagram transport has no streams, a stream
/// transport no datagrams: what a transport leaves out answers with an error value, never a panic.
///
/// A stream comes into being with its connection ([`Transport::initial_stream`]), by [`Transport::open_stream`], or at
/// the peer, which [`TransportEvent::StreamOpened`] tells. An application uses the streams that it was given so.
pub trait Transport {
    /// Takes what happened at `now`.
    fn handle(&mut self, now: Instant, input: TransportInput);

    /// Gives the next thing to do.
    fn poll(&mut self, now: Instant) -> TransportOutput;

    /// Starts a connection from any port, by the interface that leads to the peer.
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

    /// Starts a connection. `early_data` leaves with the first flight where the layer can do that
    /// ([`Established::Early`](crate::Established::Early) says that the peer took it) and after the handshake otherwise;
    /// in a stream transport it is the beginning of the initial stream.
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

    /// Accepts connections at a port from now on. Each announces itself by [`TransportEvent::Established`];
    /// nothing is held for those to come.
    ///
    /// # Errors
    /// When the port is taken.
    fn listen(&mut self, port: u16) -> Result<(), ListenError>;

    /// Receives the datagrams that are sent to a multicast group at a port from now on. Those of one sender come by one
    /// connection, whose answers go to the sender alone; a connection that is opened to the group sends to all of it.
    ///
    /// # Errors
    /// When the address is no group's, the port is taken, or the transport has no datagrams.
    fn join(&mut self, group: IpAddr, _port: u16) -> Result<(), JoinError> {
        Err(JoinError::StreamsOnly(group))
    }

    /// The stream that a connection came with: the only one of TCP and of what keeps to one stream over it. A transport
    /// of many streams has one where early data was given.
    fn initial_stream(&self, _connection: ConnectionId) -> Option<StreamId> {
        None
    }

    /// A stream that both ends write to, of a connection that was opened here: the one that it came with, or else a new
    /// one.
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

    /// Opens a further stream. The peer is told by [`TransportEvent::StreamOpened`], at the latest with its first byte.
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

    /// What is to follow the last packet that it has given, either way, while the application waits for so much: its own
    /// acknowledgements and handshakes are a part of that. `None` where more than one packet is to come, where it has more to
    /// send, or where it cannot tell.
    fn expectation(&self, _awaited: Awaited) -> Option<Expectation> {
        None
    }

    /// Takes the next datagram of a connection, after [`TransportEvent::DatagramReadable`].
    fn receive_datagram(&mut self, _connection: ConnectionId) -> Option<Payload> {
        None
    }

    /// Says that no more will be written to a stream; reading goes on.
    fn finish(&mut self, _now: Instant, _connection: ConnectionId, _stream: StreamId) {}

    /// Gives up a stream, both ways, and leaves the others: what was not acknowledged is not sent again, and what comes is
    /// not read. The peer learns the code ([`TransportEvent::StreamReset`]). Where a connection is one stream, it ends.
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

    /// Has what waits on a stream sent before what waits on those of a lower priority, as far as its connection has
    /// several; each begins at 0. It matters at this end alone.
    fn prioritise(&mut self, _connection: ConnectionId, _stream: StreamId, _priority: i32) {}

    /// Has a connection outlast its first stream, at this end: it ends by [`Transport::close`] or [`Transport::reset`]. Where a
    /// connection is one stream, it ends with it all the same.
    fn outlast_streams(&mut self, _connection: ConnectionId) {}

    /// Ends a connection at once, with a code of the application for the peer where there is a place for it.
    fn close(&mut self, now: Instant, connection: ConnectionId, _code: u64) {
        self.reset(now, connection, ResetReason::NotNeeded);
    }

    /// Ends a connection at once.
    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason);

    /// Says that the application holds nothing about a peer any more and expects nothing from it. A transport that holds
    /// no more than the peer's address forgets the connection; one that holds a session with the peer keeps it, since the
    /// peer does and will use it again.
    fn forget(&mut self, _now: Instant, _connection: ConnectionId) {}

    /// Says that what was sent by a connection is given up, and how long its last copy has waited. A transport whose session
    /// the peer may have lost begins another with it by the same connection, unless it has heard from the peer meanwhile.
    fn unanswered(&mut self, _now: Instant, _connection: ConnectionId, _waited: Duration) {}

    /// The other end's address, as it is now.
    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr>;

    /// What lies in memory for its connections. A transport that stands on another does not say it.
    fn held(&self) -> Held {
        Held::default()
    }

    /// The address of this end towards a peer, as it is now, by an interface or the one that leads there; `None` where the
    /// transport does not know it.
    fn local_address(&self, _towards: IpAddr, _by: Option<InterfaceId>) -> Option<IpAddr> {
        None
    }
}

/// A connection of one transport; never used twice in a run. The highest eight bits are left to
/// a set of transports that an application sees as one, which says there whose connection it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

const COLUMN_SHIFT: u32 = 56;

impl ConnectionId {
    /// The same connection, as it is called in a set of transports.
    #[must_use]
    pub const fn in_column(self, column: u8) -> Self {
        Self(self.0 | (column as u64) << COLUMN_SHIFT)
    }

    /// Of which transport of a set it is.
    #[must_use]
    pub const fn column(self) -> u8 {
        (self.0 >> COLUMN_SHIFT) as u8
    }

    /// As the transport itself calls it.
    #[must_use]
    pub const fn within_column(self) -> Self {
        Self(self.0 & ((1 << COLUMN_SHIFT) - 1))
    }
}

/// A stream of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// Who writes to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Both ends.
    Bidirectional,
    /// Who opened it.
    Unidirectional,
}

/// What a transport has in memory for its connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Connections that are there, or about to be.
    pub connections: u32,
    /// Connections of which only the number is kept (RFC 9293 section 3.6.1).
    pub time_waits: u32,
    /// Bytes that have come and that nobody has read.
    pub unread_bytes: u64,
    /// Bytes that were written and that the peer has not acknowledged.
    pub written_bytes: u64,
}

/// How a connection is opened, where that matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The port at this end; without it the transport takes a free one.
    pub local_port: Option<u16>,
    /// The interface that its packets leave by; without it the host's routes decide.
    pub interface: Option<InterfaceId>,
    /// Which of the transports that an application has, from 0, where it has several.
    pub column: u8,
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
    /// A packet for this host, which knows the interface that it came by.
    Packet(Packet),
    /// An interface has a new address; the one from before no longer works. No program of the host is told.
    AddressChanged {
        /// The interface.
        interface: InterfaceId,
        /// Its new address.
        address: IpAddr,
    },
    /// The programs of the host are told that an address changed. Connections from an address that is gone end, and
    /// layers that can move a session do so.
    AddressNoticed,
    /// How large packets by an interface may be, where that is not as on Ethernet.
    InterfaceMtu {
        /// The interface.
        interface: InterfaceId,
        /// How large.
        mtu: Mtu,
    },
    /// The application's process ends: nothing is accepted any more, and connections close behind what was written.
    Stop,
    /// The host lost its power: all connections are gone, nothing is sent, and only what is named is still there.
    Crash(Survives),
    /// A deadline has come. It may also come early: check the time.
    Timeout,
}

/// What a transport wants.
#[derive(Debug)]
pub enum TransportOutput {
    /// Send this packet, by its interface if it has one, or else by the one that leads to its destination.
    Transmit(Packet),
    /// Something happened to a connection.
    Event(ConnectionId, TransportEvent),
    /// A packet was of no use.
    Discard(Packet, DiscardReason),
    /// A peer that was at rest gave way to another one, for want of room. Its connection ends by an event of its own.
    Evicted,
    /// Nothing more before this instant; `None` sleeps until input arrives.
    WaitUntil(Option<Instant>),
}
