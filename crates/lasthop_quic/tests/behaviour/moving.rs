use core::net::SocketAddr;

use lasthop_contract::{
    CloseReason, Direction, Established, InterfaceId, Survives, Transport, TransportEvent,
    TransportInput,
};
use lasthop_units::Duration;

use crate::world::{DELAY, Setting, World, address, chunk};

const SECOND: Duration = Duration::from_secs(1);

fn rebound(world: &World) -> bool {
    let is_it = |it| it == TransportEvent::Rebound;
    world.first(Direction::Down, is_it).is_some()
}

#[test]
fn a_client_goes_on_from_another_address_and_the_old_one_is_dead() {
    for is_told in [false, true] {
        goes_on(is_told);
    }
}

fn goes_on(is_told: bool) {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"before ");
    let peer = world.ends.server.peer(there).unwrap();
    let now = world.ends.now();
    let moved = TransportInput::AddressChanged {
        interface: InterfaceId(0),
        address: "10.0.0.99".parse().unwrap(),
    };
    // From here on what is for the old address is of no use to anybody (WrongAddress).
    world.ends.client.handle(now, moved);
    // Who is told says so at once, where there is nothing to say, too.
    world.run(SECOND);
    assert!(!rebound(&world));
    if is_told {
        let now = world.ends.now();
        world
            .ends
            .client
            .handle(now, TransportInput::AddressNoticed);
        world.run(SECOND);
    }
    assert_eq!(rebound(&world), is_told);
    world.write(Direction::Up, here, b"and after");
    world.run(SECOND);
    assert!(rebound(&world));
    let after = world.ends.server.peer(there).unwrap();
    assert_eq!(
        after,
        SocketAddr::new("10.0.0.99".parse().unwrap(), peer.port())
    );
    assert_eq!(world.read(Direction::Down, there).0, b"before and after");
    world.write(Direction::Down, there, b"found");
    world.run(SECOND);
    assert_eq!(world.read(Direction::Up, here).0, b"found");
}

#[test]
fn the_fifth_address_is_as_good_as_the_first() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b".");
    for last in 2..7 {
        let now = world.ends.now();
        let address = format!("10.0.0.{last}").parse().unwrap();
        let interface = InterfaceId(0);
        let moved = TransportInput::AddressChanged { interface, address };
        world.ends.client.handle(now, moved);
        world
            .ends
            .client
            .handle(now, TransportInput::AddressNoticed);
        world.write(Direction::Up, here, b".");
        world.run(Duration::from_secs(30));
        assert_eq!(world.ends.server.peer(there).unwrap().ip(), address);
    }
    assert_eq!(world.read(Direction::Down, there).0, b"......");
}

#[test]
fn a_server_that_lost_its_memory_says_that_it_knows_nobody() {
    let mut world = Setting::new().world();
    let (here, ..) = world.connect(b"hello");
    let now = world.ends.now();
    let crash = TransportInput::Crash(Survives::default());
    world.ends.server.handle(now, crash);
    world.ends.server.listen(address().port()).unwrap();
    world.write(Direction::Up, here, b"are you there?");
    world.run(DELAY * 2);
    assert_eq!(world.closed(Direction::Up), Some(CloseReason::PeerReset));
}

#[test]
fn what_is_replayed_of_a_first_flight_delivers_nothing() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"hello");
    world.read(Direction::Down, there);
    world.end_both(here, there);
    let before = world.sent()[0].len();
    world.forget();
    let here = world.open(b"open the door");
    world.run(DELAY);
    let (_, there, how) = world.how(Direction::Down).unwrap();
    assert_eq!(how, Established::Early);
    assert_eq!(world.read(Direction::Down, there).0, b"open the door");
    let flight = world.sent()[0][before..].to_vec();
    world.run(SECOND);
    world.read(Direction::Up, here);
    world.end_both(here, there);
    world.forget();

    let now = world.ends.now();
    let attacker = world.ends.client.lower().lower();
    let flow = attacker.open(now, address(), &[]).unwrap();
    for datagram in &flight {
        attacker
            .send_datagram(now, flow, &[chunk(datagram)])
            .unwrap();
    }
    world.run(Duration::from_secs(200));
    let told = |it| !matches!(it, TransportEvent::Closed(_));
    assert_eq!(
        world.first(Direction::Down, told),
        None,
        "its ticket is spent"
    );
}

#[test]
fn an_address_that_is_not_validated_gets_at_most_three_times_what_came_from_it() {
    for length in [1, 30, 900] {
        let mut world = Setting::new().world();
        let (here, there, _) = world.connect(b".");
        let now = world.ends.now();
        let address = "10.0.0.99".parse().unwrap();
        let interface = InterfaceId(0);
        let moved = TransportInput::AddressChanged { interface, address };
        world.ends.client.handle(now, moved);
        let [of_client, of_server] = world.sent().map(|it| it.len());
        // One datagram comes from there, and nothing after it.
        world.write(Direction::Up, here, &vec![b'x'; length]);
        world.run(Duration::ZERO);
        world.ends.client.lower().is_cut = true;
        assert_eq!(world.sent()[0].len(), of_client + 1);
        let received = world.sent()[0][of_client].len();
        world.run(DELAY);
        world.write(Direction::Down, there, &[b'y'; 20_000]);
        world.run(Duration::from_secs(400));
        let tap = world.ends.server.lower();
        let sent = tap.sent[of_server..].iter().zip(&tap.peers[of_server..]);
        let sent = sent.filter(|(_, peer)| peer.ip() == address);
        let sent: usize = sent.map(|(datagram, _)| datagram.len()).sum();
        assert!(sent > 0, "the path is challenged");
        assert!(sent <= 3 * received, "{sent} B went for {received} B");
    }
}

#[test]
fn a_client_whose_first_datagram_from_another_address_is_small_goes_on_from_there() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b".");
    let now = world.ends.now();
    let address = "10.0.0.99".parse().unwrap();
    let interface = InterfaceId(0);
    let moved = TransportInput::AddressChanged { interface, address };
    world.ends.client.handle(now, moved);
    world.write(Direction::Up, here, b"x");
    let [_, of_server] = world.sent().map(|it| it.len());
    world.run(DELAY);
    world.write(Direction::Down, there, &[b'y'; 20_000]);
    world.run(SECOND);
    assert_eq!(world.read(Direction::Up, here).0, [b'y'; 20_000]);
    // The path is challenged again in a datagram of 1,200 B once the address is validated (RFC 9000 section 8.2.1).
    let tap = world.ends.server.lower();
    let sent = tap.sent[of_server..].iter().zip(&tap.peers[of_server..]);
    let mut sent = sent.filter(|(_, peer)| peer.ip() == address);
    let first = sent.next().map(|(datagram, _)| datagram.len());
    assert!(first < Some(1200), "{first:?}");
    world.run(Duration::from_secs(30));
    assert_eq!(world.ends.server.peer(there).unwrap().ip(), address);
}
