//! A UDP flow between two hosts.

use core::net::{IpAddr, SocketAddr};

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, DiscardReason, Established, Expectation, InterfaceId,
    Layer, Packet, Provenance, ResetReason, StreamError, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_transport::{PeerLimit, Tcp, Udp};
use lasthop_units::{Duration, Instant};

const PORT: u16 = 4000;
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

fn pair(client: &str, server: &str) -> (Pair<Udp, Udp>, ConnectionId) {
    let (client, server): (IpAddr, IpAddr) = (client.parse().unwrap(), server.parse().unwrap());
    let mut listening = Udp::new(server);
    listening.listen(PORT).unwrap();
    let mut pair = Pair::new(Udp::new(client), listening, Duration::from_millis(10));
    let peer = SocketAddr::new(server, PORT);
    let flow = pair.client.open(Instant::ZERO, peer, &[]).unwrap();
    (pair, flow)
}

/// The connections at the server at which a datagram waits.
fn readable(pair: &mut Pair<Udp, Udp>) -> Vec<ConnectionId> {
    let events = pair.take_events().into_iter();
    events
        .filter(|e| e.end == Direction::Down && e.event == TransportEvent::DatagramReadable)
        .map(|e| e.connection)
        .collect()
}

#[test]
fn datagrams_cross_both_ways_over_both_ip_versions() {
    for (client, server) in [("10.0.0.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::2")] {
        let (mut pair, flow) = pair(client, server);
        let now = pair.now();
        pair.client
            .send_datagram(now, flow, &[chunk(b"pi"), chunk(b"ng")])
            .unwrap();
        pair.run_for(Duration::from_secs(1));
        let at_server = readable(&mut pair)[0];
        let ping = pair.server.receive_datagram(at_server).unwrap();
        assert_eq!(&*ping, b"ping");
        let now = pair.now();
        pair.server
            .send_datagram(now, at_server, &[chunk(b"pong")])
            .unwrap();
        pair.run_for(Duration::from_secs(1));
        assert_eq!(&*pair.client.receive_datagram(flow).unwrap(), b"pong");
        assert!(pair.discarded().is_empty());
    }
}

#[test]
fn a_datagram_says_what_is_expected_to_follow_it() {
    let (mut pair, flow) = pair("10.0.0.1", "192.0.2.1");
    let now = pair.now();
    let said = [
        Some(Expectation::NothingMore),
        None,
        Some(Expectation::OneAnswer),
    ];
    for expectation in said {
        if let Some(expectation) = expectation {
            pair.client.expect(flow, expectation);
        }
        pair.client
            .send_datagram(now, flow, &[chunk(b"report")])
            .unwrap();
    }
    let mut hints = Vec::new();
    loop {
        match pair.client.poll(now) {
            TransportOutput::Transmit(packet) => hints.push(packet.expectation()),
            TransportOutput::WaitUntil(_) => break,
            _ => {}
        }
    }
    assert_eq!(hints, said);
}

#[test]
fn a_changed_address_keeps_the_flow_here_and_makes_a_new_one_there() {
    let (mut pair, flow) = pair("10.0.0.1", "192.0.2.1");
    for address in ["10.0.0.1", "10.0.0.99"] {
        let now = pair.now();
        let address = TransportInput::AddressChanged {
            interface: InterfaceId(0),
            address: address.parse().unwrap(),
        };
        pair.client.handle(now, address);
        pair.client
            .send_datagram(now, flow, &[chunk(b"here")])
            .unwrap();
        pair.run_for(Duration::from_secs(1));
    }
    let flows = readable(&mut pair);
    assert_eq!(flows.len(), 2);
    assert_ne!(flows[0], flows[1]);
    assert_eq!(
        pair.server.peer(flows[1]).unwrap().ip().to_string(),
        "10.0.0.99"
    );
}

#[test]
fn an_id_is_never_used_twice() {
    let (mut pair, first) = pair("10.0.0.1", "192.0.2.1");
    let peer = pair.client.peer(first).unwrap();
    pair.client
        .reset(Instant::ZERO, first, ResetReason::NotNeeded);
    let second = pair.client.open(Instant::ZERO, peer, &[]).unwrap();
    assert_ne!(first, second);
    assert!(pair.client.peer(first).is_none());
    assert!(
        pair.client
            .send_datagram(Instant::ZERO, first, &[])
            .is_err()
    );
    pair.run_for(Duration::ZERO);
    let established = TransportEvent::Established(Established::Full);
    assert!(
        pair.take_events()
            .iter()
            .any(|e| e.connection == second && e.event == established)
    );
}

#[test]
fn every_bit_that_matters_is_guarded() {
    let (mut pair, flow) = pair("10.0.0.1", "192.0.2.1");
    pair.client
        .send_datagram(Instant::ZERO, flow, &[chunk(b"guarded")])
        .unwrap();
    let packet = loop {
        if let TransportOutput::Transmit(packet) = pair.client.poll(Instant::ZERO) {
            break packet;
        }
    };
    for bit in 0..packet.length() * 8 {
        let mut damaged = Packet::of(packet.bytes(), PAYLOAD);
        damaged.bytes_mut()[bit / 8] ^= 1 << (bit % 8);
        pair.server
            .handle(Instant::ZERO, TransportInput::Packet(damaged));
        let output = pair.server.poll(Instant::ZERO);
        assert!(
            matches!(output, TransportOutput::Discard(..)),
            "bit {bit}: {output:?}"
        );
    }
}

#[test]
fn a_port_at_which_nobody_listens_is_unreachable() {
    let (mut pair, _) = pair("10.0.0.1", "192.0.2.1");
    let peer: SocketAddr = "192.0.2.1:9".parse().unwrap();
    let flow = pair
        .client
        .open(Instant::ZERO, peer, &[chunk(b"hello?")])
        .unwrap();
    pair.run_for(Duration::from_secs(1));
    assert_eq!(pair.discarded(), [DiscardReason::PortUnreachable]);
    let write = pair
        .client
        .write(Instant::ZERO, flow, Tcp::STREAM, &[chunk(b"x")]);
    assert_eq!(write, Err(StreamError::DatagramsOnly));
}

/// A host with room for four peers that have rested for 100 s, and one after the other they send a datagram.
struct Crowd {
    host: Udp,
    discarded: Vec<DiscardReason>,
    closed: Vec<ConnectionId>,
}

impl Crowd {
    fn new() -> Self {
        let limit = PeerLimit {
            peers: 4,
            rest: Duration::from_secs(100),
        };
        let mut host = Udp::bounded(IpAddr::from([192, 0, 2, 1]), limit);
        host.listen(PORT).unwrap();
        Self {
            host,
            discarded: Vec::new(),
            closed: Vec::new(),
        }
    }

    fn hears(&mut self, seconds: u64, peer: u8) {
        let now = Instant::ZERO + Duration::from_secs(seconds);
        let mut sender = Udp::new(IpAddr::from([10, 0, 0, peer]));
        let to = "192.0.2.1:4000".parse().unwrap();
        sender.open(now, to, &[chunk(b"x")]).unwrap();
        while let TransportOutput::Transmit(packet) = sender.poll(now) {
            self.host.handle(now, TransportInput::Packet(packet));
        }
        loop {
            match self.host.poll(now) {
                TransportOutput::Discard(_, reason) => self.discarded.push(reason),
                TransportOutput::Event(id, TransportEvent::Closed(_)) => self.closed.push(id),
                TransportOutput::WaitUntil(_) => break,
                _ => {}
            }
        }
    }
}

#[test]
fn a_stranger_takes_the_place_of_the_peer_at_rest_longest_or_finds_none() {
    let mut crowd = Crowd::new();
    for peer in 1..=4 {
        crowd.hears(peer.into(), peer);
    }
    crowd.hears(50, 1);
    crowd.hears(60, 5);
    assert_eq!(
        crowd.discarded,
        [DiscardReason::BacklogFull],
        "none has rested for 100 s"
    );
    crowd.hears(120, 6);
    assert_eq!(
        crowd.closed,
        [ConnectionId(1)],
        "the second peer is the first to have rested"
    );
    crowd.hears(121, 7);
    crowd.hears(122, 8);
    assert_eq!(crowd.closed.len(), 3);
    crowd.hears(123, 9);
    assert_eq!(crowd.discarded.len(), 2, "the first peer was heard at 50 s");
    crowd.hears(150, 9);
    assert_eq!((crowd.closed.len(), crowd.closed[3]), (4, ConnectionId(0)));
    // Who is known is heard however many there are.
    crowd.hears(151, 9);
    crowd.hears(151, 6);
    assert_eq!(crowd.discarded.len(), 2);
}
