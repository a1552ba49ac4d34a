//! The contract carries a secured transport: a toy one, over a UDP flow.

mod toy;

use core::net::SocketAddr;

use lasthop_contract::testing::{Pair, PairEvent};
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Direction, Established, InterfaceId, Layer,
    Provenance, ResetReason, Span, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant};

use toy::{HELLO_TIMEOUT, RecordLayer, Tickets};

const DELAY: Duration = Duration::from_millis(100);
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

type RecordPair = Pair<RecordLayer<Udp>, RecordLayer<Udp>>;

fn server() -> SocketAddr {
    "192.0.2.1:5684".parse().unwrap()
}

fn pair(tickets: Tickets) -> RecordPair {
    let client = RecordLayer::new(Udp::new("10.0.0.1".parse().unwrap()), tickets, 7);
    let mut listening = RecordLayer::new(Udp::new(server().ip()), Tickets::new(), 0);
    listening.listen(server().port()).unwrap();
    Pair::new(client, listening, DELAY)
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

fn established(events: &[PairEvent], end: Direction) -> Vec<(Instant, Established)> {
    let at_end = events.iter().filter(|event| event.end == end);
    at_end
        .filter_map(|event| match event.event {
            TransportEvent::Established(how) => Some((event.at, how)),
            _ => None,
        })
        .collect()
}

/// The ticket store of a client after one full handshake.
fn tickets() -> Tickets {
    let mut pair = pair(Tickets::new());
    pair.client.open(Instant::ZERO, server(), &[]).unwrap();
    pair.run_for(Duration::from_secs(1));
    pair.client.into_tickets()
}

#[test]
fn a_first_handshake_is_full_and_takes_a_round_trip() {
    let mut pair = pair(Tickets::new());
    pair.client
        .open(Instant::ZERO, server(), &[chunk(b"too early")])
        .unwrap();
    pair.run_for(Duration::from_secs(1));
    let events = pair.take_events();
    let at = |n| Instant::ZERO + DELAY * n;
    assert_eq!(
        established(&events, Direction::Down),
        [(at(1), Established::Full)]
    );
    assert_eq!(
        established(&events, Direction::Up),
        [(at(2), Established::Full)]
    );
}

#[test]
fn early_data_arrives_with_the_first_flight_when_there_is_a_ticket() {
    let mut pair = pair(tickets());
    pair.client
        .open(Instant::ZERO, server(), &[chunk(b"early")])
        .unwrap();
    pair.run_for(DELAY);
    let events = pair.take_events();
    let [(at, how)] = established(&events, Direction::Down)[..] else {
        panic!("{events:?}");
    };
    assert_eq!((at, how), (Instant::ZERO + DELAY, Established::Early));
    let early = pair.server.receive_datagram(ConnectionId(0)).unwrap();
    assert_eq!(&*early, b"early");
    pair.run_for(DELAY);
    let events = pair.take_events();
    assert_eq!(established(&events, Direction::Up)[0].1, Established::Early);
}

#[test]
fn a_lost_hello_leaves_again_and_its_bytes_are_retransmissions() {
    let mut pair = pair(tickets());
    pair.lost.push((Direction::Up, 0));
    pair.client
        .open(Instant::ZERO, server(), &[chunk(b"early")])
        .unwrap();
    pair.run_for(Duration::from_secs(2));
    let events = pair.take_events();
    let at = Instant::ZERO + HELLO_TIMEOUT + DELAY;
    assert_eq!(
        established(&events, Direction::Down)[0],
        (at, Established::Early)
    );
}

#[test]
fn a_connection_survives_a_change_of_address() {
    let mut pair = pair(Tickets::new());
    let id = pair.client.open(Instant::ZERO, server(), &[]).unwrap();
    pair.run_for(Duration::from_secs(1));
    pair.take_events();
    let now = pair.now();
    let moved = TransportInput::AddressChanged {
        interface: InterfaceId(0),
        address: "10.0.0.77".parse().unwrap(),
    };
    pair.client.handle(now, moved);
    pair.client
        .send_datagram(now, id, &[chunk(b"still me")])
        .unwrap();
    pair.run_for(Duration::from_secs(1));
    let events = pair.take_events();
    let rebound = events.iter().find_map(|event| match event.event {
        TransportEvent::Rebound => Some(event.connection),
        _ => None,
    });
    let at_server = ConnectionId(0);
    assert_eq!(rebound, Some(at_server));
    let peer = pair.server.peer(at_server).unwrap();
    assert_eq!(peer.ip().to_string(), "10.0.0.77");
    assert_eq!(
        &*pair.server.receive_datagram(at_server).unwrap(),
        b"still me"
    );
    // The answer finds the new address.
    let now = pair.now();
    pair.server
        .send_datagram(now, at_server, &[chunk(b"welcome")])
        .unwrap();
    pair.run_for(Duration::from_secs(1));
    assert_eq!(&*pair.client.receive_datagram(id).unwrap(), b"welcome");
}

#[test]
fn every_layer_accounts_for_its_own_bytes() {
    let mut pair = pair(Tickets::new());
    let id = pair.client.open(Instant::ZERO, server(), &[]).unwrap();
    pair.run_for(Duration::from_secs(1));
    let now = pair.now();
    pair.client
        .send_datagram(now, id, &[chunk(b"0123456789")])
        .unwrap();
    let TransportOutput::Transmit(packet) = pair.client.poll(now) else {
        panic!("a datagram leaves at once");
    };
    let spans: Vec<(Layer, Cause, u16)> = packet
        .spans()
        .iter()
        .map(|Span { provenance, length }| (provenance.layer, provenance.cause, *length))
        .collect();
    assert_eq!(
        spans,
        [
            (Layer::Ip, Cause::Header, 20),
            (Layer::Udp, Cause::Header, 8),
            (Layer::Dtls, Cause::Header, 5),
            (Layer::Application, Cause::Payload, 10),
        ]
    );
}

#[test]
fn a_reset_ends_the_connection() {
    let mut pair = pair(Tickets::new());
    let id = pair.client.open(Instant::ZERO, server(), &[]).unwrap();
    pair.run_for(Duration::from_secs(1));
    let now = pair.now();
    pair.client.reset(now, id, ResetReason::NotNeeded);
    pair.run_for(Duration::ZERO);
    let closed = TransportEvent::Closed(CloseReason::Reset(ResetReason::NotNeeded));
    assert!(pair.take_events().iter().any(|event| event.event == closed));
}
