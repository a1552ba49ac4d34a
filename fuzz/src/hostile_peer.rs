use core::net::SocketAddr;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lasthop_contract::testing::STREAM;
use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, Established, ListenError, OpenError, OpenOptions,
    ReadOutcome, ResetReason, StreamError, StreamId, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_units::Instant;

use crate::exchange::PEER;

/// The other end of all connections of streams, in place of a transport: what it writes is the script's.
pub(crate) struct HostilePeer {
    connections: BTreeMap<u64, Connection>,
    events: VecDeque<(ConnectionId, TransportEvent)>,
    opened: u64,
    /// How many bytes it takes until it is told to take more.
    room: usize,
    /// What it was sent, by connection, those that are over too.
    pub(crate) heard: BTreeMap<u64, VecDeque<u8>>,
    /// Connections on which the end that is tested has said all.
    said_all: BTreeSet<u64>,
}

#[derive(Default)]
struct Connection {
    bytes: VecDeque<u8>,
    peer_finished: bool,
    finished: bool,
}

/// Where it is, on every connection.
pub(crate) const ADDRESS: SocketAddr = SocketAddr::new(PEER, 4433);
/// More events than this wait for nobody.
const MOST_EVENTS: usize = 100;

impl Default for HostilePeer {
    fn default() -> Self {
        Self {
            connections: BTreeMap::new(),
            events: VecDeque::new(),
            opened: 0,
            room: usize::MAX,
            heard: BTreeMap::new(),
            said_all: BTreeSet::new(),
        }
    }
}

impl HostilePeer {
    /// Opens a connection.
    pub(crate) fn add(&mut self) -> ConnectionId {
        let id = ConnectionId(self.opened);
        self.opened += 1;
        self.connections.insert(id.0, Connection::default());
        let established = TransportEvent::Established(Established::Full);
        self.events.push_back((id, established));
        id
    }

    /// Writes on a connection.
    pub(crate) fn say(&mut self, place: u64, bytes: &[u8]) {
        if let Some(connection) = self.connections.get_mut(&place)
            && !connection.peer_finished
            && self.events.len() < MOST_EVENTS
        {
            connection.bytes.extend(bytes);
            self.tell(place, TransportEvent::Readable(STREAM));
        }
    }

    /// Writes nothing more on a connection.
    pub(crate) fn end(&mut self, place: u64) {
        if let Some(connection) = self.connections.get_mut(&place) {
            connection.peer_finished = true;
            self.tell(place, TransportEvent::Readable(STREAM));
        }
    }

    /// Resets a connection.
    pub(crate) fn vanish(&mut self, place: u64) {
        if self.connections.remove(&place).is_some() {
            self.tell(place, TransportEvent::Closed(CloseReason::PeerReset));
        }
    }

    /// Takes as many more bytes.
    pub(crate) fn make_room(&mut self, room: usize) {
        self.room = room;
        for place in self.connections.keys() {
            let writable = TransportEvent::Writable(STREAM);
            self.events.push_back((ConnectionId(*place), writable));
        }
    }

    /// Whether a connection is there.
    pub(crate) fn has(&self, place: u64) -> bool {
        self.connections.contains_key(&place)
    }

    /// Whether the end that is tested has said all on a connection.
    pub(crate) fn has_said_all(&self, place: u64) -> bool {
        self.said_all.contains(&place)
    }

    fn tell(&mut self, place: u64, event: TransportEvent) {
        self.events.push_back((ConnectionId(place), event));
    }

    fn close_if_done(&mut self, id: ConnectionId) {
        let is_done = self
            .connections
            .get(&id.0)
            .is_some_and(|connection| connection.finished && connection.peer_finished);
        if is_done {
            self.connections.remove(&id.0);
            let closed = TransportEvent::Closed(CloseReason::Finished);
            self.events.push_back((id, closed));
        }
    }
}

impl Transport for HostilePeer {
    fn handle(&mut self, _now: Instant, _input: TransportInput) {}

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        match self.events.pop_front() {
            Some((id, event)) => TransportOutput::Event(id, event),
            None => TransportOutput::WaitUntil(None),
        }
    }

    fn open_with(
        &mut self,
        _now: Instant,
        _peer: SocketAddr,
        _options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let id = self.add();
        let heard = self.heard.entry(id.0).or_default();
        heard.extend(early_data.iter().flat_map(|chunk| chunk.bytes));
        Ok(id)
    }

    fn listen(&mut self, _port: u16) -> Result<(), ListenError> {
        Ok(())
    }

    fn initial_stream(&self, _connection: ConnectionId) -> Option<StreamId> {
        Some(STREAM)
    }

    fn write(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        _stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let known = self
            .connections
            .get(&connection.0)
            .ok_or(StreamError::NoSuchStream)?;
        assert!(!known.finished, "written behind the end");
        let length: usize = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        let taken = length.min(self.room);
        self.room -= taken;
        let bytes = chunks.iter().flat_map(|chunk| chunk.bytes).take(taken);
        self.heard.entry(connection.0).or_default().extend(bytes);
        Ok(taken)
    }

    fn read(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        _stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let known = self
            .connections
            .get_mut(&connection.0)
            .ok_or(StreamError::NoSuchStream)?;
        let length = known.bytes.len().min(into.len());
        for (place, byte) in into.iter_mut().zip(known.bytes.drain(..length)) {
            *place = byte;
        }
        if length > 0 {
            return Ok(ReadOutcome::Read(length));
        }
        if known.peer_finished {
            self.close_if_done(connection);
            return Ok(ReadOutcome::Finished);
        }
        Ok(ReadOutcome::Blocked)
    }

    fn finish(&mut self, _now: Instant, connection: ConnectionId, _stream: StreamId) {
        if let Some(known) = self.connections.get_mut(&connection.0) {
            known.finished = true;
            self.said_all.insert(connection.0);
        }
        self.close_if_done(connection);
    }

    fn reset(&mut self, _now: Instant, connection: ConnectionId, reason: ResetReason) {
        if self.connections.remove(&connection.0).is_some() {
            let closed = TransportEvent::Closed(CloseReason::Reset(reason));
            self.events.push_back((connection, closed));
        }
    }

    fn peer(&self, _connection: ConnectionId) -> Option<SocketAddr> {
        Some(ADDRESS)
    }
}
