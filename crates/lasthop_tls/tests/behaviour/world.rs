use core::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Direction, Established, Layer, Provenance,
    RandomStream, ReadOutcome, Transport, TransportEvent,
};
use lasthop_tls::{
    Authority, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Tls, Verify, Version,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

use crate::tap::Tap;

pub(crate) const NAME: &str = "server.example";
pub(crate) const DELAY: Duration = Duration::from_millis(50);
pub(crate) const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

pub(crate) type End = Tls<Tap<Tcp>>;

/// What a test has to say about both ends.
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) common: Settings,
    pub(crate) client: ClientSettings,
    pub(crate) server: ServerSettings,
    pub(crate) fast_open: bool,
    /// Who signed the server's certificate.
    pub(crate) authority: Authority,
}

pub(crate) struct World {
    pub(crate) ends: Pair<End, End>,
    log: Vec<(Instant, Direction, ConnectionId, TransportEvent)>,
}

impl Setting {
    pub(crate) fn new(version: Version) -> Self {
        Self::of(version, KeyKind::EcdsaP256, 1, 1)
    }

    pub(crate) fn of(version: Version, kind: KeyKind, length: u8, seed: u64) -> Self {
        let mut authority = Authority::new(kind, RandomStream::named(seed, "credentials"));
        let roots = Arc::new(authority.roots());
        Self {
            seed,
            common: Settings {
                randomness: Randomness::OfTheRun,
                version,
                groups: vec![Group::X25519],
                largest_record: None,
                protocols: Vec::new(),
            },
            client: ClientSettings {
                server: NAME.to_owned(),
                verify: Verify::Against(roots),
                credentials: None,
                resumes: true,
                sends_early_data: false,
            },
            server: ServerSettings {
                credentials: authority.issue(&Issue::of_server(NAME, length)),
                clients: None,
                tickets: 2,
                sessions: 1000,
                early_data: 0,
                patience: None,
            },
            fast_open: false,
            authority,
        }
    }

    pub(crate) fn with_early_data() -> Self {
        let mut setting = Self::new(Version::Tls13);
        setting.client.sends_early_data = true;
        setting.server.early_data = 4096;
        setting
    }

    pub(crate) fn world(self) -> World {
        let client = ClientProfile::new(&self.common, self.client.clone()).unwrap();
        self.world_with(client)
    }

    /// With a client of other settings.
    pub(crate) fn world_with(self, client: ClientProfile) -> World {
        let server = ServerProfile::new(&self.common, self.server).unwrap();
        let profile = Arc::new(TcpProfile {
            fast_open_client: self.fast_open,
            fast_open_server: self.fast_open,
            nodelay: true,
            ..TcpProfile::linux()
        });
        let tcp = |address: &str| {
            let address: IpAddr = address.parse().unwrap();
            let stream = RandomStream::named(self.seed, format_args!("{address}/tcp"));
            Tap::new(Tcp::new(address, Arc::clone(&profile), stream))
        };
        let random = |name: &str| Some(RandomStream::named(self.seed, name));
        let device = Tls::new(tcp("10.0.0.1"), Some(client), None, random("device"));
        let mut host = Tls::new(tcp("192.0.2.1"), None, Some(server), random("host"));
        host.listen(address().port()).unwrap();
        World {
            ends: Pair::new(device, host, DELAY),
            log: Vec::new(),
        }
    }
}

pub(crate) fn address() -> SocketAddr {
    "192.0.2.1:8883".parse().unwrap()
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

    pub(crate) fn run(&mut self, seconds: u64) {
        self.ends.run_for(Duration::from_secs(seconds));
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

    pub(crate) fn log(&self) -> &[(Instant, Direction, ConnectionId, TransportEvent)] {
        &self.log
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
        self.run(2);
        let (_, of_client, here) = self.how(Direction::Up).expect("the client has it");
        let (_, there_id, there) = self.how(Direction::Down).expect("the server has it");
        assert_eq!(id, of_client);
        (id, there_id, [here, there])
    }

    pub(crate) fn write(&mut self, end: Direction, id: ConnectionId, bytes: &[u8]) -> usize {
        let now = self.ends.now();
        let end: &mut dyn Transport = match end {
            Direction::Up => &mut self.ends.client,
            Direction::Down => &mut self.ends.server,
        };
        end.write(now, id, Tcp::STREAM, &[chunk(bytes)]).unwrap()
    }

    pub(crate) fn read(&mut self, end: Direction, id: ConnectionId) -> (Vec<u8>, ReadOutcome) {
        let (mut all, mut room, now) = (Vec::new(), [0; 777], self.ends.now());
        let end: &mut dyn Transport = match end {
            Direction::Up => &mut self.ends.client,
            Direction::Down => &mut self.ends.server,
        };
        loop {
            match end.read(now, id, Tcp::STREAM, &mut room).unwrap() {
                ReadOutcome::Read(count) => all.extend(&room[..count]),
                outcome => return (all, outcome),
            }
        }
    }

    /// What each end wrote to TCP so far.
    pub(crate) fn written(&mut self) -> [Vec<u8>; 2] {
        [
            self.ends.client.lower().written.clone(),
            self.ends.server.lower().written.clone(),
        ]
    }
}
