//! Connections of RTPS over TCP, without participants.

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, Layer, OpenOptions, Provenance, ReadOutcome, Transport,
    TransportEvent, TransportInput,
};
use lasthop_dds::{PORT, RtpsTcp};
use lasthop_transport::tcp::Tcp;
use lasthop_units::Duration;

use crate::pair::over_tcp;

const SECOND: Duration = Duration::from_secs(1);
const SERVER: &str = "10.0.0.2:7400";
const DISCOVERY: u16 = 7410;
const ANNOUNCED: u16 = 4711;

type Channels = Pair<RtpsTcp<Tcp>, RtpsTcp<Tcp>>;

fn pair() -> Channels {
    let ends = [("client", "10.0.0.1"), ("server", "10.0.0.2")];
    let [client, mut server] = ends.map(|(name, at)| over_tcp(name, at.parse().unwrap()));
    server.listen(PORT).unwrap();
    Pair::new(client, server, Duration::from_millis(10))
}

fn open(pair: &mut Channels) -> ConnectionId {
    let options = OpenOptions {
        local_port: Some(ANNOUNCED),
        ..OpenOptions::default()
    };
    let now = pair.now();
    let peer = SERVER.parse().unwrap();
    pair.client.open_with(now, peer, options, &[]).unwrap()
}

fn datagram(
    transport: &mut dyn Transport,
    pair_now: lasthop_units::Instant,
    id: ConnectionId,
    port: u16,
    text: &[u8],
) {
    let provenance = Provenance::new(Layer::Application, Cause::Payload);
    let port = port.to_le_bytes();
    let chunks = [&port[..], text].map(|bytes| Chunk { bytes, provenance });
    transport.send_datagram(pair_now, id, &chunks).unwrap();
}

/// The events of one end, without those before.
fn events(pair: &mut Channels, end: Direction) -> Vec<(ConnectionId, TransportEvent)> {
    let all = pair.take_events().into_iter().filter(|it| it.end == end);
    all.map(|it| (it.connection, it.event)).collect()
}

fn messages(transport: &mut dyn Transport, id: ConnectionId) -> Vec<Vec<u8>> {
    core::iter::from_fn(|| transport.receive_datagram(id).map(|it| it.to_vec())).collect()
}

/// A message with the logical port that it came to.
fn at(port: u16, text: &[u8]) -> Vec<u8> {
    [&port.to_le_bytes()[..], text].concat()
}

#[test]
fn messages_wait_for_their_logical_port_and_arrive_in_order() {
    let mut pair = pair();
    let id = open(&mut pair);
    let now = pair.now();
    for text in [b"one", b"two"] {
        datagram(&mut pair.client, now, id, DISCOVERY, text);
    }
    datagram(&mut pair.client, now, id, DISCOVERY + 1, b"sample");
    pair.run_for(SECOND);
    let there = events(&mut pair, Direction::Down);
    let (accepted, event) = there[0];
    assert!(matches!(event, TransportEvent::Established(_)), "{there:?}");
    let told = messages(&mut pair.server, accepted);
    let expected = [at(7410, b"one"), at(7410, b"two"), at(7411, b"sample")];
    assert_eq!(told, expected);
    // The peer is where it says that it is, and not where its connection comes from.
    let peer = format!("10.0.0.1:{ANNOUNCED}").parse().unwrap();
    assert_eq!(pair.server.peer(accepted), Some(peer));
    let now = pair.now();
    datagram(&mut pair.server, now, accepted, DISCOVERY, b"back");
    pair.run_for(SECOND);
    assert_eq!(messages(&mut pair.client, id), [at(7410, b"back")]);
}

#[test]
fn messages_to_a_logical_port_that_nobody_has_are_lost_and_others_arrive() {
    let mut pair = pair();
    let id = open(&mut pair);
    let now = pair.now();
    datagram(&mut pair.client, now, id, 9999, b"nobody");
    datagram(&mut pair.client, now, id, DISCOVERY, b"somebody");
    pair.run_for(SECOND);
    let (accepted, _) = events(&mut pair, Direction::Down)[0];
    let told = messages(&mut pair.server, accepted);
    assert_eq!(told, [at(7410, b"somebody")]);
}

#[test]
fn no_more_messages_wait_than_there_is_room_for() {
    let mut pair = pair();
    let id = open(&mut pair);
    let now = pair.now();
    for _ in 0..1000 {
        datagram(&mut pair.client, now, id, DISCOVERY, b"waits");
    }
    pair.run_for(SECOND);
    let (accepted, _) = events(&mut pair, Direction::Down)[0];
    assert_eq!(messages(&mut pair.server, accepted).len(), 64);
}

#[test]
fn messages_find_no_room_behind_a_stalled_connection_and_control_messages_do() {
    let mut pair = pair();
    let id = open(&mut pair);
    let now = pair.now();
    datagram(&mut pair.client, now, id, DISCOVERY, b"opens the port");
    pair.run_for(SECOND);
    // Nothing arrives until the packets below are sent again.
    pair.lost = (0..10_000).map(|number| (Direction::Up, number)).collect();
    let now = pair.now();
    const MANY: usize = 2000;
    for _ in 0..MANY {
        datagram(&mut pair.client, now, id, DISCOVERY, &[7; 1400]);
    }
    datagram(&mut pair.client, now, id, DISCOVERY + 1, b"sample");
    pair.run_for(SECOND);
    pair.lost.clear();
    pair.run_for(SECOND * 60);
    let (accepted, _) = events(&mut pair, Direction::Down)[0];
    let told = messages(&mut pair.server, accepted);
    assert!(told.len() < MANY, "{} found room", told.len());
    assert_eq!(told.last(), Some(&at(7411, b"sample")));
}

#[test]
fn who_stops_unbinds_and_both_ends_close() {
    let mut pair = pair();
    let id = open(&mut pair);
    pair.run_for(SECOND);
    let (accepted, _) = events(&mut pair, Direction::Down)[0];
    let now = pair.now();
    pair.client.handle(now, TransportInput::Stop);
    pair.run_for(SECOND * 100);
    let closed = pair.take_events();
    for (end, which) in [(Direction::Up, id), (Direction::Down, accepted)] {
        let mut of = closed
            .iter()
            .filter(|it| it.end == end && it.connection == which);
        let last = of.next_back().map(|it| it.event);
        assert!(
            matches!(last, Some(TransportEvent::Closed(_))),
            "{closed:?}"
        );
    }
}

#[test]
fn a_stranger_that_speaks_no_frames_is_reset() {
    let profile = std::sync::Arc::new(lasthop_transport::tcp::TcpProfile::linux());
    let stream = lasthop_contract::RandomStream::named(1, "stranger");
    let stranger = Tcp::new("10.0.0.1".parse().unwrap(), profile, stream);
    let mut server = over_tcp("server", "10.0.0.2".parse().unwrap());
    server.listen(PORT).unwrap();
    let mut pair = Pair::new(stranger, server, Duration::from_millis(10));
    let now = pair.now();
    let early = Chunk {
        bytes: b"GET / HTTP/1.1\r\n",
        provenance: Provenance::new(Layer::Application, Cause::Header),
    };
    let id = pair
        .client
        .open(now, SERVER.parse().unwrap(), &[early])
        .unwrap();
    pair.run_for(SECOND);
    let stream = pair.client.initial_stream(id);
    let read = stream.map(|stream| pair.client.read(pair.now(), id, stream, &mut [0; 64]));
    assert!(!matches!(read, Some(Ok(ReadOutcome::Read(_)))), "{read:?}");
    let events = pair.take_events();
    let mut of_stranger = events.iter().filter(|it| it.end == Direction::Up);
    let last = of_stranger.next_back().map(|it| it.event);
    assert!(
        matches!(last, Some(TransportEvent::Closed(_))),
        "{events:?}"
    );
}
