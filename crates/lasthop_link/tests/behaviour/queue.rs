use lasthop_contract::DropReason;
use lasthop_link::rate::{QueueLimit, Rate};

use crate::test_bench::*;

/// 8 kbit/s: a byte a millisecond.
fn serial(queue: QueueLimit) -> Rate {
    Rate::serial(bits_per_second(8_000), queue)
}

fn token_bucket(queue: QueueLimit) -> Rate {
    Rate::token_bucket(bits_per_second(8_000), bytes(100), queue)
}

/// Which of these packets, all sent at the start, find no room.
fn without_room(rate: Rate, sizes: &[usize]) -> Vec<u64> {
    let mut bench = TestBench::with_rate(rate);
    sizes.iter().for_each(|size| bench.send(at(0), *size));
    bench.run();
    bench.dropped_for(DropReason::QueueFull)
}

#[test]
fn the_packet_on_the_line_does_not_wait() {
    assert_eq!(
        without_room(serial(QueueLimit::Packets(0)), &[100, 100]),
        [2]
    );
    assert_eq!(
        without_room(serial(QueueLimit::Packets(1)), &[100, 100, 100]),
        [3]
    );
    let limit = QueueLimit::Bytes(bytes(250));
    assert_eq!(
        without_room(serial(limit), &[900, 100, 100, 51, 50, 1]),
        [4, 6]
    );
}

#[test]
fn what_the_bucket_lets_through_does_not_wait() {
    let limit = QueueLimit::Packets(2);
    assert_eq!(
        without_room(token_bucket(limit), &[50, 50, 50, 50, 50, 50]),
        [5, 6]
    );
    let limit = QueueLimit::Bytes(bytes(100));
    assert_eq!(
        without_room(token_bucket(limit), &[100, 60, 41, 40, 1]),
        [3, 5]
    );
}

#[test]
fn room_comes_free_when_a_packet_begins_to_be_sent() {
    let mut bench = TestBench::with_rate(serial(QueueLimit::Packets(1)));
    // The second packet waits until 100 ms.
    for time in [0, 0, 99, 100, 101] {
        bench.send(at_millis(time), 100);
    }
    bench.run();
    assert_eq!(bench.dropped_for(DropReason::QueueFull), [3, 5]);
    assert_eq!(bench.dropped[0].at, at_millis(99));
}

#[test]
fn a_dropped_packet_takes_no_time_and_no_tokens() {
    for rate in [
        serial(QueueLimit::Packets(1)),
        token_bucket(QueueLimit::Packets(1)),
    ] {
        let mut bench = TestBench::with_rate(rate);
        (0..50).for_each(|_| bench.send(at(0), 100));
        bench.run();
        bench.send(at_millis(1_000), 100);
        bench.run();
        assert_eq!(bench.delivered.len(), 3);
        assert!(bench.times()[2] <= 1_100_000_000);
    }
}

#[test]
fn delay_and_throughput_level_off_when_the_queue_is_full() {
    // 100 bytes every 80 ms at a rate of 100 bytes a 100 ms, and room for 10 of them.
    for limit in [QueueLimit::Packets(10), QueueLimit::Bytes(bytes(1_000))] {
        let mut bench = TestBench::with_rate(serial(limit));
        (0..10_000).for_each(|n| bench.send(at_millis(80 * n), 100));
        bench.run_until(at_millis(800_000));
        let steady = &bench.delivered[1_000..];
        for delivered in steady {
            let sent = at_millis(80 * (delivered.packet.number() - 1));
            let delay = (delivered.at - sent).as_nanos() / 1_000_000;
            // The ten that wait, what is left of the one on the line, and itself.
            assert!((1_000..=1_100).contains(&delay), "{delay} ms");
        }
        let gap = |pair: &[Delivered]| pair[1].at - pair[0].at;
        assert!(steady.windows(2).all(|pair| gap(pair) == millis(100)));
        // One packet of five finds no room.
        let dropped = bench.dropped_for(DropReason::QueueFull);
        let late = dropped.iter().filter(|number| **number > 5_000).count();
        assert_eq!(late, 1_000);
    }
}

#[test]
fn a_queue_that_was_full_serves_again() {
    let mut bench = TestBench::with_rate(serial(QueueLimit::Bytes(bytes(200))));
    for round in 0..100 {
        (0..5).for_each(|_| bench.send(at_millis(round * 10_000), 100));
    }
    bench.run();
    assert_eq!(bench.delivered.len(), 300);
    assert_eq!(bench.dropped.len(), 200);
}
