//! The contract carries what TLS is: a toy record layer over TCP.

mod toy;

use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Direction, Established, InterfaceId, Keeping, Layer,
    Provenance, RandomStream, ReadOutcome, ResetReason, Survives, Transport, TransportEvent,
    TransportInput,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

use toy::{LARGEST_BODY, Stores, StreamRecords};

const DELAY: Duration = Duration::from_millis(50);
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// Layers are boxes, as data composes them.
type Ends = Pair<StreamRecords<Box<dyn Transport>>, StreamRecords<Box<dyn Transport>>>;

fn server() -> SocketAddr {
    "192.0.2.1:8883".parse().unwrap()
}

fn end(address: &str, stores: &Stores, seed: u64) -> StreamRecords<Box<dyn Transport>> {
    let address: core::net::IpAddr = address.parse().unwrap();
    let stream = RandomStream::named(seed, "tcp");
    let tcp = Tcp::new(address, Arc::new(TcpProfile::linux()), stream);
    StreamRecords::new(Box::new(tcp), stores.clone())
}

struct World {
    ends: Ends,
    device: Stores,
}

impl World {
    fn new() -> Self {
        let (device, host) = (Stores::new(), Stores::new());
        let mut listening = end("192.0.2.1", &host, 2);
        listening.listen(server().port()).unwrap();
        let ends = Pair::new(end("10.0.0.1", &device, 1), listening, DELAY);
        Self { ends, device }
    }

    fn open(&mut self, early: &[u8]) -> ConnectionId {
        let (now, chunk) = (self.ends.now(), chunk(early));
        let early = if early.is_empty() { &[][..] } else { &[chunk] };
        self.ends.client.open(now, server(), early).unwrap()
    }

    fn run(&mut self, seconds: u64) -> Vec<(Instant, Direction, ConnectionId, TransportEvent)> {
        self.ends.run_for(Duration::from_secs(seconds));
        let events = self.ends.take_events().into_iter();
        events
            .map(|it| (it.at, it.end, it.connection, it.event))
            .collect()
    }

    /// A connection that both ends have, and how it came about: here, there.
    fn connect(&mut self, early: &[u8]) -> (ConnectionId, ConnectionId, [Established; 2]) {
        let id = self.open(early);
        let events = self.run(1);
        let established = |side: Direction| {
            let mut of_side = events.iter().filter(|it| it.1 == side);
            of_side
                .find_map(|it| match it.3 {
                    TransportEvent::Established(how) => Some((it.2, how)),
                    _ => None,
                })
                .expect("it is established")
        };
        let ((_, here), (there_id, there)) =
            (established(Direction::Up), established(Direction::Down));
        (id, there_id, [here, there])
    }

    fn read_at_server(&mut self, id: ConnectionId) -> (Vec<u8>, ReadOutcome) {
        let (mut all, mut room, now) = (Vec::new(), [0; 777], self.ends.now());
        loop {
            match self
                .ends
                .server
                .read(now, id, Tcp::STREAM, &mut room)
                .unwrap()
            {
                ReadOutcome::Read(count) => all.extend(&room[..count]),
                outcome => return (all, outcome),
            }
        }
    }
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

#[test]
fn a_handshake_takes_a_round_trip_more_than_that_of_tcp() {
    let mut world = World::new();
    world.open(b"");
    let events = world.run(1);
    let at = events
        .iter()
        .find_map(|it| matches!(it.3, TransportEvent::Established(_)).then_some((it.0, it.1)));
    assert_eq!(at, Some((Instant::ZERO + DELAY * 3, Direction::Down)));
    let client = events.iter().filter(|it| it.1 == Direction::Up);
    let first = client.map(|it| (it.0, it.3)).next();
    let full = TransportEvent::Established(Established::Full);
    assert_eq!(first, Some((Instant::ZERO + DELAY * 4, full)));
}

#[test]
fn early_data_goes_with_a_ticket_and_waits_for_the_handshake_without_one() {
    let mut world = World::new();
    let (_, there, how) = world.connect(b"first");
    assert_eq!(how, [Established::Full; 2]);
    assert_eq!(world.read_at_server(there).0, b"first");
    let opened = world.ends.now();
    let id = world.open(b"second");
    let events = world.run(1);
    let readable = events
        .iter()
        .find(|it| matches!(it.3, TransportEvent::Readable(_)));
    let (at, side, there, _) = *readable.expect("it arrives");
    assert_eq!((at, side), (opened + DELAY * 3, Direction::Down));
    assert_eq!(world.read_at_server(there).0, b"second");
    let early = TransportEvent::Established(Established::Early);
    assert!(events.iter().any(|it| (it.2, it.3) == (id, early)));
}

#[test]
fn a_ticket_resumes_one_connection_and_two_come_with_each() {
    let mut world = World::new();
    world.connect(b"");
    let opened: Vec<ConnectionId> = (0..3).map(|_| world.open(b"")).collect();
    let events = world.run(1);
    let how = |id: &ConnectionId| {
        events.iter().find_map(|it| match it.3 {
            TransportEvent::Established(how) if (it.1, it.2) == (Direction::Up, *id) => Some(how),
            _ => None,
        })
    };
    let (resumed, full) = (Some(Established::Resumed), Some(Established::Full));
    let all: Vec<_> = opened.iter().map(how).collect();
    assert_eq!(all, [resumed, resumed, full], "there were two tickets");
}

#[test]
fn early_data_that_a_server_refuses_arrives_once_after_the_handshake() {
    let mut world = World::new();
    world.device.client.borrow_mut().keep(server(), *b"old!");
    let (_, there, how) = world.connect(b"report");
    assert_eq!(how, [Established::Full; 2]);
    assert_eq!(world.read_at_server(there).0, b"report");
}

#[test]
fn records_straddle_segments_and_come_out_whole() {
    let mut world = World::new();
    let (id, there, _) = world.connect(b"");
    let sent: Vec<u8> = (0..10 * LARGEST_BODY).map(|at| (at % 251) as u8).collect();
    let now = world.ends.now();
    let taken = world
        .ends
        .client
        .write(now, id, Tcp::STREAM, &[chunk(&sent)])
        .unwrap();
    assert_eq!(taken, sent.len());
    // The third segment is lost: what follows waits for it.
    world.ends.lost.push((Direction::Up, 5));
    world.run(3);
    assert_eq!(world.read_at_server(there), (sent, ReadOutcome::Blocked));
}

#[test]
fn a_close_is_told_from_a_truncation() {
    let mut world = World::new();
    let (id, there, _) = world.connect(b"");
    let now = world.ends.now();
    world.ends.client.finish(now, id, Tcp::STREAM);
    world.run(1);
    assert_eq!(world.read_at_server(there).1, ReadOutcome::Finished);
    let now = world.ends.now();
    world.ends.server.finish(now, there, Tcp::STREAM);
    let events = world.run(1);
    let finished = TransportEvent::Closed(CloseReason::Finished);
    assert!(events.iter().any(|it| it.3 == finished), "{events:?}");

    // A middlebox ends the stream below the records.
    let (id, there, _) = world.connect(b"");
    let now = world.ends.now();
    world.ends.client.truncate(now, id);
    let events = world.run(1);
    let cut = TransportEvent::Closed(CloseReason::Reset(ResetReason::PeerError));
    assert!(
        events
            .iter()
            .any(|it| (it.1, it.2, it.3) == (Direction::Down, there, cut)),
        "{events:?}"
    );
}

#[test]
fn tickets_on_flash_outlive_a_crash_and_others_do_not() {
    for (tickets, how) in [
        (Keeping::Flash, Established::Resumed),
        (Keeping::Memory, Established::Full),
    ] {
        let mut world = World::new();
        world.connect(b"");
        let survives = Survives {
            tickets,
            ..Survives::default()
        };
        let now = world.ends.now();
        world
            .ends
            .client
            .handle(now, TransportInput::Crash(survives));
        assert_eq!(world.connect(b"").2[0], how, "{tickets:?}");
    }
}

#[test]
fn a_changed_address_ends_the_connection_by_its_timers_and_the_next_one_resumes() {
    let mut world = World::new();
    let (id, _, _) = world.connect(b"");
    let moved = TransportInput::AddressChanged {
        interface: InterfaceId(0),
        address: "10.0.0.77".parse().unwrap(),
    };
    let now = world.ends.now();
    world.ends.client.handle(now, moved);
    let written = world
        .ends
        .client
        .write(now, id, Tcp::STREAM, &[chunk(b"lost")]);
    assert_eq!(written, Ok(4));
    let events = world.run(2000);
    let timed_out = TransportEvent::Closed(CloseReason::TimedOut);
    assert!(
        events.iter().any(|it| (it.2, it.3) == (id, timed_out)),
        "{events:?}"
    );
    assert_eq!(world.connect(b"").2, [Established::Resumed; 2]);
}

#[test]
fn who_is_told_of_a_changed_address_ends_the_session_at_once() {
    let mut world = World::new();
    let (id, _, _) = world.connect(b"");
    let moved = TransportInput::AddressChanged {
        interface: InterfaceId(0),
        address: "10.0.0.77".parse().unwrap(),
    };
    let now = world.ends.now();
    world.ends.client.handle(now, moved);
    world
        .ends
        .client
        .handle(now, TransportInput::AddressNoticed);
    let events = world.run(1);
    let gone = TransportEvent::Closed(CloseReason::AddressGone);
    assert!(
        events.iter().any(|it| (it.2, it.3) == (id, gone)),
        "{events:?}"
    );
    assert_eq!(world.connect(b"").2, [Established::Resumed; 2]);
}
