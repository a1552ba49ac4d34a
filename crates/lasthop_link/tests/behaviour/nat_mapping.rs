use core::net::SocketAddr;

use lasthop_contract::{DropReason, Port};
use lasthop_link::{Nat, NatConfig};
use lasthop_units::{Duration, Instant};

use crate::ip_packets::{Seen, read, tcp, udp};
use crate::test_bench::*;

const HOST: &str = "10.0.0.2:5683";
const PEER: &str = "198.51.100.1:5683";

const fn seconds(seconds: u64) -> Instant {
    at_millis(seconds * 1_000)
}

/// A translator that forgets UDP after two minutes.
fn bench(rebind_every: Option<Duration>) -> TestBench<Nat> {
    let (ipv4, ipv6) = (
        "203.0.113.7".parse().unwrap(),
        "2001:db8::7".parse().unwrap(),
    );
    let config = NatConfig::new(ipv4, ipv6, millis(120_000), rebind_every).unwrap();
    TestBench::new(Nat::new(config))
}

/// The outside endpoint of a datagram that is sent now.
fn send(bench: &mut TestBench<Nat>, now: Instant, host: &str, peer: &str) -> SocketAddr {
    bench.offer(now, DEVICE, udp(host, peer, b"up"));
    let last = bench
        .delivered
        .last()
        .expect("a datagram from inside passes");
    assert_eq!(last.port, SERVER);
    read(&last.packet).source
}

/// Whether a datagram to an outside endpoint gets in now, and to whom.
fn reply(
    bench: &mut TestBench<Nat>,
    now: Instant,
    peer: &str,
    to: SocketAddr,
) -> Option<SocketAddr> {
    let before = bench.delivered.len();
    bench.offer(now, SERVER, udp(peer, &to.to_string(), b"down"));
    let got = bench.delivered.get(before)?;
    assert_eq!(got.port, DEVICE);
    Some(read(&got.packet).destination)
}

#[test]
fn a_reply_comes_back_to_the_host() {
    let mut bench = bench(None);
    let outside = send(&mut bench, seconds(0), HOST, PEER);
    assert_eq!(outside.ip().to_string(), "203.0.113.7");
    assert_eq!(
        reply(&mut bench, seconds(1), PEER, outside),
        HOST.parse().ok()
    );
    let Seen {
        source, is_sound, ..
    } = read(&bench.delivered[1].packet);
    assert_eq!((source, is_sound), (PEER.parse().unwrap(), true));
}

#[test]
fn a_mapping_does_not_depend_on_the_peer() {
    let mut bench = bench(None);
    let other = "198.51.100.2:9";
    let outside = send(&mut bench, seconds(0), HOST, PEER);
    assert_eq!(send(&mut bench, seconds(0), HOST, other), outside);
    assert_eq!(
        reply(&mut bench, seconds(1), "192.0.2.55:1", outside),
        HOST.parse().ok()
    );
}

#[test]
fn hosts_and_ports_and_protocols_have_mappings_of_their_own() {
    let mut bench = bench(None);
    let hosts = [HOST, "10.0.0.2:5684", "10.0.0.3:5683"];
    let outside = hosts.map(|host| send(&mut bench, seconds(0), host, PEER));
    for (host, outside) in hosts.iter().zip(outside) {
        assert_eq!(
            reply(&mut bench, seconds(1), PEER, outside),
            host.parse().ok()
        );
    }
    // A UDP mapping lets no TCP in.
    bench.offer(seconds(1), SERVER, tcp(PEER, &outside[0].to_string(), b""));
    assert_eq!(bench.dropped_for(DropReason::NoMapping), [bench.offered]);
}

#[test]
fn who_has_not_sent_gets_nothing() {
    let mut bench = bench(None);
    let nobody = "203.0.113.7:1024".parse().unwrap();
    assert_eq!(reply(&mut bench, seconds(0), PEER, nobody), None);
    let outside = send(&mut bench, seconds(0), HOST, PEER);
    let elsewhere = SocketAddr::new("203.0.113.8".parse().unwrap(), outside.port());
    assert_eq!(reply(&mut bench, seconds(0), PEER, elsewhere), None);
    assert_eq!(bench.dropped_for(DropReason::NoMapping), [1, 3]);
    assert!(bench.dropped.iter().all(|dropped| dropped.port == SERVER));
}

#[test]
fn a_mapping_ends_after_the_timeout_to_the_nanosecond() {
    let mut bench = bench(None);
    let outside = send(&mut bench, seconds(5), HOST, PEER);
    let end = seconds(125);
    assert!(reply(&mut bench, at(end.as_nanos() - 1), PEER, outside).is_some());
    assert!(reply(&mut bench, end, PEER, outside).is_none());
}

#[test]
fn packets_from_inside_keep_a_mapping_alive_and_packets_from_outside_do_not() {
    let mut bench = bench(None);
    let outside = send(&mut bench, seconds(0), HOST, PEER);
    assert_eq!(send(&mut bench, seconds(119), HOST, PEER), outside);
    assert!(reply(&mut bench, seconds(238), PEER, outside).is_some());
    assert!(reply(&mut bench, seconds(239), PEER, outside).is_none());
}

#[test]
fn a_host_that_was_silent_too_long_gets_another_port() {
    let mut bench = bench(None);
    let before = send(&mut bench, seconds(0), HOST, PEER);
    let after = send(&mut bench, seconds(120), HOST, PEER);
    assert_ne!(before.port(), after.port());
    assert!(reply(&mut bench, seconds(121), PEER, before).is_none());
    assert_eq!(
        reply(&mut bench, seconds(121), PEER, after),
        HOST.parse().ok()
    );
}

#[test]
fn forced_rebinding_gives_another_port_in_each_period() {
    let mut bench = bench(Some(Duration::from_secs(300)));
    let mut ports = Vec::new();
    for time in (0..900).step_by(60) {
        ports.push(send(&mut bench, seconds(time), HOST, PEER).port());
    }
    let periods: Vec<&[u16]> = ports.chunk_by(|a, b| a == b).collect();
    assert_eq!(
        periods
            .iter()
            .map(|period| period.len())
            .collect::<Vec<_>>(),
        [5, 5, 5]
    );
    // The old port is dead at once, although the host was not silent.
    let first = SocketAddr::new("203.0.113.7".parse().unwrap(), ports[0]);
    assert!(reply(&mut bench, seconds(900), PEER, first).is_none());
}

#[test]
fn rebinding_all_the_time_is_refused() {
    let (ipv4, ipv6) = (
        "203.0.113.7".parse().unwrap(),
        "2001:db8::7".parse().unwrap(),
    );
    assert!(NatConfig::new(ipv4, ipv6, millis(1), Some(Duration::ZERO)).is_err());
}

#[test]
fn tcp_is_remembered_longer() {
    let mut bench = bench(None);
    bench.offer(seconds(0), DEVICE, tcp(HOST, PEER, b"up"));
    let outside = read(&bench.delivered[0].packet).source.to_string();
    bench.offer(seconds(7_439), SERVER, tcp(PEER, &outside, b"down"));
    bench.offer(seconds(7_440), SERVER, tcp(PEER, &outside, b"down"));
    assert_eq!(bench.numbers(), [1, 2]);
    assert_eq!(bench.dropped_for(DropReason::NoMapping), [3]);
}

#[test]
fn when_all_ports_are_in_use_a_new_host_gets_none_until_one_expires() {
    let mut bench = bench(None);
    let hosts = 65_536 - 1_024;
    for host in 0..hosts {
        let address = format!("10.1.{}.{}:7", host / 256, host % 256);
        send(&mut bench, seconds(0), &address, PEER);
    }
    bench.offer(seconds(1), DEVICE, udp(HOST, PEER, b"up"));
    assert_eq!(bench.dropped_for(DropReason::NoPort), [bench.offered]);
    send(&mut bench, seconds(120), HOST, PEER);
}

/// A translator of so many ports for all that are behind it.
fn bench_of(ports: u32) -> TestBench<Nat> {
    let (ipv4, ipv6) = (
        "203.0.113.7".parse().unwrap(),
        "2001:db8::7".parse().unwrap(),
    );
    let config = NatConfig::new(ipv4, ipv6, millis(120_000), None).unwrap();
    TestBench::new(Nat::new(config.with_ports(ports).unwrap()))
}

#[test]
fn what_comes_from_outside_leaves_at_the_place_of_its_host_wherever_it_enters() {
    let mut bench = bench_of(100);
    let hosts = ["10.0.0.1:7", "10.0.0.2:7", "10.0.0.3:7"];
    let outside = hosts.map(|host| {
        let place = host.as_bytes()[7] - b'0';
        bench.offer(
            seconds(0),
            Port(2 * u32::from(place)),
            udp(host, PEER, b"up"),
        );
        let sent = bench.delivered.last().unwrap();
        assert_eq!(sent.port, Port(2 * u32::from(place) + 1));
        read(&sent.packet).source
    });
    assert!(outside.iter().all(|it| it.ip() == outside[0].ip()));
    for (place, outside) in (1..).zip(outside) {
        let entry = Port(3);
        bench.offer(seconds(1), entry, udp(PEER, &outside.to_string(), b"down"));
        let got = bench.delivered.last().unwrap();
        assert_eq!(got.port, Port(2 * place));
        assert_eq!(
            read(&got.packet).destination,
            hosts[place as usize - 1].parse().unwrap()
        );
    }
}

#[test]
fn a_host_that_sends_from_another_place_is_reached_there() {
    let mut bench = bench_of(100);
    let outside = send(&mut bench, seconds(0), HOST, PEER).to_string();
    bench.offer(seconds(1), Port(8), udp(HOST, PEER, b"up"));
    bench.offer(seconds(2), SERVER, udp(PEER, &outside, b"down"));
    assert_eq!(bench.delivered[2].port, Port(8));
}

#[test]
fn ports_are_used_up_by_protocol_and_are_free_again_to_the_nanosecond() {
    let mut bench = bench_of(2);
    send(&mut bench, seconds(0), "10.0.0.1:7", PEER);
    send(&mut bench, seconds(0), "10.0.0.2:7", PEER);
    bench.offer(seconds(1), DEVICE, udp("10.0.0.3:7", PEER, b"up"));
    // The mapping that would have ended first is kept by its host.
    send(&mut bench, seconds(60), "10.0.0.1:7", PEER);
    let end = seconds(120).as_nanos();
    bench.offer(at(end - 1), DEVICE, udp("10.0.0.3:7", PEER, b"up"));
    assert_eq!(bench.dropped_for(DropReason::NoPort), [3, 5]);
    let last = send(&mut bench, at(end), "10.0.0.3:7", PEER);
    assert_eq!(last.port(), 1025);
    bench.offer(at(end), DEVICE, udp("10.0.0.2:7", PEER, b"up"));
    assert_eq!(bench.dropped_for(DropReason::NoPort), [3, 5, 7]);
    // TCP has ports of its own.
    bench.offer(at(end), DEVICE, tcp("10.0.0.3:7", PEER, b"up"));
    assert_eq!(bench.delivered.last().unwrap().port, SERVER);
}

#[test]
fn no_ports_and_more_than_there_are_are_refused() {
    let config = NatConfig::new([192, 0, 2, 1].into(), 1.into(), millis(1), None).unwrap();
    for (ports, is_fine) in [(0, false), (1, true), (64_512, true), (64_513, false)] {
        assert_eq!(config.with_ports(ports).is_ok(), is_fine, "{ports}");
    }
}
