use core::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Direction, Established, Layer, Provenance,
    RandomStream, ReadOutcome, StreamId, Transport, TransportEvent,
};
use lasthop_quic::{Quic, QuicClient, QuicServer, QuicSettings};
use lasthop_tls::{
    Authority, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Verify, Version,
};
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant};

use crate::tap::Tap;

pub(crate) const NAME: &str = "server.example";
pub(crate) const DELAY: Duration = Duration::from_millis(50);
pub(crate) const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);
pub(crate) const FIRST: StreamId = StreamId(0);

pub(crate) type End = Quic<Tap<Udp>>;

/// What a test has to say about both ends.
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) common: Settings,
    pub(crate) client: ClientSettings,
    pub(crate) server: ServerSettings,
    pub(crate) quic: QuicSettings,
    pub(crate) retries: bool,
}

pub(crate) struct World {
    pub(crate) ends: Pair<End, End>,
    log: Vec<(Instant, Direction, ConnectionId, TransportEvent)>,
}

impl Setting {
    pub(crate) fn new() -> Self {
        Self::of(1)
    }

    pub(crate) fn of(seed: u64) -> Self {
        let stream = RandomStream::named(seed, "credentials");
        let mut authority = Authority::new(KeyKind::EcdsaP256, stream);
        let roots = Arc::new(authority.roots());
        Self {
            seed,
            common: Settings {
                randomness: Randomness::OfTheRun,
                version: Version::Tls13,
                groups: vec![Group::X25519],
                largest_record: None,
                protocols: vec![b"mqtt".to_vec()],
            },
            client: ClientSettings {
                server: NAME.to_owned(),
                verify: Verify::Against(roots),
                credentials: None,
                resumes: true,
                sends_early_data: true,
            },
            server: ServerSettings {
                credentials: authority.issue(&Issue::of_server(NAME, 1)),
                clients: None,
                tickets: 2,
                sessions: 1000,
                early_data: u32::MAX,
                patience: None,
            },
            quic: QuicSettings::default(),
            retries: false,
        }
    }

    pub(crate) fn world(self) -> World {
        let other = self.common.clone();
        self.world_with(&other)
    }

    /// With a client that settles other things.
    pub(crate) fn world_with(self, of_client: &Settings) -> World {
        let client = ClientProfile::new(of_client, self.client).unwrap();
        let server = ServerProfile::new(&self.common, self.server).unwrap();
        let client = QuicClient::new(&client, &self.quic).unwrap();
        let server = QuicServer::new(&server, &self.quic, self.retries).unwrap();
        let udp = |address: &str| Tap::new(Udp::new(address.parse::<IpAddr>().unwrap()));
        let random = |name: &str| Some(RandomStream::named(self.seed, name));
        let device = Quic::new(udp("10.0.0.1"), Some(client), None, random("device"));
        let host = Quic::new(udp("192.0.2.1"), None, Some(server), random("host"));
        let (device, mut host) = (device.named("device"), host.named("host"));
        host.listen(address().port()).unwrap();
        World {
            ends: Pair::new(device, host, DELAY),
            log: Vec::new(),
        }
    }
}

pub(crate) fn address() -> SocketAddr {
    "192.0.2.1:14567".parse().unwrap()
}

pub(crate) fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

impl World {
    pub(crate) fn open(&mut self, early: &[u8]) -> ConnectionId {
        let (now, chunk) = (self.ends.now(), chunk(early));
        let early = if early.is_empty() { &[][..] } else { &[chunk] };
        self.ends.client.open(now, address(), early).unwrap()
    }

    pub(crate) fn run(&mut self, span: Duration) {
        self.ends.run_for(span);
        let events = self.ends.take_events().into_iter();
        self.log
            .extend(events.map(|it| (it.at, it.end, it.connection, it.event)));
    }

    /// When an event of a kind first came to an end.
    pub(crate) fn first(
        &self,
        end: Direction,
        is_wanted: impl Fn(TransportEvent) -> bool,
    ) -> Option<(Instant, ConnectionId, TransportEvent)> {
        let mut events = self.log.iter();
        let found = events.find(|it| it.1 == end && is_wanted(it.3))?;
        Some((found.0, found.2, found.3))
    }

    pub(crate) fn forget(&mut self) {
        self.log.clear();
    }

    pub(crate) fn how(&self, end: Direction) -> Option<(Instant, ConnectionId, Established)> {
        let found = self.first(end, |it| matches!(it, TransportEvent::Established(_)))?;
        match found.2 {
            TransportEvent::Established(how) => Some((found.0, found.1, how)),
            _ => None,
        }
    }

    pub(crate) fn closed(&self, end: Direction) -> Option<CloseReason> {
        let found = self.first(end, |it| matches!(it, TransportEvent::Closed(_)))?;
        match found.2 {
            TransportEvent::Closed(reason) => Some(reason),
            _ => None,
        }
    }

    /// A connection that both ends have: its ids here and there, and how each end says that it came about.
    pub(crate) fn connect(
        &mut self,
        early: &[u8],
    ) -> (ConnectionId, ConnectionId, [Established; 2]) {
        self.forget();
        let id = self.open(early);
        self.run(Duration::from_secs(2));
        let (_, of_client, here) = self.how(Direction::Up).expect("the client has it");
        let (_, there_id, there) = self.how(Direction::Down).expect("the server has it");
        assert_eq!(id, of_client);
        (id, there_id, [here, there])
    }

    pub(crate) fn end(&mut self, end: Direction) -> &mut End {
        match end {
            Direction::Up => &mut self.ends.client,
            Direction::Down => &mut self.ends.server,
        }
    }

    pub(crate) fn write(&mut self, end: Direction, id: ConnectionId, bytes: &[u8]) -> usize {
        let now = self.ends.now();
        self.end(end)
            .write(now, id, FIRST, &[chunk(bytes)])
            .unwrap()
    }

    pub(crate) fn read(&mut self, end: Direction, id: ConnectionId) -> (Vec<u8>, ReadOutcome) {
        self.read_from(end, id, FIRST)
    }

    pub(crate) fn read_from(
        &mut self,
        end: Direction,
        id: ConnectionId,
        stream: StreamId,
    ) -> (Vec<u8>, ReadOutcome) {
        let (mut all, mut room, now) = (Vec::new(), [0; 777], self.ends.now());
        loop {
            match self.end(end).read(now, id, stream, &mut room).unwrap() {
                ReadOutcome::Read(count) => all.extend(&room[..count]),
                outcome => return (all, outcome),
            }
        }
    }

    /// Ends a connection as both ends want it, and forgets what they said.
    pub(crate) fn end_both(&mut self, here: ConnectionId, there: ConnectionId) {
        let now = self.ends.now();
        self.ends.client.finish(now, here, FIRST);
        self.run(Duration::from_secs(1));
        self.read(Direction::Down, there);
        let now = self.ends.now();
        self.ends.server.finish(now, there, FIRST);
        self.run(Duration::from_secs(1));
        self.read(Direction::Up, here);
        self.run(Duration::from_secs(10));
    }

    /// What each end sent so far, datagram by datagram.
    pub(crate) fn sent(&mut self) -> [Vec<Vec<u8>>; 2] {
        Direction::ALL.map(|end| self.end(end).lower().sent.clone())
    }

    /// How many bytes each end sent for which reason so far.
    pub(crate) fn ledger(
        &mut self,
        end: Direction,
    ) -> std::collections::BTreeMap<(Layer, Cause), usize> {
        let mut ledger = std::collections::BTreeMap::new();
        for (provenance, length) in &self.end(end).lower().spans {
            *ledger
                .entry((provenance.layer, provenance.cause))
                .or_default() += length;
        }
        ledger
    }
}
