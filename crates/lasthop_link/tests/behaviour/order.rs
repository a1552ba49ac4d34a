use lasthop_contract::DropReason;
use lasthop_link::delay::{Constant, Trace, TracePoint};
use lasthop_link::loss::PacketList;
use lasthop_link::rate::{QueueLimit, Rate};
use lasthop_link::{
    DirectionConfig, DuplexLink, Duplicate, LinkConfig, Outage, OutageSchedule, Stage, StageOrder,
};
use lasthop_units::Probability;

use crate::test_bench::*;

/// The default order with two stages in each other's place.
fn swapped(one: Stage, other: Stage) -> StageOrder {
    let stages = StageOrder::default().stages().map(|stage| match stage {
        stage if stage == one => other,
        stage if stage == other => one,
        stage => stage,
    });
    StageOrder::new(stages).unwrap()
}

/// 8 kbit/s, a byte a millisecond, and room for so many packets.
fn rate(packets: u32) -> Option<Rate> {
    let queue = QueueLimit::Packets(packets);
    Some(Rate::serial(bits_per_second(8_000), queue))
}

fn run(config: LinkConfig, packets: usize) -> TestBench<DuplexLink> {
    let mut bench = TestBench::of(config);
    (0..packets).for_each(|_| bench.send(at(0), 100));
    bench.run();
    bench
}

#[test]
fn a_packet_lost_before_the_bottleneck_takes_no_time_there() {
    let config = |order| LinkConfig {
        order,
        up: DirectionConfig {
            loss: Some(PacketList::new([1]).unwrap().into()),
            rate: rate(1),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let before = run(config(StageOrder::default()), 3);
    assert_eq!(before.numbers(), [2, 3]);
    assert_eq!(before.times(), [100_000_000, 200_000_000]);

    let after = run(config(swapped(Stage::Loss, Stage::Rate)), 3);
    assert_eq!(after.dropped_for(DropReason::QueueFull), [3]);
    assert_eq!(after.dropped_for(DropReason::Loss), [1]);
    assert_eq!(after.dropped[1].at, at_millis(100));
    assert_eq!(after.times(), [200_000_000]);
}

#[test]
fn a_copy_made_before_the_bottleneck_takes_its_own_time_there() {
    let config = |order| LinkConfig {
        order,
        up: DirectionConfig {
            duplicate: Some(Duplicate {
                probability: Probability::ALWAYS,
            }),
            rate: rate(9),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let after = run(config(StageOrder::default()), 1);
    assert_eq!(after.times(), [100_000_000, 100_000_000]);
    let before = run(config(swapped(Stage::Duplicate, Stage::Rate)), 1);
    assert_eq!(before.times(), [100_000_000, 200_000_000]);
}

#[test]
fn an_outage_behind_the_delay_strikes_what_arrives_in_it() {
    let config = |order| LinkConfig {
        order,
        up: DirectionConfig {
            outages: OutageSchedule::new([Outage::new(at_millis(40), millis(20), None).unwrap()]),
            delay: Some(Constant { delay: millis(50) }.into()),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let in_front = run(config(StageOrder::default()), 1);
    assert_eq!(in_front.times(), [50_000_000]);
    let behind = run(config(swapped(Stage::Outage, Stage::Delay)), 1);
    assert_eq!(behind.dropped_for(DropReason::Outage), [1]);
    assert_eq!(behind.dropped[0].at, at_millis(50));
}

#[test]
fn a_delay_behind_the_bottleneck_begins_when_a_packet_leaves_it() {
    let config = |order| LinkConfig {
        order,
        up: DirectionConfig {
            // 10 ms at first, 500 ms from 150 ms on.
            delay: Some(
                Trace::new(
                    [(0, 10), (150, 500)].map(|(from, delay)| TracePoint {
                        from: millis(from),
                        delay: millis(delay),
                    }),
                    None,
                )
                .unwrap()
                .into(),
            ),
            rate: rate(9),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let behind = run(config(StageOrder::default()), 2);
    assert_eq!(behind.times(), [110_000_000, 700_000_000]);
    let in_front = run(config(swapped(Stage::Rate, Stage::Delay)), 2);
    assert_eq!(in_front.times(), [110_000_000, 210_000_000]);
}

#[test]
fn the_usual_order_wakes_once_a_packet() {
    let config = LinkConfig {
        up: DirectionConfig {
            delay: Some(Constant { delay: millis(77) }.into()),
            rate: rate(100),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let mut bench = TestBench::of(config);
    (0..50).for_each(|n| bench.send(at_millis(90 * n), 100));
    bench.run();
    assert_eq!(bench.delivered.len(), 50);
    assert_eq!(bench.wake_ups, 50);
}

#[test]
fn each_direction_has_its_own_impairments() {
    let config = LinkConfig {
        up: DirectionConfig {
            delay: Some(Constant { delay: millis(10) }.into()),
            ..DirectionConfig::default()
        },
        down: DirectionConfig {
            delay: Some(Constant { delay: millis(70) }.into()),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let mut bench = TestBench::of(config);
    bench.offer(at(0), SERVER, packet(100));
    bench.offer(at(0), DEVICE, packet(100));
    bench.run();
    assert_eq!(bench.times(), [10_000_000, 70_000_000]);
    assert_eq!(
        (bench.delivered[0].port, bench.delivered[1].port),
        (SERVER, DEVICE)
    );
}
