use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, DatagramError, Established, Expectation, JoinError,
    Layer, ListenError, LookupMap, OpenError, OpenOptions, Payload, Provenance, RandomStream,
    ResetReason, TimerQueue, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;
use ring::hmac;

use crate::clock::of_library;
use crate::connection::{Connection, Turn, Wish};
use crate::hello::{Hello, RECORD_HEADER_LENGTH, TLS12_CID};
use crate::surroundings::Surroundings;
use crate::{ClientProfile, ServerProfile};

/// The most that one record carries (RFC 5246 section 6.2.1).
const LARGEST_FRAGMENT: usize = 16 * 1024;

/// What stands between the kind of a record and its connection ID: version, epoch and number (RFC 9146 section 4).
const BEFORE_CONNECTION_ID: usize = 2 + 2 + 6;

/// How often a connection ID is drawn that another has, before a client gets none.
const MOST_DRAWS: u8 = 100;

/// All DTLS connections of a host, over the connections of a datagram transport.
pub struct Dtls<T> {
    lower: T,
    client: Option<ClientProfile>,
    server: Option<ServerProfile>,
    host: Option<Box<Surroundings>>,
    connections: BTreeMap<ConnectionId, Connection>,
    /// Which connection leads over one below.
    flows: LookupMap<ConnectionId, ConnectionId>,
    /// Whose records carry which connection ID.
    by_connection_id: LookupMap<Box<[u8]>, ConnectionId>,
    timers: TimerQueue<ConnectionId>,
    inbox: VecDeque<(ConnectionId, Payload)>,
    outputs: VecDeque<TransportOutput>,
    /// What cookies are made with.
    secret: Option<hmac::Key>,
    expectation: Option<(ConnectionId, Expectation)>,
    next: u64,
}

impl<T: Transport> Dtls<T> {
    /// A host that opens connections, accepts them, or both. Its random numbers are those of the stream; without one they
    /// are the system's.
    pub fn new(
        lower: T,
        client: Option<ClientProfile>,
        server: Option<ServerProfile>,
        random: Option<RandomStream>,
    ) -> Self {
        Self {
            lower,
            client,
            server,
            host: Some(Box::new(Surroundings {
                random,
                sealed: VecDeque::new(),
            })),
            connections: BTreeMap::new(),
            flows: LookupMap::new(),
            by_connection_id: LookupMap::new(),
            timers: TimerQueue::new(),
            inbox: VecDeque::new(),
            outputs: VecDeque::new(),
            secret: None,
            expectation: None,
            next: 0,
        }
    }

    /// What is below.
    pub fn lower(&mut self) -> &mut T {
        &mut self.lower
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }

    fn on_lower(&mut self, now: Instant, flow: ConnectionId, event: TransportEvent) {
        match (event, self.flows.get(&flow).copied()) {
            (TransportEvent::DatagramReadable, _) => self.receive(now, flow),
            (TransportEvent::Closed(reason), Some(id)) => {
                self.forget(id);
                self.emit(id, TransportEvent::Closed(reason));
            }
            (TransportEvent::Rebound, Some(id)) => self.emit(id, TransportEvent::Rebound),
            _ => {}
        }
    }

    fn receive(&mut self, now: Instant, flow: ConnectionId) {
        while let Some(datagram) = self.lower.receive_datagram(flow) {
            if let Some(id) = self.named_by(&datagram) {
                self.follow(now, id, flow, &datagram);
                continue;
            }
            let known = self.flows.get(&flow).copied();
            let hello = self.server.as_ref().and_then(|_| Hello::read(&datagram));
            match (known, hello) {
                (Some(id), Some(hello)) if self.is_new(id, &hello) => {
                    self.greet(now, flow, Some(id), &hello, &datagram);
                }
                (Some(id), _) => self.wish(now, id, &Wish::Receive(&datagram)),
                (None, Some(hello)) => self.greet(now, flow, None, &hello, &datagram),
                (None, None) => self.lower.reset(now, flow, ResetReason::NotNeeded),
            }
        }
    }

    /// The connection whose connection ID a datagram carries.
    fn named_by(&self, datagram: &[u8]) -> Option<ConnectionId> {
        let length = usize::from(self.server.as_ref()?.connection_id);
        let (kind, rest) = datagram.split_first()?;
        let id = rest.get(BEFORE_CONNECTION_ID..BEFORE_CONNECTION_ID + length)?;
        (*kind == TLS12_CID)
            .then(|| self.by_connection_id.get(id).copied())
            .flatten()
    }

    /// Takes a datagram of a connection that may come from a new address. It is the peer's where its newest record is
    /// authentic (RFC 9146 section 6).
    fn follow(&mut self, now: Instant, id: ConnectionId, flow: ConnectionId, datagram: &[u8]) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let (before, newest) = (connection.deadline, connection.newest_received());
        let turn = connection.go_on(now, &mut self.host, &Wish::Receive(datagram));
        let old = connection.flow;
        if old != flow && connection.newest_received() > newest {
            connection.flow = flow;
            self.leave(old, id);
            self.flows.insert(flow, id);
            self.lower.reset(now, old, ResetReason::NotNeeded);
            self.emit(id, TransportEvent::Rebound);
        }
        self.take_turn(now, id, before, turn);
        if !self.flows.contains(&flow) {
            self.lower.reset(now, flow, ResetReason::NotNeeded);
        }
    }

    /// A connection leads no longer over one below.
    fn leave(&mut self, flow: ConnectionId, id: ConnectionId) {
        if self.flows.get(&flow) == Some(&id) {
            self.flows.remove(&flow);
        }
    }

    /// Whether a client that has a session begins another, as after it was switched off (RFC 6347 section 4.2.8).
    fn is_new(&self, id: ConnectionId, hello: &Hello<'_>) -> bool {
        let connection = self.connections.get(&id);
        connection.is_some_and(|it| it.is_established && it.hello != first_bytes(hello.random))
    }

    /// Answers a ClientHello: asks for a cookie, or begins a session.
    fn greet(
        &mut self,
        now: Instant,
        flow: ConnectionId,
        known: Option<ConnectionId>,
        hello: &Hello<'_>,
        datagram: &[u8],
    ) {
        let (Some(server), Some(from)) = (&self.server, self.lower.peer(flow)) else {
            return;
        };
        let config = Arc::clone(&server.config);
        let secret = self.secret.get_or_insert_with(|| {
            let mut bytes = [0; 32];
            if let Some(host) = &mut self.host {
                host.fill(&mut bytes);
            }
            hmac::Key::new(hmac::HMAC_SHA256, &bytes)
        });
        let has_shown = hello.is_answer(secret, from);
        if !has_shown && (server.asks_for_cookie || known.is_some()) {
            let request = hello.verify_request(secret, from);
            let (header, message) = request.split_at(RECORD_HEADER_LENGTH);
            let chunks = [(header, Cause::Header), (message, Cause::SessionSetUp)];
            let chunks = chunks.map(|(bytes, cause)| Chunk {
                bytes,
                provenance: Provenance::new(Layer::Dtls, cause),
            });
            let _ = self.lower.send_datagram(now, flow, &chunks);
            if known.is_none() {
                self.lower.reset(now, flow, ResetReason::NotNeeded);
            }
            return;
        }
        if let Some(id) = known {
            self.forget(id);
            self.emit(id, TransportEvent::Closed(CloseReason::PeerReset));
        }
        let mut session = Surroundings::enter(&mut self.host, || {
            dimpl::Dtls::new_12_psk(config, of_library(now))
        });
        let connection_id = self.unused_connection_id();
        if !connection_id.is_empty() {
            session.set_connection_id(connection_id.clone());
        }
        if hello.message_number > 0 {
            session.continue_after_cookie(hello.record_number);
        }
        let mut connection = Connection::new(session, flow);
        connection.hello = first_bytes(hello.random);
        connection.connection_id = connection_id.into();
        let name = connection.connection_id.clone();
        let id = self.add(connection);
        if !name.is_empty() {
            self.by_connection_id.insert(name, id);
        }
        self.wish(now, id, &Wish::Receive(datagram));
    }

    /// A connection ID that no client has; empty where there is none, or none is wanted.
    fn unused_connection_id(&mut self) -> Vec<u8> {
        let length = self.server.as_ref().map_or(0, |it| it.connection_id);
        let mut id = vec![0; length.into()];
        for _ in 0..MOST_DRAWS {
            let is_drawn = self.host.as_mut().is_some_and(|it| it.fill(&mut id));
            if is_drawn && !self.by_connection_id.contains(&id[..]) {
                return id;
            }
        }
        Vec::new()
    }

    fn add(&mut self, connection: Connection) -> ConnectionId {
        let id = ConnectionId(self.next);
        self.next += 1;
        self.flows.insert(connection.flow, id);
        self.connections.insert(id, connection);
        id
    }

    fn wish(&mut self, now: Instant, id: ConnectionId, wish: &Wish<'_>) {
        if let Some(connection) = self.connections.get_mut(&id) {
            let before = connection.deadline;
            let turn = connection.go_on(now, &mut self.host, wish);
            self.take_turn(now, id, before, turn);
        }
    }

    /// Does what a session wants after it went on.
    fn take_turn(&mut self, now: Instant, id: ConnectionId, before: Option<Instant>, turn: Turn) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        let flow = connection.flow;
        if before != connection.deadline {
            let _ = before.map(|at| self.timers.disarm(at, id));
            let _ = connection.deadline.map(|at| self.timers.arm(at, id));
        }
        for (datagram, spans, expectation) in &turn.datagrams {
            if let Some(expectation) = expectation {
                self.lower.expect(flow, *expectation);
            }
            let mut rest = &datagram[..];
            let chunks = spans.iter().map(|(provenance, length)| {
                let bytes;
                (bytes, rest) = rest.split_at(*length);
                Chunk {
                    bytes,
                    provenance: *provenance,
                }
            });
            let chunks: Vec<Chunk<'_>> = chunks.collect();
            // What does not leave is lost, as datagrams are.
            let _ = self.lower.send_datagram(now, flow, &chunks);
        }
        if turn.is_newly_established {
            self.emit(id, TransportEvent::Established(Established::Full));
        }
        for payload in turn.received {
            self.inbox.push_back((id, payload));
            self.emit(id, TransportEvent::DatagramReadable);
        }
        if let Some(reason) = turn.closed {
            self.forget(id);
            self.lower.reset(now, flow, ResetReason::NotNeeded);
            self.emit(id, TransportEvent::Closed(reason));
        }
    }

    fn forget(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.remove(&id) {
            self.leave(connection.flow, id);
            self.by_connection_id.remove(&connection.connection_id);
            let _ = connection.deadline.map(|at| self.timers.disarm(at, id));
        }
    }
}

fn first_bytes(random: &[u8]) -> u64 {
    random.first_chunk().copied().map_or(0, u64::from_be_bytes)
}

impl<T: Transport> Transport for Dtls<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match &input {
            TransportInput::Crash(_) => {
                self.connections.clear();
                self.flows = LookupMap::new();
                self.by_connection_id = LookupMap::new();
                self.timers = TimerQueue::new();
                self.inbox.clear();
                self.outputs.clear();
                self.secret = None;
            }
            TransportInput::Stop => {
                let ids: Vec<ConnectionId> = self.connections.keys().copied().collect();
                for id in ids {
                    self.wish(now, id, &Wish::Close);
                    self.forget(id);
                }
            }
            TransportInput::Timeout => {
                while let Some(id) = self.timers.pop_due(now) {
                    if let Some(connection) = self.connections.get_mut(&id) {
                        connection.deadline = None;
                    }
                    self.wish(now, id, &Wish::Wake);
                }
            }
            TransportInput::Packet(_) | TransportInput::AddressChanged { .. } => {}
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return output;
            }
            match self.lower.poll(now) {
                TransportOutput::Event(flow, event) => self.on_lower(now, flow, event),
                TransportOutput::WaitUntil(_) if !self.outputs.is_empty() => {}
                TransportOutput::WaitUntil(deadline) => {
                    let deadlines = [deadline, self.timers.next_deadline()];
                    return TransportOutput::WaitUntil(deadlines.into_iter().flatten().min());
                }
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
        let profile = self.client.as_ref().ok_or(OpenError::NoSuchColumn)?;
        let config = Arc::clone(&profile.config);
        let takes_connection_id = profile.takes_connection_id;
        let flow = self.lower.open_with(now, peer, options, &[])?;
        let session = Surroundings::enter(&mut self.host, || {
            let mut session = dimpl::Dtls::new_12_psk(config, of_library(now));
            session.set_active(true);
            if takes_connection_id {
                session.set_connection_id(Vec::new());
            }
            session
        });
        let id = self.add(Connection::new(session, flow));
        if !early_data.is_empty() {
            // It leaves behind the handshake.
            let _ = self.send_datagram(now, id, early_data);
        }
        self.wish(now, id, &Wish::Wake);
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
    }

    fn join(&mut self, group: IpAddr, _port: u16) -> Result<(), JoinError> {
        // A group has no key that its members could prove to each other.
        Err(JoinError::NoGroup(group))
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let connection = self.connections.get_mut(&id);
        let connection = connection.ok_or(DatagramError::NoSuchConnection)?;
        if chunks.iter().map(|it| it.bytes.len()).sum::<usize>() > LARGEST_FRAGMENT {
            return Err(DatagramError::TooLarge);
        }
        let expected = self.expectation.take();
        let expectation = expected.and_then(|(of, it)| (of == id).then_some(it));
        let before = connection.deadline;
        let turn = connection.send(now, &mut self.host, chunks, expectation);
        self.take_turn(now, id, before, turn);
        Ok(())
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        self.expectation = Some((connection, expectation));
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        let place = self.inbox.iter().position(|(id, _)| *id == connection)?;
        self.inbox.remove(place).map(|(_, payload)| payload)
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.wish(now, id, &Wish::Close);
        if let Some(flow) = self.connections.get(&id).map(|it| it.flow) {
            self.forget(id);
            self.lower.reset(now, flow, ResetReason::NotNeeded);
            self.emit(id, TransportEvent::Closed(CloseReason::Reset(reason)));
        }
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        let connection = self.connections.get(&connection)?;
        self.lower.peer(connection.flow)
    }
}

impl<T> core::fmt::Debug for Dtls<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Dtls({} connections)", self.connections.len())
    }
}
