use core::net::SocketAddr;

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Layer, Payload, Provenance, ResetReason, Transport,
    TransportEvent,
};
use lasthop_units::Instant;
use ring::hmac;

use crate::Dtls;
use crate::connection::{Connection, Wish};
use crate::dtls::SECRET_LENGTH;
use crate::hello::{Hello, RECORD_HEADER_LENGTH, TLS12_CID, fragments};
use crate::profile::Version;
use crate::records::of_no_session;
use crate::resumption::{NewId, Resumable};
use crate::retry::{refusal, retry_request, transcript};

/// What stands between the kind of a record and its connection ID: version, epoch and number (RFC 9146 section 4).
const BEFORE_CONNECTION_ID: usize = 2 + 2 + 6;

/// How often a connection ID is drawn that another has, before a client gets none.
const MOST_DRAWS: u8 = 100;

/// Whose datagrams are whose, and who is let in.
impl<T: Transport> Dtls<T> {
    pub(crate) fn receive(&mut self, now: Instant, flow: ConnectionId) {
        while let Some(datagram) = self.lower.receive_datagram(flow) {
            if let Some(id) = self.named_by(&datagram) {
                self.follow(now, id, flow, datagram);
                continue;
            }
            let known = self.flows.get(&flow).copied();
            if self.puts_together(known, &datagram) {
                self.put_together(now, flow, known, &datagram);
                continue;
            }
            let hello = self.server.as_ref().and_then(|_| Hello::read(&datagram));
            match (known, hello) {
                (Some(id), Some(hello)) if self.is_new(id, &hello) => {
                    self.greet(now, flow, Some(id), &hello, &datagram);
                }
                (Some(id), _) => self.take(now, id, datagram),
                (None, Some(hello)) => self.greet(now, flow, None, &hello, &datagram),
                (None, None) => {
                    self.lower.reset(now, flow, ResetReason::NotNeeded);
                    let reason = of_no_session(&datagram);
                    self.discard(datagram, reason);
                }
            }
        }
    }

    /// Whether a datagram has a part of a ClientHello that is put together before it is read: a cookie of DTLS 1.3 is of all of it.
    /// A handshake that has begun does so itself.
    fn puts_together(&self, known: Option<ConnectionId>, datagram: &[u8]) -> bool {
        let is_1_3 = self.server.as_ref().map(|it| it.version()) == Some(Version::V1_3);
        let connection = known.and_then(|id| self.connections.get(&id));
        is_1_3
            && connection.is_none_or(|it| it.is_established)
            && fragments(datagram).next().is_some()
    }

    fn put_together(
        &mut self,
        now: Instant,
        flow: ConnectionId,
        known: Option<ConnectionId>,
        datagram: &[u8],
    ) {
        let held = self.hello_fragments.get_or_insert_default();
        let whole = held.take(flow, datagram);
        let is_held = held.holds(flow);
        if let Some(oldest) = held.forget_oldest()
            && !self.flows.contains(&oldest)
        {
            self.lower.reset(now, oldest, ResetReason::NotNeeded);
        }
        let hello = whole
            .as_deref()
            .and_then(|whole| Some((Hello::read(whole)?, whole)));
        match (known, hello) {
            (Some(id), Some((hello, _))) if !self.is_new(id, &hello) => {}
            (known, Some((hello, whole))) => self.greet(now, flow, known, &hello, whole),
            // What else came of it may wait below.
            (None, None) if !is_held => self.lower.reset(now, flow, ResetReason::NotNeeded),
            (_, None) => {}
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
    fn follow(&mut self, now: Instant, id: ConnectionId, flow: ConnectionId, datagram: Payload) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let (before, newest) = (connection.deadline, connection.newest_received());
        let turn = connection.go_on(now, &mut self.host, &Wish::Receive(&datagram));
        let discarded = turn.discarded;
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
        if let Some(reason) = discarded {
            self.discard(datagram, reason);
        }
    }

    /// A connection leads no longer over one below.
    pub(crate) fn leave(&mut self, flow: ConnectionId, id: ConnectionId) {
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
        if server.version() == Version::V1_3
            && let Some(alert) = refusal(hello)
        {
            let datagram = hello.refusal(alert);
            let (header, alert) = datagram.split_at(RECORD_HEADER_LENGTH);
            let chunks = [(header, Cause::Header), (alert, Cause::SessionTearDown)];
            let _ = self.lower.send_datagram(now, flow, &chunks.map(of_dtls));
            if known.is_none() {
                self.lower.reset(now, flow, ResetReason::NotNeeded);
            }
            return;
        }
        let most = server.handshakes_per_address;
        let secret = self.secret.get_or_insert_with(|| {
            let mut bytes = Box::new([0; SECRET_LENGTH]);
            if let Some(host) = &mut self.host {
                host.fill(&mut *bytes);
            }
            bytes
        });
        let secret = &hmac::Key::new(hmac::HMAC_SHA256, &**secret);
        let shown = Shown::by(server.version(), hello, secret, from);
        if shown == Shown::Nothing && (server.asks_for_cookie || known.is_some()) {
            let request = match server.version() {
                Version::V1_2 => hello.verify_request(secret, from),
                Version::V1_3 => retry_request(hello, secret, from),
            };
            let (header, message) = request.split_at(RECORD_HEADER_LENGTH);
            let chunks = [(header, Cause::Header), (message, Cause::AddressValidation)];
            let _ = self.lower.send_datagram(now, flow, &chunks.map(of_dtls));
            if known.is_none() {
                self.lower.reset(now, flow, ResetReason::NotNeeded);
            }
            return;
        }
        let id = ConnectionId(self.next);
        if most.is_some_and(|most| {
            let handshakes = self.handshakes.get_or_insert_default();
            !handshakes.begin(id, from.ip(), most)
        }) {
            if known.is_none() {
                self.lower.reset(now, flow, ResetReason::NotNeeded);
            }
            return;
        }
        if let Some(id) = known {
            self.forget(id);
            self.emit(id, TransportEvent::Closed(CloseReason::PeerReset));
        }
        let Some(server) = &self.server else { return };
        let (mut session, trust) = server.session(&mut self.host, now);
        let mut resumable = Resumable::Never;
        if let Some(id) = self.new_session_id() {
            session.set_session_id(&id);
            if let Some(sessions) = &mut self.sessions
                && let Some(earlier) = sessions.of_client(hello.session, now)
            {
                session.set_session(earlier);
            }
            resumable = Resumable::ByClient(Box::default());
        }
        let connection_id = self.unused_connection_id();
        if !connection_id.is_empty() {
            session.set_connection_id(connection_id.clone());
        }
        match &shown {
            Shown::Retried(transcript) => {
                session.continue_after_retry(transcript, hello.record_number);
            }
            Shown::Nothing | Shown::Cookie if hello.message_number > 0 => {
                session.continue_after_cookie(hello.record_number);
            }
            Shown::Nothing | Shown::Cookie => {}
        }
        let mut connection = Connection::new(session, trust, flow);
        connection.hello = first_bytes(hello.random);
        connection.resumable = resumable;
        connection.connection_id = connection_id.into();
        let name = connection.connection_id.clone();
        let id = self.add(connection);
        if !name.is_empty() {
            self.by_connection_id.insert(name, id);
        }
        self.wish(now, id, &Wish::Receive(datagram));
    }

    /// What a client may resume its session by, if it is made anew; `None` where none is to be resumed.
    fn new_session_id(&mut self) -> Option<NewId> {
        let version = self.server.as_ref()?.version();
        let mut id = NewId::default();
        let has_room = self.sessions.as_ref().is_some_and(|it| it.has_room());
        let resumes = version == Version::V1_2 && has_room;
        (resumes && self.host.as_mut()?.fill(&mut id)).then_some(id)
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
}

/// What a ClientHello shows of whether its sender hears what is sent to its address.
#[derive(PartialEq, Eq)]
enum Shown {
    Nothing,
    Cookie,
    /// With what both ends have hashed of a HelloRetryRequest.
    Retried(Vec<u8>),
}

impl Shown {
    fn by(version: Version, hello: &Hello<'_>, secret: &hmac::Key, from: SocketAddr) -> Self {
        match version {
            Version::V1_2 if hello.is_answer(secret, from) => Self::Cookie,
            Version::V1_2 => Self::Nothing,
            Version::V1_3 => transcript(hello, secret, from).map_or(Self::Nothing, Self::Retried),
        }
    }
}

fn of_dtls((bytes, cause): (&[u8], Cause)) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance::new(Layer::Dtls, cause),
    }
}

fn first_bytes(random: &[u8]) -> u64 {
    random.first_chunk().copied().map_or(0, u64::from_be_bytes)
}
