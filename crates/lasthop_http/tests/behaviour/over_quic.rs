//! A client that writes every byte of its streams by hand, and a server, over QUIC.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, Layer, ListenError, OpenError, OpenOptions, Provenance,
    RandomStream, ReadOutcome, ResetReason, StreamId, StreamKind, Transport, TransportEvent,
    TransportInput, TransportOutput,
};
use lasthop_http::http::{Request, Response};
use lasthop_http::{ExchangeId, Purpose, RequestServer, ServerEvent, ServerLimits};
use lasthop_quic::{Quic, QuicClient, QuicServer, QuicSettings};
use lasthop_tls::{
    Authority, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Verify, Version,
};
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant};

const SERVER: &str = "server.example";
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// A server on its transport, as one end of a [`Pair`]. It answers what is asked by its own body.
pub(crate) struct Served {
    pub(crate) requests: RequestServer,
    quic: Quic<Udp>,
    pub(crate) asked: Vec<(ExchangeId, Request<Vec<u8>>)>,
    pub(crate) gone: Vec<ExchangeId>,
    pub(crate) answers: bool,
}

pub(crate) struct World {
    pub(crate) ends: Pair<Quic<Udp>, Served>,
    pub(crate) connection: ConnectionId,
    events: Vec<(ConnectionId, TransportEvent)>,
}

impl World {
    /// A connection that is there, on which the client has said nothing.
    pub(crate) fn new(limits: ServerLimits) -> Self {
        let stream = RandomStream::named(1, "credentials");
        let mut authority = Authority::new(KeyKind::EcdsaP256, stream);
        let common = Settings {
            randomness: Randomness::OfTheRun,
            version: Version::Tls13,
            groups: vec![Group::X25519],
            largest_record: None,
            protocols: vec![b"h3".to_vec()],
        };
        let client = ClientSettings {
            server: SERVER.to_owned(),
            verify: Verify::Against(Arc::new(authority.roots())),
            credentials: None,
            resumes: false,
            sends_early_data: false,
        };
        let server = ServerSettings {
            credentials: authority.issue(&Issue::of_server(SERVER, 1)),
            clients: None,
            tickets: 0,
            sessions: 0,
            early_data: 0,
            patience: None,
        };
        let client = ClientProfile::new(&common, client).unwrap();
        let server = ServerProfile::new(&common, server).unwrap();
        let settings = QuicSettings::default();
        let client = QuicClient::new(&client, &settings).unwrap();
        let server = QuicServer::new(&server, &settings, false).unwrap();
        let udp = |address: [u8; 4]| Udp::new(IpAddr::from(address));
        let random = |name| Some(RandomStream::named(1, name));
        let device = Quic::new(udp([10, 0, 0, 1]), Some(client), None, random("device"));
        let mut quic = Quic::new(udp([192, 0, 2, 1]), None, Some(server), random("host"));
        quic.listen(443).unwrap();
        let served = Served {
            requests: RequestServer::new(limits),
            quic,
            asked: Vec::new(),
            gone: Vec::new(),
            answers: true,
        };
        let mut world = Self {
            ends: Pair::new(device, served, Duration::from_millis(5)),
            connection: ConnectionId(0),
            events: Vec::new(),
        };
        world.connection = world.connect();
        world
    }

    /// Another connection.
    pub(crate) fn connect(&mut self) -> ConnectionId {
        let address = SocketAddr::from(([192, 0, 2, 1], 443));
        let now = self.ends.now();
        let connection = self.ends.client.open(now, address, &[]).unwrap();
        self.run(SECOND);
        self.ends.client.outlast_streams(connection);
        connection
    }

    pub(crate) fn run(&mut self, span: Duration) {
        self.ends.run_for(span);
        let events = self.ends.take_events().into_iter();
        let of_client = events.filter(|it| it.end == Direction::Up);
        self.events
            .extend(of_client.map(|it| (it.connection, it.event)));
    }

    pub(crate) fn open(&mut self, kind: StreamKind) -> StreamId {
        let now = self.ends.now();
        let opened = self.ends.client.open_stream(now, self.connection, kind);
        opened.unwrap()
    }

    pub(crate) fn say(&mut self, stream: StreamId, bytes: &[u8]) {
        let chunk = Chunk {
            bytes,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        let now = self.ends.now();
        let client = &mut self.ends.client;
        // Of a connection that is over nothing is taken.
        let _ = client.write(now, self.connection, stream, &[chunk]);
    }

    pub(crate) fn finish(&mut self, stream: StreamId) {
        let now = self.ends.now();
        self.ends.client.finish(now, self.connection, stream);
    }

    pub(crate) fn give_up(&mut self, stream: StreamId, code: u64) {
        let (now, connection) = (self.ends.now(), self.connection);
        let client = &mut self.ends.client;
        let _ = client.reset_stream(now, connection, stream, code);
    }

    /// A stream of one direction on which this is said.
    pub(crate) fn channel(&mut self, bytes: &[u8]) -> StreamId {
        let stream = self.open(StreamKind::Unidirectional);
        self.say(stream, bytes);
        stream
    }

    /// A request stream on which this is said, and nothing more.
    pub(crate) fn ask(&mut self, bytes: &[u8]) -> StreamId {
        let stream = self.open(StreamKind::Bidirectional);
        self.say(stream, bytes);
        self.finish(stream);
        stream
    }

    pub(crate) fn respond(&mut self, exchange: ExchangeId, response: &Response<Vec<u8>>) {
        let now = self.ends.now();
        let Served { requests, quic, .. } = &mut self.ends.server;
        let purpose = Purpose::whole(Cause::Header);
        requests.respond(now, exchange, response, purpose, quic);
    }

    /// What came by a stream.
    pub(crate) fn read(&mut self, stream: StreamId) -> Vec<u8> {
        let (mut all, mut room, now) = (Vec::new(), [0; 4096], self.ends.now());
        let client = &mut self.ends.client;
        while let Ok(ReadOutcome::Read(count)) =
            client.read(now, self.connection, stream, &mut room)
        {
            all.extend(&room[..count]);
        }
        all
    }

    /// The code with which the server gave a stream up.
    pub(crate) fn code_of(&self, stream: StreamId) -> Option<u64> {
        self.events.iter().find_map(|(_, event)| match event {
            TransportEvent::StreamReset(known, code) if *known == stream => Some(*code),
            _ => None,
        })
    }

    /// Whether the server has ended the connection.
    pub(crate) fn is_over(&self) -> bool {
        let mut events = self.events.iter();
        events.any(|(id, it)| *id == self.connection && matches!(it, TransportEvent::Closed(_)))
    }
}

impl Served {
    fn drain(&mut self, now: Instant) {
        while let Some(event) = self.requests.next_event() {
            match event {
                ServerEvent::Asked { exchange, request } => {
                    if self.answers {
                        let response = Response::new(request.body().clone());
                        let purpose = Purpose::whole(Cause::Header);
                        let requests = &mut self.requests;
                        requests.respond(now, exchange, &response, purpose, &mut self.quic);
                    }
                    self.asked.push((exchange, *request));
                }
                ServerEvent::Gone(exchange) => self.gone.push(exchange),
            }
        }
    }
}

impl Transport for Served {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.quic.handle(now, input);
        self.requests.timeout(now, &mut self.quic);
        self.drain(now);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            match self.quic.poll(now) {
                TransportOutput::Event(connection, event) => {
                    self.requests.handle(now, connection, event, &mut self.quic);
                    self.drain(now);
                }
                TransportOutput::WaitUntil(of_quic) => {
                    let all = self.requests.next_deadline().into_iter().chain(of_quic);
                    return TransportOutput::WaitUntil(all.min());
                }
                output => return output,
            }
        }
    }

    fn open_with(
        &mut self,
        _now: Instant,
        _peer: SocketAddr,
        _options: OpenOptions,
        _early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        Err(OpenError::NoSuchColumn)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.quic.listen(port)
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.quic.reset(now, connection, reason);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.quic.peer(connection)
    }
}
