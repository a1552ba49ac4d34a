//! A toy record layer over a stream, in the shape that TLS has: a handshake that costs a round trip, tickets that each
//! resume one later connection, early data, records that a stream cuts anywhere, and an end that tells a close from a
//! truncation.
//!
//! A record is a type, a length of two bytes and a body. It has no cryptography.

use core::cell::RefCell;
use core::net::SocketAddr;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use lasthop_contract::{
    Cause, Chunk, ClientSessions, CloseReason, ConnectionId, Established, Layer, ListenError,
    OpenError, OpenOptions, Outbox, Provenance, ReadOutcome, ResetReason, ServerSessions,
    StreamError, StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

const HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const DATA: u8 = 3;
const CLOSE: u8 = 4;
const EARLY: u8 = 5;
const HEADER_LENGTH: usize = 3;
pub(super) const LARGEST_BODY: usize = 1000;
const TICKETS_AT_ONCE: u32 = 2;

const RECORD: Provenance = Provenance::new(Layer::Tls, Cause::Header);
const HANDSHAKE: Provenance = Provenance::new(Layer::Tls, Cause::SessionSetUp);
const TEAR_DOWN: Provenance = Provenance::new(Layer::Tls, Cause::SessionTearDown);

/// What both ends of a host remember, which its layers share and which outlives them.
#[derive(Clone)]
pub(super) struct Stores {
    pub(super) client: Rc<RefCell<ClientSessions<SocketAddr, [u8; 4]>>>,
    server: Rc<RefCell<ServerSessions>>,
}

impl Stores {
    pub(super) fn new() -> Self {
        Self {
            client: Rc::default(),
            server: Rc::new(RefCell::new(ServerSessions::new(100))),
        }
    }
}

/// All record connections of a host, over the connections of the transport below, by whose ids they go.
pub(super) struct StreamRecords<T> {
    lower: T,
    stores: Stores,
    connections: BTreeMap<ConnectionId, Connection>,
    outputs: VecDeque<TransportOutput>,
    next_ticket: u32,
}

struct Connection {
    outbox: Outbox,
    is_ready: bool,
    /// What waits for the handshake.
    early: Vec<(Provenance, Vec<u8>)>,
    sent_early: bool,
    inbound: Vec<u8>,
    readable: VecDeque<u8>,
    peer_closed: bool,
    closed: bool,
    resumed: bool,
    is_full: bool,
}

impl<T: Transport> StreamRecords<T> {
    pub(super) fn new(lower: T, stores: Stores) -> Self {
        Self {
            lower,
            stores,
            connections: BTreeMap::new(),
            outputs: VecDeque::new(),
            next_ticket: 1,
        }
    }

    fn begin(&mut self, id: ConnectionId, stream: StreamId) -> &mut Connection {
        self.connections.entry(id).or_insert(Connection {
            outbox: Outbox::new(stream),
            is_ready: false,
            early: Vec::new(),
            sent_early: false,
            inbound: Vec::new(),
            readable: VecDeque::new(),
            peer_closed: false,
            closed: false,
            resumed: false,
            is_full: false,
        })
    }

    /// Ends the stream below without the record that says so, as someone in between would.
    pub(super) fn truncate(&mut self, now: Instant, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.outbox.finish(now, &mut self.lower, id);
        }
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }

    fn record(&mut self, now: Instant, id: ConnectionId, kind: u8, body: &[u8], cause: Provenance) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let [high, low] = (body.len() as u16).to_be_bytes();
        let header = [kind, high, low];
        let of_header = if matches!(kind, DATA | EARLY) {
            RECORD
        } else {
            cause
        };
        let chunks = [(&header[..], of_header), (body, cause)]
            .map(|(bytes, provenance)| Chunk { bytes, provenance });
        connection.outbox.write(now, &mut self.lower, id, &chunks);
    }

    fn on_lower(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(_) => {
                if !self.connections.contains_key(&id)
                    && let Some(stream) = event.new_stream(id, &self.lower)
                {
                    self.begin(id, stream);
                }
            }
            TransportEvent::Readable(stream) => self.receive(now, id, stream),
            TransportEvent::Writable(stream) => {
                if let Some(connection) = self.connections.get_mut(&id)
                    && connection.outbox.flush(now, &mut self.lower, id)
                    && core::mem::take(&mut connection.is_full)
                {
                    self.emit(id, TransportEvent::Writable(stream));
                }
            }
            TransportEvent::Closed(reason) => {
                let connection = self.connections.remove(&id);
                // A stream that ends without a word was cut off.
                let was_whole = connection.is_some_and(|it| it.peer_closed && it.closed);
                let reason = match reason {
                    CloseReason::Finished if !was_whole => CloseReason::PeerError,
                    reason => reason,
                };
                self.emit(id, TransportEvent::Closed(reason));
            }
            _ => {}
        }
    }

    fn receive(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let mut room = [0; 300];
        while let Ok(outcome) = self.lower.read(now, id, stream, &mut room) {
            let Some(connection) = self.connections.get_mut(&id) else {
                return;
            };
            match outcome {
                ReadOutcome::Read(count) => connection.inbound.extend(&room[..count]),
                ReadOutcome::Blocked => return,
                ReadOutcome::Finished if connection.peer_closed => return,
                ReadOutcome::Finished => {
                    return self.lower.reset(now, id, ResetReason::PeerError);
                }
            }
            while let Some((kind, body)) = self.next_record(id) {
                self.take(now, id, stream, kind, &body);
            }
        }
    }

    fn next_record(&mut self, id: ConnectionId) -> Option<(u8, Vec<u8>)> {
        let inbound = &mut self.connections.get_mut(&id)?.inbound;
        let (&[kind, high, low], rest) = inbound.split_first_chunk::<HEADER_LENGTH>()?;
        let length = usize::from(u16::from_be_bytes([high, low]));
        let body = rest.get(..length)?.to_vec();
        inbound.drain(..HEADER_LENGTH + length);
        Some((kind, body))
    }

    fn take(&mut self, now: Instant, id: ConnectionId, stream: StreamId, kind: u8, body: &[u8]) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        match kind {
            HELLO => self.accept(now, id, body),
            SERVER_HELLO => self.finish_handshake(now, id, body),
            // Of a hello whose ticket was not known.
            EARLY if !connection.resumed => {}
            DATA | EARLY => {
                connection.readable.extend(body);
                self.emit(id, TransportEvent::Readable(stream));
            }
            CLOSE => {
                connection.peer_closed = true;
                self.emit(id, TransportEvent::Readable(stream));
            }
            _ => self.lower.reset(now, id, ResetReason::PeerError),
        }
    }

    /// Answers a hello: a known ticket resumes, and new ones go with the answer.
    fn accept(&mut self, now: Instant, id: ConnectionId, ticket: &[u8]) {
        let resumes = self.stores.server.borrow_mut().take(ticket).is_some();
        let mut answer = vec![u8::from(resumes)];
        for _ in 0..TICKETS_AT_ONCE {
            let ticket = self.next_ticket.to_be_bytes();
            self.next_ticket += 1;
            self.stores.server.borrow_mut().put(&ticket, b"state");
            answer.extend(ticket);
        }
        self.record(now, id, SERVER_HELLO, &answer, HANDSHAKE);
        let connection = self.connections.get_mut(&id).expect("it has just spoken");
        connection.is_ready = true;
        connection.resumed = resumes;
        let how = if resumes {
            Established::Resumed
        } else {
            Established::Full
        };
        self.emit(id, TransportEvent::Established(how));
    }

    fn finish_handshake(&mut self, now: Instant, id: ConnectionId, body: &[u8]) {
        let (Some(peer), Some((resumed, tickets))) = (self.lower.peer(id), body.split_first())
        else {
            return;
        };
        for ticket in tickets.as_chunks().0 {
            self.stores.client.borrow_mut().keep(peer, *ticket);
        }
        let connection = self.connections.get_mut(&id).expect("it has just spoken");
        connection.is_ready = true;
        let was_early = connection.sent_early;
        let waiting = core::mem::take(&mut connection.early);
        let how = match (*resumed == 1, was_early) {
            (true, true) => Established::Early,
            (true, false) => Established::Resumed,
            (false, _) => Established::Full,
        };
        if how != Established::Early {
            for (provenance, bytes) in waiting {
                self.record(now, id, DATA, &bytes, provenance);
            }
        }
        self.emit(id, TransportEvent::Established(how));
    }
}

impl<T: Transport> Transport for StreamRecords<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        if let TransportInput::Crash(survives) = input {
            self.connections.clear();
            self.outputs.clear();
            if !survives.tickets.is_durable() {
                *self.stores.client.borrow_mut() = ClientSessions::new();
            }
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return output;
            }
            match self.lower.poll(now) {
                TransportOutput::Event(id, event) => self.on_lower(now, id, event),
                TransportOutput::WaitUntil(_) if !self.outputs.is_empty() => {}
                output => return output,
            }
        }
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let ticket = self.stores.client.borrow_mut().take(&peer);
        let id = self.lower.open_with(now, peer, options, &[])?;
        let stream = self
            .lower
            .own_stream(now, id)
            .map_err(|_| OpenError::NoFreePort)?;
        let early = early_data
            .iter()
            .map(|it| (it.provenance, it.bytes.to_vec()));
        let connection = self.begin(id, stream);
        connection.early = early.collect();
        connection.sent_early = ticket.is_some() && !connection.early.is_empty();
        let early = connection.sent_early.then(|| connection.early.clone());
        self.record(now, id, HELLO, &ticket.unwrap_or_default(), HANDSHAKE);
        for (provenance, bytes) in early.into_iter().flatten() {
            self.record(now, id, EARLY, &bytes, provenance);
        }
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        self.lower.initial_stream(connection)
    }

    fn write(
        &mut self,
        now: Instant,
        id: ConnectionId,
        _stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let connection = self.connections.get_mut(&id);
        let connection = connection
            .filter(|it| !it.closed)
            .ok_or(StreamError::NoSuchStream)?;
        if !connection.is_ready || !connection.outbox.is_empty() {
            connection.is_full = true;
            return Ok(0);
        }
        let mut taken = 0;
        for chunk in chunks {
            for body in chunk.bytes.chunks(LARGEST_BODY) {
                self.record(now, id, DATA, body, chunk.provenance);
                taken += body.len();
            }
        }
        Ok(taken)
    }

    fn read(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        _stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let connection = self.connections.get_mut(&id);
        let connection = connection.ok_or(StreamError::NoSuchStream)?;
        let count = into.len().min(connection.readable.len());
        for (place, byte) in into.iter_mut().zip(connection.readable.drain(..count)) {
            *place = byte;
        }
        Ok(match count {
            0 if connection.peer_closed => ReadOutcome::Finished,
            0 => ReadOutcome::Blocked,
            _ => ReadOutcome::Read(count),
        })
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, _stream: StreamId) {
        self.record(now, id, CLOSE, &[], TEAR_DOWN);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.closed = true;
            connection.outbox.finish(now, &mut self.lower, id);
        }
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.lower.reset(now, id, reason);
    }

    fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.lower.peer(id)
    }
}
