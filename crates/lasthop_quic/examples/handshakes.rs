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
        ends.run_for(Duration::from_millis(300));
        let events = ends.take_events().into_iter();
        let established = events.filter(|it| matches!(it.event, TransportEvent::Established(_)));
        assert_eq!(established.count(), 2);
    }
}

/// Handshakes of two endpoints of the library, one behind the other.
fn alone(count: u32) {
    let mut setting = Setting::new_without_tickets();
    setting.common.randomness = Randomness::OfTheSystem;
    let client = ClientProfile::new(&setting.common, setting.client).unwrap();
    let server = ServerProfile::new(&setting.common, setting.server).unwrap();
    let transport = Arc::new(TransportConfig::default());
    let session = QuicClientConfig::try_from(client.config()).unwrap();
    let mut client = ClientConfig::new(Arc::new(session));
    client.transport_config(Arc::clone(&transport));
    let session = QuicServerConfig::try_from(server.config()).unwrap();
    let mut server = ServerConfig::with_crypto(Arc::new(session));
    server.transport_config(transport);
    let server = Arc::new(server);
    for _ in 0..count {
        handshake(client.clone(), Arc::clone(&server));
    }
}

fn handshake(client: ClientConfig, server: Arc<ServerConfig>) {
    let now = Instant::now();
    let endpoint = |server| Endpoint::new(Arc::new(EndpointConfig::default()), server, true, None);
    let mut endpoints = [endpoint(None), endpoint(Some(server))];
    let (handle, connection) = endpoints[0]
        .connect(now, client, address(), world::NAME)
        .unwrap();
    let mut connections: [Option<(ConnectionHandle, Connection)>; 2] =
        [Some((handle, connection)), None];
    let device = "10.0.0.1:50000".parse().unwrap();
    let mut wire: VecDeque<(usize, Vec<u8>)> = VecDeque::new();
    loop {
        for side in 0..2 {
            let Some((handle, connection)) = &mut connections[side] else {
                continue;
            };
            while connection.poll().is_some() {}
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(answer) = endpoints[side].handle_event(*handle, event) {
                    connection.handle_event(answer);
                }
            }
            let mut datagram = Vec::new();
            while connection.poll_transmit(now, 1, &mut datagram).is_some() {
                wire.push_back((1 - side, core::mem::take(&mut datagram)));
            }
        }
        let Some((to, datagram)) = wire.pop_front() else {
            break;
        };
        let from = if to == 1 { device } else { address() };
        let mut answer = Vec::new();
        let event = endpoints[to].handle(now, from, None, None, datagram[..].into(), &mut answer);
        match event {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut connections[to] {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = endpoints[to].accept(incoming, now, &mut answer, None);
                connections[to] = accepted.ok();
            }
            _ => {}
        }
    }
    for connection in connections {
        assert!(connection.is_some_and(|(_, it)| !it.is_handshaking()));
    }
}
