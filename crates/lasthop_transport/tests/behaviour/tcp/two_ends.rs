//! Two ends of our own, over a wire that loses what it is told to lose.

use core::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Direction, Established, Layer, Provenance,
    RandomStream, ReadOutcome, Transport, TransportEvent,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

const PORT: u16 = 1883;
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

fn host(address: &str, profile: TcpProfile, seed: u64) -> Tcp {
    let address: IpAddr = address.parse().unwrap();
    Tcp::new(address, Arc::new(profile), RandomStream::named(seed, "tcp"))
}

fn pair(client: &str, server: &str, profile: TcpProfile) -> (Pair<Tcp, Tcp>, ConnectionId) {
    let mut listening = host(server, profile.clone(), 2);
    listening.listen(PORT).unwrap();
    let client = host(client, profile, 1);
    let mut pair = Pair::new(client, listening, Duration::from_millis(50));
    let peer = SocketAddr::new(server.parse().unwrap(), PORT);
    let connection = pair.client.open(Instant::ZERO, peer, &[]).unwrap();
    (pair, connection)
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

/// The connection that the server accepted.
fn accepted(pair: &mut Pair<Tcp, Tcp>) -> ConnectionId {
    let established = TransportEvent::Established(Established::Full);
    let events = pair.take_events();
    let event = events
        .iter()
        .find(|e| e.end == Direction::Down && e.event == established);
    event.expect("the server accepts").connection
}

fn read_all(tcp: &mut Tcp, now: Instant, connection: ConnectionId) -> Vec<u8> {
    let (mut all, mut room) = (Vec::new(), [0; 1000]);
    while let Ok(ReadOutcome::Read(count)) = tcp.read(now, connection, Tcp::STREAM, &mut room) {
        all.extend_from_slice(&room[..count]);
    }
    all
}

#[test]
fn bytes_cross_both_ways_over_both_ip_versions_and_both_ends_close() {
    for (client, server) in [("10.0.0.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::2")] {
        let (mut pair, at_client) = pair(client, server, TcpProfile::linux());
        pair.run_for(Duration::from_secs(1));
        let at_server = accepted(&mut pair);
        let now = pair.now();
        let first = Tcp::STREAM;
        pair.client
            .write(now, at_client, first, &[chunk(b"ping")])
            .unwrap();
        pair.client.finish(now, at_client, first);
        pair.run_for(Duration::from_secs(1));
        let now = pair.now();
        assert_eq!(read_all(&mut pair.server, now, at_server), b"ping");
        pair.server
            .write(now, at_server, first, &[chunk(b"pong")])
            .unwrap();
        pair.server.finish(now, at_server, first);
        pair.run_for(Duration::from_secs(1));
        let now = pair.now();
        assert_eq!(read_all(&mut pair.client, now, at_client), b"pong");
        pair.run_for(Duration::from_secs(100));
        let closed: Vec<_> = pair
            .take_events()
            .into_iter()
            .filter(|e| e.event == TransportEvent::Closed(CloseReason::Finished))
            .map(|e| e.end)
            .collect();
        assert_eq!(closed.len(), 2, "{closed:?}");
        assert!(pair.discarded().is_empty());
    }
}

#[test]
fn any_lost_segment_is_made_up_for() {
    for profile in [
        TcpProfile::linux(),
        TcpProfile::larmo_2019(),
        TcpProfile::lwip_esp8266(),
    ] {
        for direction in Direction::ALL {
            for lost in 0..20 {
                let (mut pair, at_client) = pair("10.0.0.1", "192.0.2.1", profile.clone());
                pair.lost = vec![(direction, lost)];
                pair.run_for(Duration::from_secs(20));
                let at_server = accepted(&mut pair);
                let sent: Vec<u8> = (0..30_000_u32).map(|i| i as u8).collect();
                let (mut rest, mut received) = (&sent[..], Vec::new());
                for _ in 0..2000 {
                    let now = pair.now();
                    let taken = pair
                        .client
                        .write(now, at_client, Tcp::STREAM, &[chunk(rest)]);
                    rest = &rest[taken.unwrap_or(0)..];
                    if rest.is_empty() {
                        pair.client.finish(now, at_client, Tcp::STREAM);
                    }
                    pair.run_for(Duration::from_millis(10));
                    let now = pair.now();
                    received.extend(read_all(&mut pair.server, now, at_server));
                }
                assert!(
                    received == sent,
                    "{direction:?} {lost}: {} bytes",
                    received.len()
                );
                let now = pair.now();
                pair.server.finish(now, at_server, Tcp::STREAM);
                pair.run_for(Duration::from_secs(200));
                let events = pair.take_events();
                let finished = TransportEvent::Closed(CloseReason::Finished);
                let closed = events.iter().filter(|e| e.event == finished).count();
                assert_eq!(closed, 2, "{direction:?} {lost}: {events:?}");
            }
        }
    }
}

#[test]
fn data_lost_before_an_end_costs_no_timeout() {
    for delay in [50, 1000] {
        let (mut pair, at_client) = pair("10.0.0.1", "192.0.2.1", TcpProfile::linux());
        pair.delay = Duration::from_millis(delay);
        pair.run_for(Duration::from_secs(5));
        accepted(&mut pair);
        // After SYN and acknowledgement.
        pair.lost = vec![(Direction::Up, 2)];
        let written_at = pair.now();
        let written = pair
            .client
            .write(written_at, at_client, Tcp::STREAM, &[chunk(b"ping")]);
        assert_eq!(written, Ok(4));
        pair.client.finish(written_at, at_client, Tcp::STREAM);
        pair.run_for(Duration::from_secs(20));
        let readable = TransportEvent::Readable(Tcp::STREAM);
        let events = pair.take_events();
        let event = events.iter().find(|e| e.event == readable).unwrap();
        // A round trip to hear of the end, a quarter until that counts as a loss, half to make up for it.
        let round_trips = (event.at - written_at).as_nanos() as f64 / (delay as f64 * 2e6);
        assert!(round_trips < 1.9, "{round_trips} round trips at {delay} ms");
    }
}
