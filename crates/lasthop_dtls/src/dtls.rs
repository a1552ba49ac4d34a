use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;

use crate::connection::{Connection, Turn, Wish};
use crate::crypto_context::{CryptoContext, Opening};
use crate::hello_fragments::HelloFragments;
use crate::resumption::{Resumable, Sessions};
use crate::{ClientProfile, ServerProfile};
use lasthop_contract::{
    Awaited, Chunk, CloseReason, ConnectionId, DatagramError, DiscardReason, Expectation,
    Handshakes, JoinError, ListenError, LookupMap, OpenError, OpenOptions, Payload, RandomStream,
    ResetReason, ShortQueue, TimerQueue, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_tls::Trust;
use lasthop_units::{Duration, Instant};

/// As long as the digest that it is used with.
pub(crate) const SECRET_LENGTH: usize = 32;

/// The most that one record carries (RFC 5246 section 6.2.1).
const LARGEST_FRAGMENT: usize = 16 * 1024;

/// All DTLS connections of a host, over a datagram transport.
pub struct Dtls<T> {
    pub(crate) lower: T,
    client: Option<Box<ClientProfile>>,
    pub(crate) server: Option<Box<ServerProfile>>,
    pub(crate) host: Option<Box<CryptoContext>>,
    pub(crate) connections: LookupMap<ConnectionId, Box<Connection>>,
    /// Which connection leads over one below.
    pub(crate) flows: LookupMap<ConnectionId, ConnectionId>,
    /// Whose records carry which connection ID.
    pub(crate) by_connection_id: LookupMap<Box<[u8]>, ConnectionId>,
    /// There where sessions are resumed.
    pub(crate) sessions: Option<Box<Sessions>>,
    /// There where a server bounds them.
    pub(crate) handshakes: Option<Box<Handshakes>>,
    /// There where a first message came in part.
    pub(crate) hello_fragments: Option<Box<HelloFragments>>,
    timers: TimerQueue<ConnectionId>,
    inbox: VecDeque<(ConnectionId, Payload)>,
    outputs: ShortQueue<TransportOutput>,
    /// What cookies are made with.
    pub(crate) secret: Option<Box<[u8; SECRET_LENGTH]>>,
    expectation: Option<(ConnectionId, Expectation)>,
    pub(crate) next: u64,
}

impl<T: Transport> Dtls<T> {
    /// Creates DTLS for a host that opens or accepts connections.
    ///
    /// Random numbers come from the stream, or from the system without one.
    pub fn new(
        lower: T,
        client: Option<ClientProfile>,
        server: Option<ServerProfile>,
        random: Option<RandomStream>,
    ) -> Self {
        let room = server.as_ref().map_or(0, |it| it.sessions);
        let resumes = room > 0 || client.as_ref().is_some_and(|it| it.resumes);
        let lifetimes = [
            client.as_ref().map(|it| it.session_lifetime),
            server.as_ref().map(|it| it.session_lifetime),
        ];
        let lifetime = lifetimes.into_iter().flatten().min();
        let sessions = || Box::new(Sessions::new(room, lifetime.unwrap_or(Duration::ZERO)));
        Self {
            lower,
            client: client.map(Box::new),
            server: server.map(Box::new),
            sessions: resumes.then(sessions),
            host: Some(Box::new(CryptoContext {
                random,
                credentials: None,
                opening: Opening::default(),
            })),
            connections: LookupMap::new(),
            flows: LookupMap::new(),
            by_connection_id: LookupMap::new(),
            handshakes: None,
            hello_fragments: None,
            timers: TimerQueue::new(),
            inbox: VecDeque::new(),
            outputs: ShortQueue::new(),
            secret: None,
            expectation: None,
            next: 0,
        }
    }

    /// Returns the transport below.
    pub fn lower(&mut self) -> &mut T {
        &mut self.lower
    }

    pub(crate) fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push(TransportOutput::Event(id, event));
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

    pub(crate) fn add(&mut self, mut connection: Connection) -> ConnectionId {
        let id = ConnectionId(self.next);
        self.next += 1;
        connection.id = id;
        self.flows.insert(connection.flow, id);
        self.connections.insert(id, Box::new(connection));
        id
    }

    pub(crate) fn wish(&mut self, now: Instant, id: ConnectionId, wish: &Wish<'_>) {
        if let Some(connection) = self.connections.get_mut(&id) {
            let before = connection.deadline;
            let turn = connection.go_on(now, &mut self.host, wish);
            self.take_turn(now, id, before, turn);
        }
    }

    /// Has a session take a datagram of its peer, and tells if that was of no use to it.
    pub(crate) fn take(&mut self, now: Instant, id: ConnectionId, datagram: Payload) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let before = connection.deadline;
        let turn = connection.go_on(now, &mut self.host, &Wish::Receive(&datagram));
        let discarded = turn.discarded;
        self.take_turn(now, id, before, turn);
        if let Some(reason) = discarded {
            self.discard(datagram, reason);
        }
    }

    /// Tells that a datagram was of no use.
    pub(crate) fn discard(&mut self, datagram: Payload, reason: DiscardReason) {
        let packet = datagram.into_packet();
        self.outputs.push(TransportOutput::Discard(packet, reason));
    }

    /// Begins another session with the peer of a connection, which stays the same to the application.
    fn renew(&mut self, now: Instant, id: ConnectionId) {
        let connection = self.connections.get(&id);
        let Some(peer) = connection.and_then(|it| self.lower.peer(it.flow)) else {
            return;
        };
        let begun = self.session_with(now, peer);
        if let Ok((session, trust)) = begun
            && let Some(connection) = self.connections.get_mut(&id)
        {
            connection.begin_anew(session, trust);
            self.wish(now, id, &Wish::Wake);
        }
    }

    /// The address of this end has changed: servers know their clients by it, unless they gave them connection IDs. Those of
    /// them learn it from what comes next.
    fn renew_addressed(&mut self, now: Instant) {
        if self.client.is_none() || self.server.is_some() {
            return;
        }
        let mut ids = Vec::new();
        self.connections.retain(|connection| {
            ids.push((connection.id, connection.has_connection_id()));
            true
        });
        ids.sort_unstable();
        for (id, has_connection_id) in ids {
            if has_connection_id {
                self.emit(id, TransportEvent::Moved);
            } else {
                self.renew(now, id);
            }
        }
    }

    /// A session that is begun with a server, going on with an earlier one where it can.
    fn session_with(
        &mut self,
        now: Instant,
        server: SocketAddr,
    ) -> Result<(dimpl::Dtls, Option<Trust>), OpenError> {
        let profile = self.client.as_ref().ok_or(OpenError::NoSuchColumn)?;
        let (mut session, trust) = profile.session(&mut self.host, now);
        if profile.resumes
            && let Some(sessions) = &mut self.sessions
            && let Some(earlier) = sessions.of_server(server, now)
        {
            session.set_session(earlier);
        }
        Ok((session, trust))
    }

    /// Does what a session wants after it went on.
    pub(crate) fn take_turn(
        &mut self,
        now: Instant,
        id: ConnectionId,
        before: Option<Instant>,
        mut turn: Turn,
    ) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        let flow = connection.flow;
        if before != connection.deadline {
            let _ = before.map(|at| self.timers.disarm(at, id));
            let _ = connection.deadline.map(|at| self.timers.arm(at, id));
        }
        while let Some((datagram, spans, expectation)) = turn.datagrams.pop() {
            if let Some(expectation) = expectation {
                self.lower.expect(flow, expectation);
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
            self.end_handshake(id);
            let how = self.keep_session(now, id, turn.session);
            self.emit(id, TransportEvent::Established(how));
        }
        while let Some(payload) = turn.received.pop() {
            self.inbox.push_back((id, payload));
            self.emit(id, TransportEvent::DatagramReadable);
        }
        if let Some(reason) = turn.closed {
            self.forget_failed_session(id, reason);
            self.forget(id);
            self.lower.reset(now, flow, ResetReason::NotNeeded);
            self.emit(id, TransportEvent::Closed(reason));
        }
    }

    /// A handshake is over, whatever came of it.
    fn end_handshake(&mut self, id: ConnectionId) {
        if let Some(handshakes) = &mut self.handshakes {
            handshakes.end(id);
        }
    }

    pub(crate) fn forget(&mut self, id: ConnectionId) {
        self.end_handshake(id);
        if let Some(connection) = self.connections.remove(&id) {
            self.leave(connection.flow, id);
            self.by_connection_id.remove(&connection.connection_id);
            let _ = connection.deadline.map(|at| self.timers.disarm(at, id));
        }
    }
}

impl<T: Transport> Transport for Dtls<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match &input {
            TransportInput::Crash(survives) => {
                if !survives.tickets.is_durable()
                    && let Some(sessions) = &mut self.sessions
                {
                    sessions.forget_all();
                }
                self.connections = LookupMap::new();
                self.flows = LookupMap::new();
                self.by_connection_id = LookupMap::new();
                self.handshakes = None;
                self.timers = TimerQueue::new();
                self.inbox.clear();
                self.outputs = ShortQueue::new();
                self.secret = None;
            }
            TransportInput::Stop => {
                let mut ids = Vec::new();
                self.connections.retain(|connection| {
                    ids.push(connection.id);
                    true
                });
                ids.sort_unstable();
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
            TransportInput::AddressNoticed => self.renew_addressed(now),
            TransportInput::Packet(_)
            | TransportInput::AddressChanged { .. }
            | TransportInput::InterfaceMtu { .. } => {}
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some(output) = self.outputs.pop() {
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
        let resumes = self.client.as_ref().ok_or(OpenError::NoSuchColumn)?.resumes;
        let flow = self.lower.open_with(now, peer, options, &[])?;
        let (session, trust) = self.session_with(now, peer)?;
        let mut connection = Connection::new(session, trust, flow);
        if resumes {
            connection.resumable = Resumable::WithServer(peer);
        }
        let id = self.add(connection);
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

    /// A handshake is more than one answer.
    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        let is_set_up = self.connections.all(|connection| connection.is_established);
        (self.lower.expectation(awaited)).filter(|_| is_set_up)
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        let place = self.inbox.iter().position(|(id, _)| *id == connection)?;
        let (_, payload) = self.inbox.remove(place)?;
        if self.inbox.is_empty() {
            self.inbox = VecDeque::new();
        }
        Some(payload)
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.wish(now, id, &Wish::Close);
        if let Some(flow) = self.connections.get(&id).map(|it| it.flow) {
            self.forget(id);
            self.lower.reset(now, flow, ResetReason::NotNeeded);
            self.emit(id, TransportEvent::Closed(CloseReason::Reset(reason)));
        }
    }

    fn unanswered(&mut self, now: Instant, id: ConnectionId, waited: Duration) {
        // A server waits for its clients.
        let renews = self.client.as_ref().is_some_and(|it| it.renews) && self.server.is_none();
        let lost = self.connections.get(&id);
        if lost.is_some_and(|it| renews && it.is_established && it.heard + waited <= now) {
            self.renew(now, id);
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
