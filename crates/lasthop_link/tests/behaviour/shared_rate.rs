use lasthop_contract::DropReason;
use lasthop_link::rate::{QueueLimit, Rate, RateKind, TokenBucket};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};

use crate::test_bench::*;

/// One medium for both directions; at 8 kbit/s a byte takes a millisecond.
fn shared(kind: RateKind, up: u32, down: u32) -> TestBench<DuplexLink> {
    let direction = |packets| DirectionConfig {
        rate: Some(Rate {
            kind: kind.clone(),
            ..Rate::serial(bits_per_second(8_000), QueueLimit::Packets(packets))
        }),
        ..DirectionConfig::default()
    };
    TestBench::of(LinkConfig {
        shared: true,
        up: direction(up),
        down: direction(down),
        ..LinkConfig::default()
    })
}

#[test]
fn packets_pass_in_the_order_of_arrival_whichever_way_they_go() {
    let mut bench = shared(RateKind::Serial, 100, 100);
    for (time, port) in [(0, DEVICE), (1, SERVER), (2, DEVICE), (3, SERVER)] {
        bench.offer(at_millis(time), port, packet(100));
    }
    bench.run();
    assert_eq!(bench.numbers(), [1, 2, 3, 4]);
    assert_eq!(
        bench.times(),
        [100, 200, 300, 400].map(|time| time * 1_000_000)
    );
    let ports: Vec<_> = bench.delivered.iter().map(|d| d.port).collect();
    assert_eq!(ports, [SERVER, DEVICE, SERVER, DEVICE]);
}

#[test]
fn a_bucket_is_emptied_from_both_sides() {
    let kind = RateKind::TokenBucket(TokenBucket { burst: bytes(150) });
    let mut bench = shared(kind, 100, 100);
    for port in [DEVICE, SERVER, DEVICE] {
        bench.offer(at(0), port, packet(100));
    }
    bench.run();
    assert_eq!(bench.times(), [0, 50, 150].map(|time| time * 1_000_000));
}

#[test]
fn each_direction_has_its_own_room_to_wait() {
    let mut bench = shared(RateKind::Serial, 1, 2);
    for _ in 0..4 {
        bench.offer(at(0), DEVICE, packet(100));
    }
    for _ in 0..4 {
        bench.offer(at(0), SERVER, packet(100));
    }
    bench.run();
    // One up is on the line and one waits; two down wait.
    assert_eq!(bench.dropped_for(DropReason::QueueFull), [3, 4, 7, 8]);
    assert_eq!(bench.numbers(), [1, 2, 5, 6]);
}
