//! A client of which the test says every byte, and a broker, over QUIC.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, ConnectionId, Direction, Layer,
    ListenError, OpenError, OpenOptions, Provenance, RandomStream, ReadOutcome, ResetReason,
    StreamId, StreamKind, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_mqtt::codec::{Connect, Frame, PacketType, PublishHead};
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, QUIC_PORT, Qos, Version};
use lasthop_quic::{Quic, QuicClient, QuicServer, QuicSettings};
use lasthop_tls::{
    Authority, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Verify,
};
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant};

const SERVER: &str = "server.example";
const SECOND: Duration = Duration::from_secs(1);

/// The first stream of a connection.
pub(crate) const CONTROL: StreamId = StreamId(0);

/// A broker on its transport, as one end of a [`Pair`].
pub(crate) struct Served {
    pub(crate) broker: MqttBroker,
    quic: Quic<Udp>,
    deadline: Option<Instant>,
}

pub(crate) struct World {
    pub(crate) ends: Pair<Quic<Udp>, Served>,
    pub(crate) connection: ConnectionId,
    events: Vec<TransportEvent>,
}

impl World {
    /// A connection that is there, on which nothing was said.
    pub(crate) fn new() -> Self {
        let stream = RandomStream::named(1, "credentials");
        let mut authority = Authority::new(KeyKind::EcdsaP256, stream);
        let common = Settings {
            randomness: Randomness::OfTheRun,
            version: lasthop_tls::Version::Tls13,
            groups: vec![Group::X25519],
            largest_record: None,
            protocols: vec![b"mqtt".to_vec()],
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
        quic.listen(QUIC_PORT).unwrap();
        let broker = MqttBroker::new(
            MqttBrokerConfig::default(),
            RandomStream::named(1, "broker"),
        );
        let served = Served {
            broker,
            quic,
            deadline: None,
        };
        let mut ends = Pair::new(device, served, Duration::from_millis(50));
        let address = SocketAddr::from(([192, 0, 2, 1], QUIC_PORT));
        let connection = ends.client.open(Instant::ZERO, address, &[]).unwrap();
        let mut world = Self {
            ends,
            connection,
            events: Vec::new(),
        };
        world.run(SECOND);
        let stream = world
            .ends
            .client
            .own_stream(world.ends.now(), connection)
            .unwrap();
        assert_eq!(stream, CONTROL);
        world
    }

    /// The same, and the client is known.
    pub(crate) fn connected(version: Version) -> Self {
        let mut world = Self::new();
        world.say(CONTROL, &Connect::new(version, "hand").write());
        world.run(SECOND);
        assert_eq!(world.kinds(CONTROL), [PacketType::Connack]);
        world
    }

    pub(crate) fn run(&mut self, span: Duration) {
        self.ends.run_for(span);
        let events = self.ends.take_events().into_iter();
        let of_client = events.filter(|it| it.end == Direction::Up);
        self.events.extend(of_client.map(|it| it.event));
    }

    pub(crate) fn open(&mut self) -> StreamId {
        let now = self.ends.now();
        let kind = StreamKind::Bidirectional;
        let opened = self.ends.client.open_stream(now, self.connection, kind);
        opened.unwrap()
    }

    pub(crate) fn say(&mut self, stream: StreamId, bytes: &[u8]) {
        let chunk = Chunk {
            bytes,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        let now = self.ends.now();
        let written = self
            .ends
            .client
            .write(now, self.connection, stream, &[chunk]);
        assert_eq!(written, Ok(bytes.len()));
    }

    pub(crate) fn finish(&mut self, stream: StreamId) {
        let now = self.ends.now();
        self.ends.client.finish(now, self.connection, stream);
    }

    pub(crate) fn give_up(&mut self, stream: StreamId) {
        let now = self.ends.now();
        let connection = self.connection;
        let given_up = self.ends.client.reset_stream(now, connection, stream, 0);
        given_up.unwrap();
    }

    /// What came by a stream, and whether it has ended.
    pub(crate) fn read(&mut self, stream: StreamId) -> (Vec<u8>, bool) {
        let (mut all, mut room, now) = (Vec::new(), [0; 4096], self.ends.now());
        loop {
            match self
                .ends
                .client
                .read(now, self.connection, stream, &mut room)
            {
                Ok(ReadOutcome::Read(count)) => all.extend(&room[..count]),
                Ok(ReadOutcome::Blocked) => return (all, false),
                Ok(ReadOutcome::Finished) | Err(_) => return (all, true),
            }
        }
    }

    /// The kinds of packets that came by a stream.
    pub(crate) fn kinds(&mut self, stream: StreamId) -> Vec<PacketType> {
        let (bytes, _) = self.read(stream);
        let mut rest = &bytes[..];
        let mut kinds = Vec::new();
        while let Some(frame) = Frame::split(rest, usize::MAX).unwrap() {
            kinds.push(frame.packet_type);
            rest = &rest[frame.length..];
        }
        kinds
    }

    /// The code with which the broker gave a stream up.
    pub(crate) fn code_of(&self, stream: StreamId) -> Option<u64> {
        let mut events = self.events.iter();
        events.find_map(|event| match event {
            TransportEvent::StreamReset(known, code) if *known == stream => Some(*code),
            _ => None,
        })
    }
}

pub(crate) fn publish(topic: &str, qos: Qos, packet_id: u16, payload: &str) -> Vec<u8> {
    let head = PublishHead::new(topic, qos, packet_id, payload.len());
    [&head.write(Version::V3_1_1)[..], payload.as_bytes()].concat()
}

/// SUBSCRIBE with quality 2, or UNSUBSCRIBE.
pub(crate) fn subscribe(filter: &str) -> Vec<u8> {
    about(0x82, filter, &[2])
}

pub(crate) fn unsubscribe(filter: &str) -> Vec<u8> {
    about(0xa2, filter, &[])
}

fn about(first: u8, filter: &str, options: &[u8]) -> Vec<u8> {
    let mut packet = vec![first, (4 + filter.len() + options.len()) as u8, 0, 9, 0];
    packet.push(filter.len() as u8);
    packet.extend(filter.bytes());
    packet.extend(options);
    packet
}

impl Transport for Served {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.quic.handle(now, input);
        if self.deadline.is_some_and(|at| at <= now) {
            let input = ApplicationInput::Timeout;
            self.broker.handle(now, input, &mut self.quic);
        }
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            while let output = self.broker.poll(now, &mut self.quic)
                && !matches!(output, ApplicationOutput::WaitUntil(_))
            {}
            let ApplicationOutput::WaitUntil(deadline) = self.broker.poll(now, &mut self.quic)
            else {
                continue;
            };
            self.deadline = deadline;
            match self.quic.poll(now) {
                TransportOutput::Event(connection, event) => {
                    let input = ApplicationInput::Transport(connection, event);
                    self.broker.handle(now, input, &mut self.quic);
                }
                TransportOutput::WaitUntil(of_quic) => {
                    let all = deadline.into_iter().chain(of_quic);
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
