use core::fmt;
use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use lasthop_contract::{
    Awaited, Chunk, ClientSessions, CloseReason, ConnectionId, Expectation, Handshakes, JoinError,
    ListenError, LookupMap, OpenError, OpenOptions, Outbox, RandomStream, ReadOutcome, ResetReason,
    ShortQueue, StreamError, StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use crate::connection::{Connection, Early, plain, send, turn_to};
use crate::crypto_context::{CryptoContext, store_of};
use crate::session::Session;
use crate::{ClientProfile, ServerProfile};

/// The most that one record carries (RFC 8446 section 5.1).
const LARGEST_FRAGMENT: usize = 16 * 1024;

/// All TLS connections of a host, over a stream transport with the same connection IDs.
pub struct Tls<T> {
    pub(crate) lower: T,
    client: Option<Box<ClientProfile>>,
    pub(crate) server: Option<Box<ServerProfile>>,
    pub(crate) host: Option<Box<CryptoContext>>,
    pub(crate) connections: LookupMap<ConnectionId, Box<Connection>>,
    pub(crate) outputs: ShortQueue<TransportOutput>,
    /// Most hosts have none.
    pub(crate) edges: Option<Box<Edges>>,
}

/// Connections that begin and end.
#[derive(Default)]
pub(crate) struct Edges {
    /// Of a server that bounds them.
    pub(crate) handshakes: Handshakes,
    /// When those of connections must be over, in the order of their coming.
    pub(crate) awaited: VecDeque<(Instant, ConnectionId)>,
    /// Those that are over, while their last words leave.
    pub(crate) parting: BTreeMap<ConnectionId, Outbox>,
}

impl<T: Transport> Tls<T> {
    /// Creates TLS for a host that opens or accepts connections.
    ///
    /// Random numbers come from the stream. Without one they are the system's, and the profiles must agree.
    pub fn new(
        lower: T,
        client: Option<ClientProfile>,
        server: Option<ServerProfile>,
        random: Option<RandomStream>,
    ) -> Self {
        let room = server.as_ref().map_or(0, |it| it.room);
        Self {
            lower,
            client: client.map(Box::new),
            server: server.map(Box::new),
            host: Some(Box::new(CryptoContext {
                now: Instant::ZERO,
                random,
                peer: None,
                notes_data: true,
                tickets: ClientSessions::new(),
                sessions: store_of(room),
            })),
            connections: LookupMap::new(),
            outputs: ShortQueue::new(),
            edges: None,
        }
    }

    /// Returns the transport below TLS.
    pub fn lower(&mut self) -> &mut T {
        &mut self.lower
    }

    pub(crate) fn insert(&mut self, id: ConnectionId, mut connection: Connection) {
        connection.id = id;
        self.connections.insert(id, Box::new(connection));
    }

    pub(crate) fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push(TransportOutput::Event(id, event));
    }

    fn on_lower(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(_) => self.accept(now, id, event),
            TransportEvent::Readable(stream) => self.receive(now, id, stream),
            TransportEvent::Writable(stream) => self.flush(now, id, stream),
            TransportEvent::Closed(reason) => self.end(id, reason),
            TransportEvent::Rebound | TransportEvent::Moved => self.emit(id, event),
            _ => {}
        }
    }
}

impl<T: Transport> Transport for Tls<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match &input {
            TransportInput::Crash(survives) => {
                self.connections = LookupMap::new();
                self.outputs = ShortQueue::new();
                self.edges = None;
                if let Some(host) = &mut self.host
                    && !survives.tickets.is_durable()
                {
                    let room = self.server.as_ref().map_or(0, |it| it.room);
                    host.tickets = ClientSessions::new();
                    host.sessions = store_of(room);
                }
            }
            TransportInput::Stop => {
                let mut all = Vec::new();
                self.connections.retain(|connection| {
                    all.push((connection.id, connection.outbox.stream()));
                    true
                });
                all.sort_unstable();
                for (id, stream) in all {
                    self.finish(now, id, stream);
                }
            }
            _ => {}
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            let next = self.end_late_handshakes(now);
            if let Some(output) = self.outputs.pop() {
                return output;
            }
            match self.lower.poll(now) {
                TransportOutput::Event(id, event) => self.on_lower(now, id, event),
                TransportOutput::WaitUntil(_) if !self.outputs.is_empty() => {}
                TransportOutput::WaitUntil(deadline) => {
                    return TransportOutput::WaitUntil(deadline.into_iter().chain(next).min());
                }
                output => return output,
            }
        }
    }

    /// A handshake is more than one answer.
    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        let is_set_up = (self.connections).all(|connection| connection.established.is_some());
        (self.lower.expectation(awaited)).filter(|_| is_set_up)
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let profile = self.client.as_ref().ok_or(OpenError::NoSuchColumn)?;
        turn_to(&mut self.host, now, Some(peer));
        let session = CryptoContext::enter(&mut self.host, || {
            Session::client(&profile.config, &profile.server)
        });
        let session = session.map_err(|_| OpenError::NoFreePort)?;
        let mut connection = Connection::new(session, StreamId(0), Early::of(early_data));
        let (_, hello) = connection.hello(&mut self.host);
        // With TCP Fast Open the hello is in the first packet.
        let id = match self.lower.open_with(now, peer, options, &hello.chunks()) {
            Err(OpenError::EarlyDataTooLarge) => {
                let id = self.lower.open_with(now, peer, options, &[])?;
                connection.outbox = Outbox::new(self.stream_below(now, id)?);
                send(&mut connection.outbox, now, &mut self.lower, id, &hello);
                id
            }
            opened => {
                let id = opened?;
                connection.outbox = Outbox::new(self.stream_below(now, id)?);
                id
            }
        };
        self.insert(id, connection);
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        self.lower.join(group, port)
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
            .filter(|it| !it.is_finished)
            .ok_or(StreamError::NoSuchStream)?;
        turn_to(&mut self.host, now, None);
        let mut taken = 0;
        let all: usize = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        while taken < all {
            if connection.established.is_none() || !connection.outbox.is_empty() {
                connection.is_full = true;
                break;
            }
            let (bytes, spans) = plain(&behind(chunks, taken), LARGEST_FRAGMENT);
            let Some(labelled) = connection.seal(&mut self.host, &bytes, spans) else {
                connection.is_full = true;
                break;
            };
            send(&mut connection.outbox, now, &mut self.lower, id, &labelled);
            taken += bytes.len();
        }
        Ok(taken)
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let connection = self.connections.get_mut(&id);
        let connection = connection.ok_or(StreamError::NoSuchStream)?;
        let count = into.len().min(connection.readable.len());
        // It reads out of memory, and there is as much.
        let _ = connection.readable.read_exact(&mut into[..count]);
        if connection.readable.is_empty() {
            connection.readable = VecDeque::new();
        }
        let ends = connection.peer_closed;
        if connection.is_over && connection.readable.is_empty() {
            self.end(id, CloseReason::Finished);
        } else if count > 0 && core::mem::take(&mut connection.is_held) {
            self.receive(now, id, stream);
        }
        Ok(match count {
            0 if ends => ReadOutcome::Finished,
            0 => ReadOutcome::Blocked,
            _ => ReadOutcome::Read(count),
        })
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, _stream: StreamId) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if core::mem::replace(&mut connection.is_finished, true) {
            return;
        }
        turn_to(&mut self.host, now, None);
        let alert = connection.close(&mut self.host);
        send(&mut connection.outbox, now, &mut self.lower, id, &alert);
        connection.outbox.finish(now, &mut self.lower, id);
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        _stream: StreamId,
        _code: u64,
    ) -> Result<(), StreamError> {
        let known = self.connections.contains(&id);
        known.then_some(()).ok_or(StreamError::NoSuchStream)?;
        self.lower.reset(now, id, ResetReason::NotNeeded);
        Ok(())
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        if reason != ResetReason::Failed {
            self.say_goodbye(now, id);
        }
        self.lower.reset(now, id, reason);
    }

    fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.lower.peer(id)
    }
}

impl<T: Transport> Tls<T> {
    fn stream_below(&mut self, now: Instant, id: ConnectionId) -> Result<StreamId, OpenError> {
        let stream = self.lower.own_stream(now, id);
        stream.map_err(|_| OpenError::NoFreePort)
    }
}

impl<T> fmt::Debug for Tls<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tls({} connections)", self.connections.len())
    }
}

/// The chunks without their first so many bytes.
fn behind<'a>(chunks: &[Chunk<'a>], mut skipped: usize) -> Vec<Chunk<'a>> {
    let rest = |chunk: &Chunk<'a>| {
        let start = skipped.min(chunk.bytes.len());
        skipped -= start;
        Chunk {
            bytes: &chunk.bytes[start..],
            provenance: chunk.provenance,
        }
    };
    chunks.iter().map(rest).collect()
}
