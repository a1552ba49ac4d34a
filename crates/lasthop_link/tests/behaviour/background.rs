//! Other traffic before a bottleneck.

use lasthop_contract::{BackgroundTraffic, DropReason, Link, RandomStream};
use lasthop_link::rate::{Background, QueueLimit, Rate};
use lasthop_link::{ConfigError, DirectionConfig, DuplexLink, LinkConfig};

use crate::statistics::{assert_plausible, normal_deviate};
use crate::test_bench::*;

const ROOMY: QueueLimit = QueueLimit::Bytes(bytes(1 << 40));

/// 100 B take 8 ms of 100 kbit/s.
const SERVICE_NS: f64 = 8_000_000.0;

/// A line of 100 kbit/s of which packets of 100 B take a share.
fn loaded(share: f64, queue: QueueLimit) -> DirectionConfig {
    let every = nanos((SERVICE_NS / share) as u64);
    let rate = Rate {
        background: Some(Background::new(bytes(100), every).unwrap()),
        ..Rate::serial(bits_per_second(100_000), queue)
    };
    DirectionConfig {
        rate: Some(rate),
        ..DirectionConfig::default()
    }
}

fn link(up: DirectionConfig, seed: u64) -> TestBench<DuplexLink> {
    let config = LinkConfig {
        up,
        ..LinkConfig::default()
    };
    TestBench::new(DuplexLink::new(&config, seed, "path"))
}

/// Sends packets without a size, which load nothing, at random from the device; when each set out.
fn probe(bench: &mut TestBench<DuplexLink>, seed: u64, probes: usize) -> Vec<u64> {
    let mut gaps = RandomStream::named(seed, "probes");
    let mut now = at_millis(4_000);
    let mut sent = Vec::new();
    for _ in 0..probes {
        now += gaps.exponential(millis(200));
        bench.send(now, 0);
        sent.push(now.as_nanos());
    }
    bench.run();
    sent
}

/// Holds means of independent runs against what they should be.
fn assert_mean(means: &[f64], expected: f64, what: &str) {
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / (n - 1.0);
    assert_plausible(
        normal_deviate((mean - expected) / (variance / n).sqrt()),
        what,
    );
}

/// The mean wait of probes, in service times of the other traffic.
fn mean_wait(bench: &mut TestBench<DuplexLink>, seed: u64) -> f64 {
    let sent = probe(bench, seed, 400);
    let waits = bench.times().into_iter().zip(sent);
    waits
        .map(|(there, sent)| (there - sent) as f64)
        .sum::<f64>()
        / 400.0
        / SERVICE_NS
}

#[test]
fn a_packet_waits_for_others_as_in_the_m_d_1_queue() {
    // Pollaczek and Khinchine: load / (2 (1 - load)) of a service time, 0.75 at 60 %.
    for load in [0.3_f64, 0.6, 0.8] {
        let wait = |seed| mean_wait(&mut link(loaded(load, ROOMY), seed), seed);
        let means: Vec<f64> = (0..60).map(wait).collect();
        assert_mean(
            &means,
            load / (2.0 * (1.0 - load)),
            "mean wait behind others",
        );
    }
}

#[test]
fn without_room_others_take_packets_as_erlang_says() {
    // One server and no room (M/D/1/1): load / (1 + load) of all that comes finds it taken.
    let load = 0.5_f64;
    let (mut probes, mut others) = (Vec::new(), Vec::new());
    for seed in 0..60 {
        let mut bench = link(loaded(load, QueueLimit::Packets(0)), seed);
        let last = *probe(&mut bench, seed, 400).last().unwrap();
        probes.push(bench.dropped_for(DropReason::QueueFull).len() as f64 / 400.0);
        let [up, _] = bench.link.background(at(last));
        others.push(up.packets_dropped as f64 / up.packets_offered as f64);
    }
    assert_mean(
        &probes,
        load / (1.0 + load),
        "packets that others leave no room",
    );
    assert_mean(&others, load / (1.0 + load), "others that find no room");
}

#[test]
fn others_come_as_often_as_stated_whether_packets_pass_or_not() {
    let hour = at_millis(3_600_000);
    let mut offered = Vec::new();
    for seed in 0..60 {
        let mut quiet = link(loaded(0.5, ROOMY), seed);
        let told = quiet.link.background(hour);
        assert_eq!(quiet.link.background(hour), told, "asked twice");
        let mut busy = link(loaded(0.5, ROOMY), seed);
        probe(&mut busy, seed, 50);
        assert_eq!(busy.link.background(hour), told);
        assert_eq!(told[0].bytes_offered, 100 * told[0].packets_offered);
        assert_eq!((told[0].packets_dropped, told[0].bytes_dropped), (0, 0));
        assert_eq!(told[1], BackgroundTraffic::default());
        offered.push(told[0].packets_offered as f64);
    }
    // Every 16 ms in the mean.
    assert_mean(&offered, 225_000.0, "others in an hour");
}

#[test]
fn on_a_shared_medium_others_of_both_directions_are_in_the_way() {
    let config = LinkConfig {
        shared: true,
        up: loaded(0.2, ROOMY),
        down: loaded(0.4, ROOMY),
        ..LinkConfig::default()
    };
    let wait = |seed| {
        let link = DuplexLink::new(&config, seed, "path");
        mean_wait(&mut TestBench::new(link), seed)
    };
    let means: Vec<f64> = (0..60).map(wait).collect();
    assert_mean(
        &means,
        0.6 / (2.0 * 0.4),
        "mean wait behind others both ways",
    );
}

#[test]
fn others_wake_nobody() {
    let mut bench = link(loaded(0.9, ROOMY), 1);
    bench.send(at_millis(3_600_000), 100);
    bench.run();
    assert_eq!((bench.delivered.len(), bench.wake_ups), (1, 1));
}

#[test]
fn others_come_a_microsecond_apart_at_least() {
    assert_eq!(
        Background::new(bytes(100), nanos(999)),
        Err(ConfigError::BackgroundTooDense)
    );
}
