use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;

use super::STREAM;
use crate::{
    Chunk, CloseReason, ConnectionId, DatagramError, Established, ListenError, OpenError,
    OpenOptions, Payload, Provenance, RandomStream, ReadOutcome, ResetReason, StreamError,
    StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

/// One end of an in-memory transport with one stream a connection and datagrams, without packets, protocol or delay.
///
/// Both ends share the [`Wire`], by which a test has a say in everything that a stream may do.
#[derive(Debug)]
pub struct WireEnd {
    wire: Rc<RefCell<Wire>>,
    is_server: bool,
}

/// The state between the two ends, and its behaviour.
#[derive(Debug)]
pub struct Wire {
    streams: BTreeMap<u64, Stream>,
    events: [VecDeque<(ConnectionId, TransportEvent)>; 2],
    next: u64,
    room: [usize; 2],
    /// The maximum number of bytes of a read.
    pub read_size: usize,
    /// If set, each read returns a random part of the available bytes.
    pub random: Option<RandomStream>,
    /// Whether connections can be made.
    pub is_up: bool,
    /// All accepted chunks by writer; the server is last.
    pub written: [Vec<(Provenance, Vec<u8>)>; 2],
    /// Whether accepted chunks are recorded.
    pub record: bool,
    /// Whether data from the client is accepted and discarded.
    pub swallows: bool,
    datagrams: [VecDeque<(ConnectionId, Payload)>; 2],
}

#[derive(Debug, Default)]
struct Stream {
    /// What each end has written (server last).
    halves: [Half; 2],
    /// Where each end finds the other.
    peers: [Option<SocketAddr>; 2],
}

/// What one end has written.
#[derive(Debug, Default)]
struct Half {
    bytes: VecDeque<u8>,
    is_finished: bool,
    was_blocked: bool,
    /// The other end has seen the end.
    is_drained: bool,
}

/// Where the end that opens connections is.
const CALLER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 49152);

impl WireEnd {
    /// Creates a client end, a server end and the wire between them.
    #[must_use]
    pub fn pair() -> (Self, Self, Rc<RefCell<Wire>>) {
        let wire = Rc::new(RefCell::new(Wire {
            streams: BTreeMap::new(),
            events: [VecDeque::new(), VecDeque::new()],
            next: 0,
            room: [usize::MAX; 2],
            read_size: usize::MAX,
            random: None,
            is_up: true,
            written: [Vec::new(), Vec::new()],
            record: true,
            swallows: false,
            datagrams: [VecDeque::new(), VecDeque::new()],
        }));
        let end = |is_server| Self {
            wire: Rc::clone(&wire),
            is_server,
        };
        (end(false), end(true), wire)
    }

    /// Returns the wire between the ends.
    #[must_use]
    pub fn wire(&self) -> &RefCell<Wire> {
        &self.wire
    }

    fn mine(&self) -> usize {
        usize::from(self.is_server)
    }
}

impl Wire {
    /// Cuts all connections: data in flight is lost and both ends are notified.
    pub fn cut(&mut self) {
        let ids: Vec<u64> = self.streams.keys().copied().collect();
        self.streams.clear();
        for id in ids {
            for events in &mut self.events {
                events.push_back((
                    ConnectionId(id),
                    TransportEvent::Closed(CloseReason::TimedOut),
                ));
            }
        }
    }

    /// Sets how many bytes of each connection can be queued before writes block, by writer, server last.
    pub fn set_room(&mut self, room: [usize; 2]) {
        self.room = room;
        for (id, stream) in &mut self.streams {
            for (end, half) in stream.halves.iter_mut().enumerate() {
                if half.bytes.len() < room[end] && core::mem::take(&mut half.was_blocked) {
                    let writable = TransportEvent::Writable(STREAM);
                    self.events[end].push_back((ConnectionId(*id), writable));
                }
            }
        }
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.streams.len()
    }

    /// Returns the bytes that `end` (1 is the server) has written and the other has not read, to modify them.
    pub fn under_way(&mut self, connection: ConnectionId, end: usize) -> Option<&mut VecDeque<u8>> {
        let stream = self.streams.get_mut(&connection.0)?;
        Some(&mut stream.halves[end].bytes)
    }

    fn take(&mut self, end: usize, id: u64, chunk: Chunk<'_>) -> usize {
        let room = self.room[end];
        let Some(stream) = self.streams.get_mut(&id) else {
            return 0;
        };
        let half = &mut stream.halves[end];
        let taken = chunk.bytes.len().min(room.saturating_sub(half.bytes.len()));
        half.was_blocked |= taken < chunk.bytes.len();
        if self.swallows && end == 0 {
            return taken;
        }
        half.bytes.extend(&chunk.bytes[..taken]);
        if taken > 0 {
            self.events[1 - end].push_back((ConnectionId(id), TransportEvent::Readable(STREAM)));
            if self.record {
                self.written[end].push((chunk.provenance, chunk.bytes[..taken].to_vec()));
            }
        }
        taken
    }

    fn close_if_done(&mut self, id: u64) {
        let is_done = self.streams.get(&id).is_some_and(|stream| {
            stream
                .halves
                .iter()
                .all(|half| half.is_finished && half.is_drained)
        });
        if is_done {
            self.streams.remove(&id);
            for events in &mut self.events {
                events.push_back((
                    ConnectionId(id),
                    TransportEvent::Closed(CloseReason::Finished),
                ));
            }
        }
    }
}

impl Transport for WireEnd {
    fn handle(&mut self, _now: Instant, _input: TransportInput) {}

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        let mine = self.mine();
        match self.wire.borrow_mut().events[mine].pop_front() {
            Some((id, event)) => TransportOutput::Event(id, event),
            None => TransportOutput::WaitUntil(None),
        }
    }

    fn open_with(
        &mut self,
        _now: Instant,
        peer: SocketAddr,
        _options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let mine = self.mine();
        let mut wire = self.wire.borrow_mut();
        let id = wire.next;
        wire.next += 1;
        if !wire.is_up {
            wire.events[mine].push_back((
                ConnectionId(id),
                TransportEvent::Closed(CloseReason::TimedOut),
            ));
            return Ok(ConnectionId(id));
        }
        let mut stream = Stream::default();
        stream.peers[mine] = Some(peer);
        stream.peers[1 - mine] = Some(CALLER);
        wire.streams.insert(id, stream);
        for events in &mut wire.events {
            events.push_back((
                ConnectionId(id),
                TransportEvent::Established(Established::Full),
            ));
        }
        let room = core::mem::replace(&mut wire.room, [usize::MAX; 2]);
        for chunk in early_data {
            wire.take(mine, id, *chunk);
        }
        wire.room = room;
        Ok(ConnectionId(id))
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
        let mine = self.mine();
        let mut wire = self.wire.borrow_mut();
        let stream = wire
            .streams
            .get(&connection.0)
            .ok_or(StreamError::NoSuchStream)?;
        assert!(!stream.halves[mine].is_finished, "written after the end");
        let taken = chunks
            .iter()
            .map(|chunk| wire.take(mine, connection.0, *chunk));
        Ok(taken.sum())
    }

    fn read(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        _stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let mine = self.mine();
        let wire = &mut *self.wire.borrow_mut();
        let stream = wire
            .streams
            .get_mut(&connection.0)
            .ok_or(StreamError::NoSuchStream)?;
        let half = &mut stream.halves[1 - mine];
        if half.bytes.is_empty() {
            if !half.is_finished {
                return Ok(ReadOutcome::Blocked);
            }
            half.is_drained = true;
            wire.close_if_done(connection.0);
            return Ok(ReadOutcome::Finished);
        }
        let mut length = into.len().min(half.bytes.len()).min(wire.read_size);
        if let Some(random) = &mut wire.random {
            length = 1 + random.below(length as u64) as usize;
        }
        for place in into.iter_mut().take(length) {
            *place = half.bytes.pop_front().unwrap_or_default();
        }
        if core::mem::take(&mut half.was_blocked) {
            wire.events[1 - mine].push_back((connection, TransportEvent::Writable(STREAM)));
        }
        Ok(ReadOutcome::Read(length))
    }

    fn send_datagram(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let mine = self.mine();
        let wire = &mut *self.wire.borrow_mut();
        if !wire.streams.contains_key(&connection.0) {
            return Err(DatagramError::NoSuchConnection);
        }
        if !(wire.swallows && mine == 0) {
            let bytes: Vec<u8> = chunks.iter().flat_map(|it| it.bytes).copied().collect();
            let datagram = (connection, Payload::copied_from(&bytes));
            wire.datagrams[1 - mine].push_back(datagram);
            wire.events[1 - mine].push_back((connection, TransportEvent::DatagramReadable));
        }
        Ok(())
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        let mine = self.mine();
        let datagrams = &mut self.wire.borrow_mut().datagrams[mine];
        let place = datagrams.iter().position(|(of, _)| *of == connection)?;
        datagrams.remove(place).map(|(_, datagram)| datagram)
    }

    fn finish(&mut self, _now: Instant, connection: ConnectionId, _stream: StreamId) {
        let mine = self.mine();
        let wire = &mut *self.wire.borrow_mut();
        if let Some(stream) = wire.streams.get_mut(&connection.0) {
            let half = &mut stream.halves[mine];
            assert!(!half.is_finished, "finished twice");
            half.is_finished = true;
            wire.events[1 - mine].push_back((connection, TransportEvent::Readable(STREAM)));
        }
    }

    fn reset(&mut self, _now: Instant, connection: ConnectionId, reason: ResetReason) {
        let mine = self.mine();
        let mut wire = self.wire.borrow_mut();
        if wire.streams.remove(&connection.0).is_some() {
            let closed = TransportEvent::Closed(CloseReason::Reset(reason));
            wire.events[mine].push_back((connection, closed));
            let closed = TransportEvent::Closed(CloseReason::PeerReset);
            wire.events[1 - mine].push_back((connection, closed));
        }
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.wire.borrow().streams.get(&connection.0)?.peers[self.mine()]
    }
}
