//! What a handshake takes of the processor, both ends together, in microseconds: ours in virtual time, that of the library alone with the
//! system's random numbers, which does as much, and ours with a word, its acknowledgements and an end. `cargo run --release -p lasthop_quic --example handshakes`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "it is a program")]
#![expect(dead_code, reason = "the tests' two ends can do more than is measured")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it measures time"
)]

#[path = "../tests/behaviour/tap.rs"]
mod tap;
#[path = "../tests/behaviour/world.rs"]
mod world;

use core::net::IpAddr;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use lasthop_contract::testing::Pair;
use lasthop_contract::{Direction, RandomStream, Transport, TransportEvent};
use lasthop_quic::{Quic, QuicClient, QuicServer};
use lasthop_tls::{ClientProfile, Randomness, ServerProfile};
use lasthop_transport::Udp;
use lasthop_units::Duration;
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig,
    ServerConfig, TransportConfig,
};

use world::{Setting, World, address};

const FULL: u32 = 1000;
const EARLY: u32 = 10_000;
const ROUNDS: u32 = 5;
/// How long a handshake is looked at: until both ends have it, and what follows it at once.
const SPAN: Duration = Duration::from_millis(300);

fn main() {
    for _ in 0..ROUNDS {
        let ours = timed(FULL, ours);
        let session_full = timed(FULL, |count| {
            let mut world = ends_of(Setting::new_without_tickets());
            for _ in 0..count {
                session(&mut world);
            }
        });
        let alone = timed(FULL, alone);
        let early = timed(EARLY, |count| {
            let mut world = ends_of(Setting::new());
            for _ in 0..count {
                session(&mut world);
            }
        });
        println!(
            "full {ours:.0} us, of the library alone {alone:.0} us, session {session_full:.0} us, 0-RTT session {early:.0} us"
        );
    }
}

/// Microseconds of the processor that one of so many takes.
fn timed(count: u32, work: impl FnOnce(u32)) -> f64 {
    let start = on_processor_us();
    work(count);
    (on_processor_us() - start) / f64::from(count)
}

/// How long this thread was on a processor, as Linux tells it: others that compute count for little.
fn on_processor_us() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds: f64 = told.split(' ').next().unwrap().parse().unwrap();
    nanoseconds / 1e3
}

/// A connection that says a word, and is reset when the word has come.
fn session(world: &mut World) {
    world.forget();
    let id = world.open(b"hello");
    world.run(Duration::from_millis(300));
    assert!(world.how(Direction::Down).is_some(), "it came about");
    let now = world.ends.now();
    let reason = lasthop_contract::ResetReason::NotNeeded;
    world.ends.client.reset(now, id, reason);
    world.run(Duration::from_secs(3));
}

/// Ends that do their work, and nothing that only tests want.
fn ends_of(setting: Setting) -> World {
    let mut world = setting.world();
    world.ends.client.lower().forgets = true;
    world.ends.server.lower().forgets = true;
    world
}

impl Setting {
    fn new_without_tickets() -> Self {
        let mut setting = Self::new();
        setting.client.resumes = false;
        setting.client.sends_early_data = false;
        setting.server.sessions = 0;
        setting.server.early_data = 0;
        setting
    }
}

/// Handshakes of two new hosts, one behind the other, with all that is sent and labelled, until both ends have it.
fn ours(count: u32) {
    let setting = Setting::new_without_tickets();
    let client = ClientProfile::new(&setting.common, setting.client).unwrap();
    let server = ServerProfile::new(&setting.common, setting.server).unwrap();
    let client = QuicClient::new(&client, &setting.quic).unwrap();
    let server = QuicServer::new(&server, &setting.quic, false).unwrap();
    let udp = |address: &str| Udp::new(address.parse::<IpAddr>().unwrap());
    for number in 0..count {
        let random = |name| Some(RandomStream::named(number.into(), name));
        let device = Quic::new(
            udp("10.0.0.1"),
            Some(client.clone()),
            None,
            random("device"),
        );
        let mut host = Quic::new(udp("192.0.2.1"), None, Some(server.clone()), random("host"));
        host.listen(address().port()).unwrap();
        let mut ends = Pair::new(device, host, world::DELAY);
        let now = ends.now();
        ends.client.open(now, address(), &[]).unwrap();
        ends.run_for(SPAN);
        assert_eq!(Direction::ALL.map(|end| ends.sent(end)), DATAGRAMS);
        let events = ends.take_events().into_iter();
        let established = events.filter(|it| matches!(it.event, TransportEvent::Established(_)));
        assert_eq!(established.count(), 2);
    }
}

/// Handshakes of two endpoints of the library, one behind the other, on the same path for as long, with the same settings.
fn alone(count: u32) {
    let mut setting = Setting::new_without_tickets();
    setting.common.randomness = Randomness::OfTheSystem;
    let client = ClientProfile::new(&setting.common, setting.client).unwrap();
    let server = ServerProfile::new(&setting.common, setting.server).unwrap();
    let mut transport = TransportConfig::default();
    transport.max_idle_timeout(None);
    let transport = Arc::new(transport);
    let session = QuicClientConfig::try_from(client.config()).unwrap();
    let mut client = ClientConfig::new(Arc::new(session));
    client.transport_config(Arc::clone(&transport));
    let session = QuicServerConfig::try_from(server.config()).unwrap();
    let mut server = ServerConfig::with_crypto(Arc::new(session));
    server.transport_config(transport);
    let server = Arc::new(server);
    for _ in 0..count {
        let mut ends = Endpoints::new(client.clone(), Arc::clone(&server));
        ends.run();
        let is_over =
            |it: &Option<(_, Connection)>| it.as_ref().is_some_and(|it| !it.1.is_handshaking());
        assert!(ends.connections.iter().all(is_over));
        assert_eq!(ends.sent, DATAGRAMS);
    }
}

fn standard(span: Duration) -> core::time::Duration {
    core::time::Duration::from_nanos(span.as_nanos())
}

/// What the device and the host send in a handshake and what follows it at once.
const DATAGRAMS: [u64; 2] = [7, 5];

/// A device and a host of the library, and what is under way between them.
struct Endpoints {
    now: Instant,
    endpoints: [Endpoint; 2],
    connections: [Option<(ConnectionHandle, Connection)>; 2],
    /// When it arrives, and where.
    wire: VecDeque<(Instant, usize, Vec<u8>)>,
    sent: [u64; 2],
}

impl Endpoints {
    fn new(client: ClientConfig, server: Arc<ServerConfig>) -> Self {
        let now = Instant::now();
        let config = || Arc::new(EndpointConfig::default());
        let mut device = Endpoint::new(config(), None, true, None);
        let connection = device.connect(now, client, address(), world::NAME);
        Self {
            now,
            endpoints: [device, Endpoint::new(config(), Some(server), true, None)],
            connections: [connection.ok(), None],
            wire: VecDeque::new(),
            sent: [0; 2],
        }
    }

    fn run(&mut self) {
        let end = self.now + standard(SPAN);
        self.drain();
        while let Some(next) = self.next().filter(|at| *at <= end) {
            self.now = next;
            while self.wire.front().is_some_and(|it| it.0 <= next) {
                let (_, to, datagram) = self.wire.pop_front().unwrap();
                self.receive(to, &datagram);
            }
            for (_, connection) in self.connections.iter_mut().flatten() {
                if connection.poll_timeout().is_some_and(|at| at <= next) {
                    connection.handle_timeout(next);
                }
            }
            self.drain();
        }
    }

    fn next(&mut self) -> Option<Instant> {
        let arrival = self.wire.front().map(|it| it.0);
        let connections = self.connections.iter_mut().flatten();
        let timeouts = connections.filter_map(|(_, it)| it.poll_timeout());
        timeouts.chain(arrival).min()
    }

    fn drain(&mut self) {
        for side in 0..2 {
            let Some((handle, connection)) = &mut self.connections[side] else {
                continue;
            };
            while connection.poll().is_some() {}
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(answer) = self.endpoints[side].handle_event(*handle, event) {
                    connection.handle_event(answer);
                }
            }
            let mut datagram = Vec::new();
            while connection
                .poll_transmit(self.now, 1, &mut datagram)
                .is_some()
            {
                self.sent[side] += 1;
                let arrival = self.now + standard(world::DELAY);
                self.wire
                    .push_back((arrival, 1 - side, core::mem::take(&mut datagram)));
            }
        }
    }

    fn receive(&mut self, to: usize, datagram: &[u8]) {
        let device = "10.0.0.1:50000".parse().unwrap();
        let from = if to == 1 { device } else { address() };
        let mut answer = Vec::new();
        let endpoint = &mut self.endpoints[to];
        match endpoint.handle(self.now, from, None, None, datagram.into(), &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connections[to] {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = endpoint.accept(incoming, self.now, &mut answer, None);
                self.connections[to] = accepted.ok();
            }
            _ => {}
        }
    }
}
