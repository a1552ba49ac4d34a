use lasthop_contract::{Link, LinkInput, LinkOutput, RandomStream};
use lasthop_link::delay::{Constant, Uniform};
use lasthop_link::loss::Bernoulli;
use lasthop_link::rate::{QueueLimit, Rate};
use lasthop_link::{Corrupt, DirectionConfig, DuplexLink, Duplicate, LinkConfig};
use lasthop_units::{Instant, Probability};

use crate::test_bench::*;

/// A link that does everything at once.
fn busy_link() -> DuplexLink {
    let queue = QueueLimit::Packets(20);
    let rate = Rate::token_bucket(bits_per_second(1_000_000), bytes(1_600), queue);
    let config = LinkConfig {
        up: DirectionConfig {
            loss: Some(
                Bernoulli {
                    probability: probability(0.1),
                }
                .into(),
            ),
            delay: Some(Uniform::new(millis(5), millis(50)).unwrap().into()),
            corrupt: Some(Corrupt {
                probability: probability(0.1),
            }),
            duplicate: Some(Duplicate {
                probability: probability(0.1),
            }),
            rate: Some(rate),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    DuplexLink::new(&config, 3, "path/0")
}

/// What was delivered when, after each sending of a packet and some time of one's own.
fn history(mut between: impl FnMut(&mut TestBench<DuplexLink>, Instant)) -> Vec<(u64, u64)> {
    let mut bench = TestBench::new(busy_link());
    for n in 0..2_000 {
        bench.send(at_millis(n), 200);
        between(&mut bench, at_millis(n));
    }
    bench.run();
    bench.times().into_iter().zip(bench.numbers()).collect()
}

#[test]
fn two_runs_are_one() {
    assert_eq!(history(|_, _| ()), history(|_, _| ()));
}

#[test]
fn an_early_timeout_changes_nothing() {
    let mut times = RandomStream::named(1, "times");
    let disturbed = history(|bench, now| {
        let early = now + nanos(times.below(1_000_000));
        bench.tell(early, LinkInput::Timeout);
        bench.tell(early, LinkInput::Timeout);
    });
    assert_eq!(history(|_, _| ()), disturbed);
}

#[test]
fn a_poll_too_many_changes_nothing() {
    let mut link = busy_link();
    let packet = packet(100);
    link.handle(
        at(0),
        LinkInput::Offered {
            port: DEVICE,
            packet,
        },
    );
    let LinkOutput::WaitUntil(deadline) = link.poll(at(0)) else {
        panic!("the packet is on its way");
    };
    assert!(deadline.is_some_and(|deadline| deadline >= at_millis(5)));
    for time in [0, 1, 4_999_999] {
        assert!(matches!(link.poll(at(time)), LinkOutput::WaitUntil(again) if again == deadline));
    }
}

#[test]
fn polls_are_bounded_by_the_packets_that_are_due() {
    let config = LinkConfig {
        up: DirectionConfig {
            delay: Some(Constant { delay: millis(5) }.into()),
            duplicate: Some(Duplicate {
                probability: Probability::ALWAYS,
            }),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let mut link = DuplexLink::new(&config, 1, "path/0");
    for _ in 0..100 {
        let packet = packet(100);
        link.handle(
            at(0),
            LinkInput::Offered {
                port: DEVICE,
                packet,
            },
        );
        assert!(
            matches!(link.poll(at(0)), LinkOutput::WaitUntil(Some(_))),
            "one poll an arrival"
        );
    }
    link.handle(at_millis(5), LinkInput::Timeout);
    let polls = (1..).find(|_| matches!(link.poll(at_millis(5)), LinkOutput::WaitUntil(_)));
    // For each packet its duplication and two deliveries, and the wait.
    assert_eq!(polls, Some(301));
}

#[test]
fn packets_that_nobody_polled_for_in_time_come_late_but_in_order() {
    let config = LinkConfig {
        up: DirectionConfig {
            delay: Some(Constant { delay: millis(5) }.into()),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let mut link = DuplexLink::new(&config, 1, "path/0");
    for (time, length) in [(0, 1), (1, 2), (30, 3), (31, 4)] {
        let packet = packet(length);
        link.handle(
            at_millis(time),
            LinkInput::Offered {
                port: DEVICE,
                packet,
            },
        );
    }
    let mut lengths = Vec::new();
    while let LinkOutput::Deliver { packet, .. } = link.poll(at_millis(100)) {
        lengths.push(packet.length());
    }
    assert_eq!(lengths, [1, 2, 3, 4]);
}

#[test]
fn a_perfect_link_delivers_at_once() {
    let mut bench = TestBench::of(LinkConfig::default());
    bench.offer(at(7), DEVICE, packet(100));
    bench.offer(at(8), SERVER, packet(0));
    assert_eq!(bench.times(), [7, 8]);
    assert_eq!(bench.wake_ups, 0);
}
