use core::net::{IpAddr, SocketAddr};

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Direction, Established, Layer, Provenance,
    RandomStream, ResetReason, Transport, TransportEvent,
};
use lasthop_dtls::{ClientProfile, Dtls, PreSharedKey, PreSharedKeys, ServerProfile, Settings};
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant};

use crate::tap::{Sent, Tap};

pub(crate) const DELAY: Duration = Duration::from_millis(50);
pub(crate) const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);
pub(crate) const IDENTITY: &str = "device-0";

pub(crate) type End = Dtls<Tap<Udp>>;

/// What a test has to say about both ends.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) common: Settings,
    pub(crate) key: PreSharedKey,
    pub(crate) keys: PreSharedKeys,
    pub(crate) asks_for_cookie: bool,
    /// Whether the client resumes sessions, and how many the server remembers.
    pub(crate) resumes: bool,
    pub(crate) sessions: usize,
}

pub(crate) struct World {
    pub(crate) ends: Pair<End, End>,
    log: Vec<(Instant, Direction, ConnectionId, TransportEvent)>,
}

impl Setting {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            common: Settings::default(),
            key: PreSharedKey::of_run(seed, IDENTITY),
            keys: PreSharedKeys::of_run(seed),
            asks_for_cookie: true,
            resumes: false,
            sessions: 0,
        }
    }

    pub(crate) fn world(self) -> World {
        let mut client = ClientProfile::with_key(&self.common, self.key).unwrap();
        if self.resumes {
            client = client.resuming();
        }
        let server = ServerProfile::with_keys(&self.common, self.keys, self.asks_for_cookie);
        World::of(
            self.seed,
            client,
            server.unwrap().remembering(self.sessions),
        )
    }
}

pub(crate) fn address() -> SocketAddr {
    "192.0.2.1:5684".parse().unwrap()
}

pub(crate) fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

impl World {
    pub(crate) fn of(seed: u64, client: ClientProfile, server: ServerProfile) -> Self {
        let udp = |address: &str| {
            let address: IpAddr = address.parse().unwrap();
            Tap::new(Udp::new(address))
        };
        let random = |name: &str| Some(RandomStream::named(seed, name));
        let device = Dtls::new(udp("10.0.0.1"), Some(client), None, random("device"));
        let mut host = Dtls::new(udp("192.0.2.1"), None, Some(server), random("host"));
        host.listen(address().port()).unwrap();
        Self {
            ends: Pair::new(device, host, DELAY),
            log: Vec::new(),
        }
    }

    pub(crate) fn open(&mut self) -> ConnectionId {
        let now = self.ends.now();
        self.ends.client.open(now, address(), &[]).unwrap()
    }

    pub(crate) fn run(&mut self, seconds: u64) {
        self.run_for(Duration::from_secs(seconds));
    }

    pub(crate) fn run_for(&mut self, span: Duration) {
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

    /// When an end had its connection.
    pub(crate) fn established(&self, end: Direction) -> Option<(Instant, ConnectionId)> {
        let found = self.first(end, |it| matches!(it, TransportEvent::Established(_)))?;
        Some((found.0, found.1))
    }

    /// How the connection of an end came about.
    pub(crate) fn how(&self, end: Direction) -> Option<Established> {
        let found = self.first(end, |it| matches!(it, TransportEvent::Established(_)))?;
        match found.2 {
            TransportEvent::Established(how) => Some(how),
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

    /// A connection that both ends have: its ids here and there.
    pub(crate) fn connect(&mut self) -> (ConnectionId, ConnectionId) {
        self.forget();
        let id = self.open();
        self.run(2);
        let (_, here) = self.established(Direction::Up).expect("the client has it");
        let (_, there) = self
            .established(Direction::Down)
            .expect("the server has it");
        assert_eq!(id, here);
        (here, there)
    }

    /// Ends a connection of the client, and tells the server so.
    pub(crate) fn close(&mut self, id: ConnectionId) {
        let now = self.ends.now();
        self.ends.client.reset(now, id, ResetReason::NotNeeded);
        self.run(1);
    }

    pub(crate) fn end(&mut self, end: Direction) -> &mut End {
        match end {
            Direction::Up => &mut self.ends.client,
            Direction::Down => &mut self.ends.server,
        }
    }

    pub(crate) fn send(&mut self, end: Direction, id: ConnectionId, bytes: &[u8]) {
        let now = self.ends.now();
        let end = self.end(end);
        end.send_datagram(now, id, &[chunk(bytes)]).unwrap();
    }

    /// Every datagram that waits for the application of an end.
    pub(crate) fn received(&mut self, end: Direction, id: ConnectionId) -> Vec<Vec<u8>> {
        let end = self.end(end);
        core::iter::from_fn(|| end.receive_datagram(id))
            .map(|it| it.to_vec())
            .collect()
    }

    /// What an end has sent so far.
    pub(crate) fn sent(&mut self, end: Direction) -> Vec<Sent> {
        self.end(end).lower().sent.clone()
    }

    /// Sends bytes of an attacker who has the flow of the client.
    pub(crate) fn inject(&mut self, flow: ConnectionId, bytes: &[u8]) {
        let now = self.ends.now();
        let udp = self.ends.client.lower().lower();
        udp.send_datagram(now, flow, &[chunk(bytes)]).unwrap();
    }
}
