use lasthop_contract::{DropReason, LinkInput, LinkOutput, Port};
use lasthop_contract::{Link, Packet};
use lasthop_link::rate::QueueLimit;
use lasthop_link::wlan::{CellConfig, Modulation, QueueConfig, StationConfig, WlanCell};
use lasthop_units::Instant;

use crate::test_bench::*;

/// 802.11b at 1 Mbit/s: a byte takes 8 us behind 192 us; slots of 20 us, DIFS 50 us, an acknowledgement takes 304 us.
const CELL: CellConfig = CellConfig {
    slot_ns: 20_000,
    sifs_ns: 10_000,
    difs_ns: 50_000,
    eifs_ns: 364_000,
    overhead_bytes: 36,
    ack_bytes: 14,
    retry_limit: 7,
    station: SIDE,
    access_point: SIDE,
};
const SIDE: QueueConfig = QueueConfig {
    cw_min: 31,
    cw_max: 1023,
    queue: QueueLimit::Packets(3),
};
const SLOT: u64 = 20_000;
/// A frame with a packet of 64 B: 192 us and 100 B.
const FRAME: u64 = 992_000;
/// What follows it until back-off goes on.
const BEHIND: u64 = 10_000 + 304_000 + 50_000;

fn station(frame_loss: f64) -> StationConfig {
    let modulation = Modulation::Dsss {
        preamble_ns: 192_000,
        bits_per_second: 1_000_000,
    };
    StationConfig {
        data: modulation,
        ack: modulation,
        frame_loss: probability(frame_loss),
    }
}

fn cell(config: &CellConfig, stations: u32) -> WlanCell {
    let mut cell = WlanCell::new(config, 1, "cell");
    for number in 0..stations {
        cell.add_station(&station(0.0), &number.to_string());
    }
    cell
}

const fn radio(station: u32) -> Port {
    Port(2 * station)
}

const fn wired(station: u32) -> Port {
    Port(2 * station + 1)
}

#[test]
fn a_frame_that_finds_the_channel_idle_is_sent_at_the_next_edge_of_a_slot() {
    let mut bench = TestBench::new(cell(&CELL, 2));
    bench.offer(at(3 * SLOT), radio(0), packet(64));
    bench.run();
    bench.offer(at(10_000_000), wired(1), packet(64));
    bench.run();
    let first = 3 * SLOT + FRAME;
    let idle_since = first + BEHIND;
    let edge = idle_since + (10_000_000 - idle_since).div_ceil(SLOT) * SLOT;
    assert_eq!(bench.times(), [first, edge + FRAME]);
    let ports: Vec<Port> = bench.delivered.iter().map(|it| it.port).collect();
    assert_eq!(ports, [wired(0), radio(1)]);
}

#[test]
fn a_back_off_stands_behind_every_frame() {
    let mut bench = TestBench::new(cell(&CELL, 1));
    for _ in 0..3 {
        bench.offer(at(0), radio(0), packet(64));
    }
    bench.run();
    let times = bench.times();
    for pair in times.windows(2) {
        let back_off = pair[1] - pair[0] - BEHIND - FRAME;
        assert!(back_off.is_multiple_of(SLOT) && back_off <= 31 * SLOT);
    }
    assert!(times[2] - times[1] != times[1] - times[0]);
}

#[test]
fn frames_that_begin_together_meet_and_get_through_later() {
    let mut bench = TestBench::new(cell(&CELL, 2));
    bench.offer(at(0), radio(0), packet(64));
    bench.offer(at(0), radio(1), packet(264));
    bench.run();
    let report = bench.link.report(at(1_000_000_000));
    assert_eq!((report.collided, report.repeated), (2, 2));
    assert_eq!(bench.delivered.len(), 2);
    // The longer of both keeps the channel, and EIFS follows.
    let longer = FRAME + 200 * 8_000;
    assert!(bench.times()[0] >= longer + CELL.eifs_ns);
}

#[test]
fn a_frame_that_nobody_acknowledges_is_given_up_after_its_transmissions() {
    let mut link = WlanCell::new(&CELL, 1, "cell");
    link.add_station(&station(1.0), "deaf");
    let mut bench = TestBench::new(link);
    bench.offer(at(0), radio(0), packet(64));
    bench.offer(at(0), wired(0), packet(64));
    bench.run();
    assert_eq!(bench.dropped_for(DropReason::RetryLimit).len(), 2);
    let report = bench.link.report(at(1_000_000_000));
    assert_eq!(report.transmissions, 14);
    assert_eq!(report.lost + report.collided, 14);
    assert_eq!(report.repeated, 12);
}

#[test]
fn losses_are_those_of_the_declared_share() {
    // 2,000 frames of a share of 20 %: 400, four standard deviations are 72.
    let mut link = WlanCell::new(&CELL, 1, "cell");
    link.add_station(&station(0.2), "0");
    let mut bench = TestBench::new(link);
    for number in 0..2000 {
        bench.offer(at_millis(100 * number), radio(0), packet(64));
    }
    bench.run();
    let report = bench.link.report(at_millis(200_000));
    let first_tries = report.transmissions - report.repeated;
    assert_eq!(first_tries, 2000);
    let share = report.lost as f64 / report.transmissions as f64;
    assert!((share - 0.2).abs() < 0.036, "{share}");
}

#[test]
fn the_access_point_has_one_queue_for_all_and_each_station_its_own() {
    let mut bench = TestBench::new(cell(&CELL, 2));
    // The channel is taken first, so that all others wait.
    bench.offer(at(0), radio(0), packet(64));
    bench.run_until(at(1_000));
    for number in 0..4 {
        bench.offer(at(1_000), wired(number % 2), packet(64));
        bench.offer(at(1_000), radio(1), packet(64));
    }
    bench.run();
    assert_eq!(bench.dropped_for(DropReason::QueueFull), [8, 9]);
    assert_eq!(bench.delivered.len(), 7);
}

#[test]
fn a_slow_station_takes_the_time_of_the_fast_ones() {
    let mut link = cell(&CELL, 1);
    let fast = Modulation::Dsss {
        preamble_ns: 96_000,
        bits_per_second: 11_000_000,
    };
    link.add_station(
        &StationConfig {
            data: fast,
            ..station(0.0)
        },
        "fast",
    );
    let mut bench = TestBench::new(link);
    for number in 0..100 {
        bench.offer(at_millis(40 * number), radio(0), packet(1500));
        bench.offer(at_millis(40 * number), radio(1), packet(1500));
    }
    bench.run();
    let stations = bench.link.report(at_millis(4_000)).stations;
    assert!(stations[0].up.as_nanos() > 6 * stations[1].up.as_nanos());
    assert_eq!(stations[0].down.as_nanos(), 0);
}

#[test]
fn who_has_nothing_to_send_moves_nothing() {
    let run = |stations| {
        let mut bench = TestBench::new(cell(&CELL, stations));
        for number in 0..50 {
            bench.offer(at_millis(number), radio(0), packet(64));
            bench.offer(at_millis(number), radio(1), packet(200));
        }
        bench.run();
        (bench.times(), bench.wake_ups)
    };
    assert_eq!(run(2), run(500));
}

#[test]
fn who_is_off_is_sent_to_in_vain_and_who_is_gone_not_at_all() {
    let mut bench = TestBench::new(cell(&CELL, 2));
    bench.tell(at(0), LinkInput::SwitchedOff { port: radio(0) });
    bench.offer(at(0), wired(0), packet(64));
    bench.run();
    assert_eq!(bench.dropped_for(DropReason::RetryLimit), [1]);
    bench.tell(at_millis(500), LinkInput::SwitchedOn { port: radio(0) });
    bench.offer(at_millis(500), wired(0), packet(64));
    bench.run();
    assert_eq!(bench.numbers(), [2]);
    // One is on the air as it goes; what waits here and at the access point ends, as does what comes.
    bench.offer(at_millis(600), radio(1), packet(64));
    bench.offer(at_millis(600), radio(1), packet(64));
    bench.run_until(at_millis(600) + nanos(SLOT));
    bench.offer(at_millis(601), wired(1), packet(64));
    bench.tell(at_millis(601), LinkInput::Detach { port: radio(1) });
    bench.offer(at_millis(601), wired(1), packet(64));
    bench.run();
    assert_eq!(bench.numbers(), [2, 3]);
    assert_eq!(bench.dropped_for(DropReason::Detached), [4, 5]);
    assert_eq!(bench.dropped_for(DropReason::NotAttached), [6]);
    assert_eq!(bench.dropped.last().map(|it| it.port), Some(wired(1)));
}

#[test]
fn a_packet_that_no_frame_holds_is_too_big() {
    let mut bench = TestBench::new(cell(&CELL, 1));
    bench.offer(at(0), radio(0), packet(2297));
    bench.offer(at(0), radio(0), packet(2296));
    bench.run();
    assert_eq!(bench.dropped_for(DropReason::TooBig), [1]);
    assert_eq!(bench.numbers(), [2]);
}

#[test]
fn every_packet_ends_once_whatever_comes_and_goes() {
    let mut draws = lasthop_contract::RandomStream::named(7, "test");
    let mut link = WlanCell::new(&CELL, 7, "cell");
    for number in 0..8 {
        link.add_station(&station(0.8), &number.to_string());
    }
    let mut bench = TestBench::new(link);
    let mut now = 0;
    for _ in 0..20_000 {
        now += draws.below(600_000);
        let port = Port(draws.below(16) as u32);
        match draws.below(40) {
            0 => bench.tell(at(now), LinkInput::SwitchedOff { port }),
            1 => bench.tell(at(now), LinkInput::Detach { port }),
            2..8 => bench.tell(at(now), LinkInput::Attach { port }),
            _ => bench.offer(at(now), port, packet(40 + draws.below(1460) as usize)),
        }
    }
    bench.run();
    let mut ended: Vec<u64> = bench.numbers();
    ended.extend(bench.dropped.iter().map(|it| it.packet.number()));
    ended.sort_unstable();
    assert!(ended.into_iter().eq(1..=bench.offered));
    for reason in [
        DropReason::RetryLimit,
        DropReason::QueueFull,
        DropReason::Detached,
        DropReason::NotAttached,
    ] {
        assert!(!bench.dropped_for(reason).is_empty(), "{reason:?}");
    }
}

#[test]
fn early_and_late_polls_change_no_time() {
    let offers = |cell: &mut WlanCell, out: &mut Vec<(u64, Port)>, step: u64| {
        let mut drain = |cell: &mut WlanCell, now: Instant| {
            while let LinkOutput::Deliver { port, packet } = cell.poll(now) {
                out.push((packet.number(), port));
            }
        };
        let mut number = 0;
        for now in (0..400_000_000).step_by(step as usize) {
            if now % 2_000_000 == 0 {
                for port in [radio(0), radio(1), wired(0)] {
                    number += 1;
                    let mut packet: Packet = packet(64);
                    packet.enter(number, lasthop_contract::Direction::Up, Default::default());
                    cell.handle(at(now), LinkInput::Offered { port, packet });
                }
            }
            drain(cell, at(now));
        }
        cell.handle(at(400_000_000), LinkInput::Timeout);
        drain(cell, at(400_000_000));
        cell.report(at(400_000_000))
    };
    let (mut fine, mut coarse) = (Vec::new(), Vec::new());
    let config = CellConfig {
        station: QueueConfig {
            queue: QueueLimit::Packets(1000),
            ..SIDE
        },
        access_point: QueueConfig {
            queue: QueueLimit::Packets(1000),
            ..SIDE
        },
        ..CELL
    };
    let first = offers(&mut cell(&config, 2), &mut fine, 20_000);
    let second = offers(&mut cell(&config, 2), &mut coarse, 2_000_000);
    assert_eq!(first, second);
    assert_eq!(fine, coarse);
    assert!(coarse.len() > 200);
}
