use lasthop_contract::RandomStream;
use lasthop_link::rate::{QueueLimit, Rate};

use crate::statistics::{assert_plausible, normal_deviate};
use crate::test_bench::*;

const ROOMY: QueueLimit = QueueLimit::Bytes(bytes(1 << 40));

fn serial(bits: u64, queue: QueueLimit) -> Rate {
    Rate::serial(bits_per_second(bits), queue)
}

fn token_bucket(bits: u64, burst: u64, queue: QueueLimit) -> Rate {
    Rate::token_bucket(bits_per_second(bits), bytes(burst), queue)
}

#[test]
fn a_serial_line_sends_one_packet_after_the_other() {
    // 8 kbit/s: a byte a millisecond.
    let mut bench = TestBench::with_rate(serial(8_000, ROOMY));
    for (time, size) in [(0, 100), (10, 50), (400, 10)] {
        bench.send(at_millis(time), size);
    }
    bench.run();
    assert_eq!(bench.times(), [100, 150, 410].map(|time| time * 1_000_000));
}

#[test]
fn a_token_bucket_starts_full_and_fills_again() {
    let mut bench = TestBench::with_rate(token_bucket(8_000, 100, ROOMY));
    // 60 and 40 bytes empty the bucket; 30 wait 30 ms; by 530 ms it is full again and no fuller.
    for (time, size) in [(0, 60), (0, 40), (0, 30), (530, 100), (530, 1)] {
        bench.send(at_millis(time), size);
    }
    bench.run();
    assert_eq!(
        bench.times(),
        [0, 0, 30, 530, 531].map(|time| time * 1_000_000)
    );
}

#[test]
fn a_small_packet_does_not_overtake_a_large_one_at_the_bucket() {
    let mut bench = TestBench::with_rate(token_bucket(8_000, 100, ROOMY));
    [100, 90, 1]
        .into_iter()
        .for_each(|size| bench.send(at(0), size));
    bench.run();
    assert_eq!(bench.times(), [0, 90, 91].map(|time| time * 1_000_000));
}

#[test]
fn a_packet_larger_than_the_bucket_leaves_when_it_is_full_and_pays_later() {
    let mut bench = TestBench::with_rate(token_bucket(8_000, 100, ROOMY));
    for (time, size) in [(0, 50), (0, 300), (0, 20)] {
        bench.send(at_millis(time), size);
    }
    bench.run();
    // Full again at 50 ms; then 200 bytes in debt, so that 20 bytes are there after 220 ms.
    assert_eq!(bench.times(), [0, 50, 270].map(|time| time * 1_000_000));
}

#[test]
fn no_window_holds_more_than_burst_and_rate_allow() {
    for (bits, burst) in [
        (50_000, 1_600),
        (9_600, 400),
        (1_000_003, 0),
        (7, 1_500),
        (64_000, 5_000),
    ] {
        assert_envelope(token_bucket(bits, burst, ROOMY), bits, burst.max(1_500));
        // A packet that leaves a serial line passed before: the burst is one packet.
        assert_envelope(serial(bits, ROOMY), bits, 1_500);
    }
}

/// Random packets at about the rate; every window between two departures is checked.
fn assert_envelope(rate: Rate, bits: u64, burst: u64) {
    let mut bench = TestBench::with_rate(rate);
    let mut draws = RandomStream::named(9, "envelope");
    let mut time = 0;
    for _ in 0..4_000 {
        let size = 1 + draws.below(1_500);
        time += draws.below(2 * 8_000_000_000 * 750 / bits);
        bench.send(at(time), size as usize);
    }
    bench.run();
    let mut slack_before = i128::MAX;
    let mut left = 0_i128;
    for delivered in &bench.delivered {
        // In units of bit x 1e-9: what has left beyond the rate, before and with this packet.
        let allowed = i128::from(delivered.at.as_nanos()) * i128::from(bits);
        slack_before = slack_before.min(left - allowed);
        left += delivered.packet.length() as i128 * 8_000_000_000;
        let excess = left - allowed - slack_before;
        // Departures are told in whole nanoseconds.
        let most = i128::from(burst) * 8_000_000_000 + i128::from(bits);
        assert!(excess <= most, "{excess} > {most} at {bits} bit/s");
    }
}

#[test]
fn a_long_busy_period_passes_at_exactly_the_rate() {
    // 437 bytes at 7000 bit/s take 499_428_571 and 3/7 ns; the sevenths must not get lost.
    for (rate, first) in [
        (serial(7_000, ROOMY), 1),
        (token_bucket(7_000, 437, ROOMY), 0),
    ] {
        let mut bench = TestBench::with_rate(rate);
        (0..14_001).for_each(|_| bench.send(at(0), 437));
        bench.run();
        let expected = (14_000 + first) * 437 * 8_000_000_000_u64;
        assert_eq!(bench.times().last(), Some(&expected.div_ceil(7_000)));
    }
}

#[test]
fn a_saturated_link_is_never_idle() {
    for rate in [serial(50_000, ROOMY), token_bucket(50_000, 1_600, ROOMY)] {
        let mut bench = TestBench::with_rate(rate);
        // 437 bytes take 69.92 ms, and come every 60 ms.
        (0..10_000).for_each(|n| bench.send(at_millis(60 * n), 437));
        bench.run();
        let times = &bench.times()[1_000..];
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 69_920_000));
    }
}

#[test]
fn waiting_times_are_those_of_the_m_d_1_queue() {
    // Pollaczek and Khinchine: the mean wait is load / (2 (1 - load)) of a service time.
    let (load, service) = (0.7, 8_000_000.0);
    let mut means = Vec::new();
    for seed in 0..60 {
        let mut arrivals = RandomStream::named(seed, "arrivals");
        let mut bench = TestBench::with_rate(serial(100_000, ROOMY));
        let mut sent = vec![at(0)];
        for _ in 0..3_000 {
            let time = *sent.last().unwrap() + arrivals.exponential(nanos((service / load) as u64));
            bench.send(time, 100);
            sent.push(time);
        }
        bench.run();
        // The first packets meet an emptier queue than the later ones.
        let waits = bench.delivered.iter().zip(&sent[1..]).skip(500);
        let total: f64 = waits
            .map(|(d, sent)| (d.at - *sent).as_nanos() as f64 - service)
            .sum();
        means.push(total / 2_500.0 / service);
    }
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / (n - 1.0);
    let z = (mean - load / (2.0 * (1.0 - load))) / (variance / n).sqrt();
    assert_plausible(normal_deviate(z), "mean wait of M/D/1");
}
