use core::net::SocketAddr;
use core::num::NonZeroU32;
use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::testing::STREAM;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Chunk, CloseReason, ConnectionId,
    Established, FlowId, ListenError, MessageId, OpenError, OpenOptions, OutgoingMessage,
    ReadOutcome, ResetReason, StreamError, StreamId, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::script::Script;

/// An application over streams, and the bytes of a hostile peer in any pieces.
pub(crate) struct StreamExchange<A> {
    application: A,
    peer: HostilePeer,
    now: Instant,
    deadline: Option<Instant>,
    sent: u32,
}

/// The other end of all connections: what it writes is the script's, what it is sent is counted and forgotten.
#[derive(Default)]
struct HostilePeer {
    connections: BTreeMap<u64, Connection>,
    events: VecDeque<(ConnectionId, TransportEvent)>,
    opened: u64,
    /// How many bytes it takes until it is told to take more.
    room: usize,
}

#[derive(Default)]
struct Connection {
    bytes: VecDeque<u8>,
    peer_finished: bool,
    finished: bool,
}

/// More outputs than this for one input are a loop.
const MOST_OUTPUTS: usize = 100_000;

impl<A: Application> StreamExchange<A> {
    /// The application has started.
    pub(crate) fn new(application: A) -> Self {
        let mut exchange = Self {
            application,
            peer: HostilePeer {
                room: usize::MAX,
                ..HostilePeer::default()
            },
            now: Instant::ZERO,
            deadline: None,
            sent: 0,
        };
        exchange.inform(ApplicationInput::Start);
        exchange
    }

    /// Plays all of a script. `greeting` is what the peer says first on each connection that it opens.
    pub(crate) fn play(&mut self, script: &mut Script<'_>, greeting: &[u8]) {
        while !script.is_empty() {
            let instruction = script.byte();
            let place = u64::from(instruction >> 5);
            match instruction & 7 {
                0 => self.accept(greeting),
                1 | 2 => self.deliver(place, script.slice()),
                3 => self.finish(place),
                4 => self.close(place),
                5 => self.pass(Duration::from_millis(u64::from(script.word()) * 100)),
                6 => self.make_room(usize::from(script.word())),
                _ => self.send(script.slice()),
            }
            self.drain();
        }
    }

    /// The peer's first bytes on the connection that the application opened.
    pub(crate) fn greet(&mut self, bytes: &[u8]) {
        self.deliver(0, bytes);
        self.drain();
    }

    fn accept(&mut self, greeting: &[u8]) {
        let id = self.peer.add();
        self.deliver(id.0, greeting);
    }

    fn deliver(&mut self, place: u64, bytes: &[u8]) {
        let (id, count) = (ConnectionId(place), self.peer.events.len());
        if let Some(connection) = self.peer.connections.get_mut(&place)
            && !connection.peer_finished
            && count < 100
        {
            connection.bytes.extend(bytes);
            let readable = TransportEvent::Readable(STREAM);
            self.peer.events.push_back((id, readable));
        }
    }

    fn finish(&mut self, place: u64) {
        if let Some(connection) = self.peer.connections.get_mut(&place) {
            connection.peer_finished = true;
            let readable = TransportEvent::Readable(STREAM);
            self.peer.events.push_back((ConnectionId(place), readable));
        }
    }

    fn close(&mut self, place: u64) {
        if self.peer.connections.remove(&place).is_some() {
            let closed = TransportEvent::Closed(CloseReason::PeerReset);
            self.peer.events.push_back((ConnectionId(place), closed));
        }
    }

    fn make_room(&mut self, room: usize) {
        self.peer.room = room;
        for place in self.peer.connections.keys() {
            let writable = TransportEvent::Writable(STREAM);
            self.peer.events.push_back((ConnectionId(*place), writable));
        }
    }

    fn pass(&mut self, span: Duration) {
        self.now += span;
        if self.deadline.is_some_and(|at| at <= self.now) {
            self.inform(ApplicationInput::Timeout);
        }
    }

    fn send(&mut self, payload: &[u8]) {
        self.sent += 1;
        let Some(number) = NonZeroU32::new(self.sent) else {
            return;
        };
        let flow = FlowId(7);
        let id = MessageId { flow, number };
        self.inform(ApplicationInput::Send(OutgoingMessage {
            id,
            payload,
            asks: false,
        }));
    }

    fn inform(&mut self, input: ApplicationInput<'_>) {
        self.application.handle(self.now, input, &mut self.peer);
        self.drain();
    }

    fn drain(&mut self) {
        for _ in 0..MOST_OUTPUTS {
            match self.application.poll(self.now, &mut self.peer) {
                ApplicationOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    let Some((id, event)) = self.peer.events.pop_front() else {
                        return;
                    };
                    let input = ApplicationInput::Transport(id, event);
                    self.application.handle(self.now, input, &mut self.peer);
                }
                ApplicationOutput::Ready(..)
                | ApplicationOutput::Event(_)
                | ApplicationOutput::Received(_) => {}
            }
        }
        panic!("the application does not come to rest");
    }
}

impl HostilePeer {
    fn add(&mut self) -> ConnectionId {
        // A script names eight connections; more would be out of its reach.
        let id = ConnectionId(self.opened);
        self.opened += 1;
        self.connections.insert(id.0, Connection::default());
        let established = TransportEvent::Established(Established::Full);
        self.events.push_back((id, established));
        id
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
        TransportOutput::WaitUntil(None)
    }

    fn open_with(
        &mut self,
        _now: Instant,
        _peer: SocketAddr,
        _options: OpenOptions,
        _early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        Ok(self.add())
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
        None
    }
}
