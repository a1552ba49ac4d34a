use lasthop_contract::DropReason;
use lasthop_link::loss::{GilbertElliottPacket, GilbertElliottTime, Loss};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
use lasthop_units::{Duration, Probability};

use crate::statistics::{
    assert_plausible, binomial, geometric, kolmogorov_smirnov, normal_deviate,
};
use crate::test_bench::*;

/// Packets that are all lost in the bad state and never in the good one.
fn per_packet(good_to_bad: f64, bad_to_good: f64) -> GilbertElliottPacket {
    GilbertElliottPacket {
        good_to_bad: probability(good_to_bad),
        bad_to_good: probability(bad_to_good),
        loss_in_good: Probability::NEVER,
        loss_in_bad: Probability::ALWAYS,
    }
}

fn in_time(mean_good: Duration, mean_bad: Duration) -> GilbertElliottTime {
    let (never, always) = (Probability::NEVER, Probability::ALWAYS);
    GilbertElliottTime::new(mean_good, mean_bad, never, always).unwrap()
}

/// For each of so many packets, sent at this distance, whether it is lost.
fn losses(loss: impl Into<Loss>, seed: u64, packets: u64, distance: Duration) -> Vec<bool> {
    let config = LinkConfig {
        up: DirectionConfig {
            loss: Some(loss.into()),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let mut bench = TestBench::new(DuplexLink::new(&config, seed, "path/0"));
    for n in 0..packets {
        bench.send(at(n * distance.as_nanos()), 100);
    }
    let mut losses = vec![false; packets as usize];
    for number in bench.dropped_for(DropReason::Loss) {
        losses[number as usize - 1] = true;
    }
    losses
}

/// The lengths of the runs of losses and of the runs between them, without the first and the last run.
fn runs(losses: &[bool]) -> (Vec<u64>, Vec<u64>) {
    let all: Vec<&[bool]> = losses.chunk_by(|a, b| a == b).collect();
    let inner = &all[1..all.len() - 1];
    let lengths = |lost| -> Vec<u64> {
        let of_kind = inner.iter().filter(|run| run[0] == lost);
        of_kind.map(|run| run.len() as u64).collect()
    };
    (lengths(true), lengths(false))
}

fn count(losses: &[bool]) -> u64 {
    losses.iter().filter(|lost| **lost).count() as u64
}

#[test]
fn bursts_by_packet_have_geometric_lengths() {
    let losses = losses(per_packet(0.02, 0.18), 1, 150_000, millis(1));
    let (bad, good) = runs(&losses);
    assert_plausible(geometric(&bad, 1.0 - 0.18), "lengths of bad runs");
    assert_plausible(geometric(&good, 1.0 - 0.02), "lengths of good runs");
}

#[test]
fn bursts_by_packet_lose_the_stationary_share() {
    let model = GilbertElliottPacket {
        loss_in_good: probability(0.01),
        loss_in_bad: probability(0.6),
        ..per_packet(0.05, 0.2)
    };
    let packets = 150_000_u64;
    let lost = count(&losses(model, 2, packets, millis(1))) as f64;
    // The variance of a sum along a two-state chain: chance by packet, and the chain's own.
    let (bad, good, memory) = (0.2, 0.8, 1.0 - 0.05 - 0.2);
    let share = bad * 0.6 + good * 0.01;
    let by_packet = bad * 0.6 * 0.4 + good * 0.01 * 0.99;
    let by_chain = 0.59 * 0.59 * bad * good * (1.0 + memory) / (1.0 - memory);
    let n = packets as f64;
    let z = (lost - n * share) / (n * (by_packet + by_chain)).sqrt();
    assert_plausible(normal_deviate(z), "share of losses in bursts by packet");
}

#[test]
fn the_first_packet_meets_the_stationary_distribution() {
    let by_packet = per_packet(0.02, 0.08);
    let by_time = in_time(millis(800), millis(200));
    let lost_first = |loss: Loss| {
        let first = |seed| losses(loss.clone(), seed, 1, millis(1))[0];
        (0..5_000).filter(|seed| first(*seed)).count() as u64
    };
    assert_plausible(
        binomial(lost_first(by_packet.into()), 5_000, 0.2),
        "first by packet",
    );
    assert_plausible(
        binomial(lost_first(by_time.into()), 5_000, 0.2),
        "first by time",
    );
}

#[test]
fn a_chain_that_never_moves_stays_good() {
    assert_eq!(count(&losses(per_packet(0.0, 0.0), 1, 1_000, millis(1))), 0);
}

#[test]
fn bad_periods_have_exponential_lengths() {
    // Seen through packets every 100 us, which is fine against means of 40 and 20 ms.
    let step = nanos(100_000);
    let losses = losses(in_time(millis(40), millis(20)), 3, 600_000, step);
    let (bad, good) = runs(&losses);
    assert!(bad.len() > 800);
    let sample = |lengths: Vec<u64>| lengths.iter().map(|n| *n as f64 * 0.1).collect();
    let exponential = |mean: f64| move |x: f64| -libm::expm1(-x / mean);
    assert_plausible(
        kolmogorov_smirnov(sample(bad), exponential(20.0)),
        "bad periods",
    );
    assert_plausible(
        kolmogorov_smirnov(sample(good), exponential(40.0)),
        "good periods",
    );
}

#[test]
fn packets_sample_the_periods_as_a_markov_chain() {
    // Packets 10 ms apart meet a chain with exactly these chances to change.
    let losses = losses(in_time(millis(40), millis(20)), 4, 100_000, millis(10));
    let (bad, good) = runs(&losses);
    let forgotten = -libm::expm1(-10.0 / 40.0 - 10.0 / 20.0);
    assert_plausible(
        geometric(&bad, 1.0 - 2.0 / 3.0 * forgotten),
        "sampled bad runs",
    );
    assert_plausible(
        geometric(&good, 1.0 - 1.0 / 3.0 * forgotten),
        "sampled good runs",
    );
}

#[test]
fn bad_periods_are_the_same_for_whoever_sends() {
    let model = in_time(millis(50), millis(30));
    let seldom = losses(model, 5, 2_000, millis(12));
    let often = losses(model, 5, 24_000, millis(1));
    let common: Vec<bool> = often.iter().copied().step_by(12).collect();
    assert!(count(&seldom) > 500);
    assert_eq!(seldom, common);
}

#[test]
fn a_quiet_day_between_two_packets_is_no_problem() {
    let day = Duration::from_secs(86_400);
    assert_eq!(
        losses(in_time(millis(100), millis(100)), 6, 2, day).len(),
        2
    );
}

#[test]
fn periods_of_no_length_are_refused() {
    let (never, always) = (Probability::NEVER, Probability::ALWAYS);
    assert!(GilbertElliottTime::new(Duration::ZERO, millis(1), never, always).is_err());
    assert!(GilbertElliottTime::new(millis(1), nanos(999), never, always).is_err());
}
