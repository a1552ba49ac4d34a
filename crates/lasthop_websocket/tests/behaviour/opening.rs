use std::sync::Arc;

use lasthop_contract::testing::WireEnd;
use lasthop_contract::{
    CloseReason, Direction, Established, RandomStream, Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};
use lasthop_websocket::{WebSocket, WebSocketConfig};

use crate::world::{World, read, server};

#[test]
fn a_handshake_takes_one_round_trip_more_than_that_of_tcp() {
    let mut world = World::new();
    let id = world.open(b"early");
    world.ends.run_for(Duration::from_secs(1));
    let events = world.ends.take_events();
    let established = |end| {
        let mut of_end = events.iter().filter(move |it| it.end == end);
        let is = |it: &&_| matches!(it, TransportEvent::Established(Established::Full));
        of_end.find(|it| is(&&it.event)).unwrap().at
    };
    assert_eq!(
        established(Direction::Down),
        Instant::ZERO + Duration::from_millis(150)
    );
    assert_eq!(
        established(Direction::Up),
        Instant::ZERO + Duration::from_millis(200)
    );
    let there = events.iter().find(|it| it.end == Direction::Down).unwrap();
    let now = world.ends.now();
    let (bytes, _) = read(&mut world.ends.server, now, there.connection);
    assert_eq!(bytes, b"early", "it leaves with the client's first frame");
    assert!(world.ends.client.peer(id).is_some());
}

#[test]
fn a_client_that_offers_another_subprotocol_is_refused_and_the_server_knows_nothing_of_it() {
    let mut world = World::of(WebSocketConfig::new("amqp"), WebSocketConfig::new("mqtt"));
    let id = world.open(b"never sent");
    let events = world.run(5);
    assert_eq!(
        events,
        [(
            Direction::Up,
            id,
            TransportEvent::Closed(CloseReason::PeerError)
        )]
    );
}

#[test]
fn a_server_that_says_nothing_is_given_up_in_the_end() {
    let mut world = World::new();
    // Everything behind the handshake of TCP is lost.
    world.ends.lost = (1..200).map(|n| (Direction::Down, n)).collect();
    let id = world.open(b"");
    let events = world.run(59);
    assert!(!events.iter().any(|it| it.0 == Direction::Up), "{events:?}");
    let events = world.run(2);
    assert_eq!(
        events[0],
        (
            Direction::Up,
            id,
            TransportEvent::Closed(CloseReason::TimedOut)
        )
    );
}

#[test]
fn the_same_seed_gives_the_same_keys_and_masks() {
    let [one, same, other] = [1, 1, 2].map(|seed| {
        let (below, _, wire) = WireEnd::pair();
        let config = Arc::new(WebSocketConfig::new("mqtt"));
        let random = RandomStream::named(seed, "device/0/ws");
        let mut client = WebSocket::new(below, config, Some(random));
        for _ in 0..2 {
            let id = client.open(Instant::ZERO, server(), &[]);
            id.unwrap();
        }
        let wire = wire.borrow();
        let [first, second] = [0, 1].map(|it| wire.written[0][it].1.clone());
        assert_ne!(first, second, "each connection has a key of its own");
        first
    });
    assert_eq!(one, same);
    assert_ne!(one, other);
}
