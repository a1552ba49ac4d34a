//! TCP connections end, and their ports are free again (RFC 5382 REQ-5).

use lasthop_contract::DropReason;
use lasthop_link::{Nat, NatConfig};
use lasthop_units::{Duration, Instant};

use crate::ip_packets::{read, tcp_with};
use crate::test_bench::*;

const HOST: &str = "10.0.0.2:5683";
const OTHER_HOST: &str = "10.0.0.3:5683";
const PEER: &str = "198.51.100.1:1883";
const OTHER_PEER: &str = "198.51.100.2:1883";

const LONG_S: u64 = 7_440;
const SHORT_S: u64 = 240;

/// One port for all hosts.
fn bench() -> TestBench<Nat> {
    let config = NatConfig::new([203, 0, 113, 7].into(), 7.into(), millis(120_000), None).unwrap();
    TestBench::new(Nat::new(config.with_ports(1).unwrap()))
}

const fn seconds(seconds: u64) -> Instant {
    at_millis(seconds * 1_000)
}

/// `>` is said by the host, `<` by its peer; each a second after the other, from the first on.
fn speak(bench: &mut TestBench<Nat>, from: u64, said: &[&str]) {
    for (second, said) in (from..).zip(said) {
        let (way, flags) = said.split_at(1);
        if way == ">" {
            bench.offer(seconds(second), DEVICE, tcp_with(HOST, PEER, flags, b"x"));
            let outside = read(&bench.delivered.last().unwrap().packet).source;
            assert_eq!(outside.port(), 1024);
        } else {
            let packet = tcp_with(PEER, "203.0.113.7:1024", flags, b"x");
            bench.offer(seconds(second), SERVER, packet);
        }
    }
}

/// Whether another host finds the port free at an instant.
fn is_free(bench: &mut TestBench<Nat>, at: Instant) -> bool {
    let before = bench.dropped_for(DropReason::NoPort).len();
    bench.offer(at, DEVICE, tcp_with(OTHER_HOST, PEER, "S", b""));
    bench.dropped_for(DropReason::NoPort).len() == before
}

#[test]
fn a_connection_that_is_over_keeps_its_port_for_four_minutes() {
    // From the last word of the host, or of a peer who ends what was open.
    let cases: [(&str, &[&str], u64); 8] = [
        ("open", &[">S", "<S", ">"], 2 + LONG_S),
        ("never answered", &[">S", ">S", ">S"], 2 + SHORT_S),
        (
            "half closed by the host",
            &[">S", "<S", ">", ">F"],
            3 + LONG_S,
        ),
        (
            "half closed by the peer",
            &[">S", "<S", ">", "<F", ">"],
            4 + LONG_S,
        ),
        (
            "closed by both",
            &[">S", "<S", ">", ">F", "<F", ">"],
            5 + SHORT_S,
        ),
        ("reset by the host", &[">S", "<S", ">", ">R"], 3 + SHORT_S),
        ("reset by the peer", &[">S", "<S", ">", "<R"], 3 + SHORT_S),
        ("refused", &[">S", "<R"], SHORT_S),
    ];
    for (what, said, end_s) in cases {
        let mut bench = bench();
        speak(&mut bench, 0, said);
        let end = seconds(end_s);
        assert!(!is_free(&mut bench, at(end.as_nanos() - 1)), "{what}");
        assert!(is_free(&mut bench, end), "{what}");
    }
}

#[test]
fn who_is_refused_meanwhile_finds_a_port_as_soon_as_one_ends() {
    let mut bench = bench();
    speak(&mut bench, 0, &[">S", "<S", ">"]);
    // All ports are known to be in use for two hours now.
    assert!(!is_free(&mut bench, seconds(10)));
    speak(&mut bench, 20, &[">F", "<F", ">"]);
    assert!(!is_free(&mut bench, seconds(22 + SHORT_S - 1)));
    assert!(is_free(&mut bench, seconds(22 + SHORT_S)));
}

#[test]
fn a_port_that_is_used_again_is_open_again() {
    let mut bench = bench();
    speak(&mut bench, 0, &[">S", "<S", ">", ">F", "<F", ">"]);
    speak(&mut bench, 100, &[">S", "<S", ">"]);
    assert!(!is_free(&mut bench, seconds(102 + LONG_S - 1)));
    assert!(is_free(&mut bench, seconds(102 + LONG_S)));
}

#[test]
fn strangers_end_nothing() {
    let mut bench = bench();
    speak(&mut bench, 0, &[">S", "<S", ">"]);
    for flags in ["R", "F"] {
        let packet = tcp_with(OTHER_PEER, "203.0.113.7:1024", flags, b"");
        bench.offer(seconds(3), SERVER, packet);
    }
    speak(&mut bench, 4, &[">F"]);
    assert!(!is_free(&mut bench, seconds(4 + LONG_S - 1)));
}

#[test]
fn a_port_with_connections_to_several_peers_outlives_each_of_them() {
    let mut bench = bench();
    speak(&mut bench, 0, &[">S", "<S", ">"]);
    bench.offer(seconds(3), DEVICE, tcp_with(HOST, OTHER_PEER, "S", b""));
    speak(&mut bench, 4, &[">F", "<F", ">"]);
    assert!(!is_free(&mut bench, seconds(6 + LONG_S - 1)));
    assert!(is_free(&mut bench, seconds(6 + LONG_S)));
}

/// Who forgets all TCP sooner does not wait longer for what is over.
#[test]
fn no_mapping_of_a_closed_connection_outlives_one_of_an_open() {
    let config = NatConfig::new([203, 0, 113, 7].into(), 7.into(), millis(1), None).unwrap();
    let config = config.with_tcp_timeout(Duration::from_secs(30));
    let mut bench = TestBench::new(Nat::new(config.with_ports(1).unwrap()));
    speak(&mut bench, 0, &[">S", "<R"]);
    assert!(is_free(&mut bench, seconds(31)));
}
