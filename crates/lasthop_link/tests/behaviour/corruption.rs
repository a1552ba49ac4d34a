use lasthop_link::{Corrupt, DirectionConfig, Duplicate};
use lasthop_units::Probability;

use crate::statistics::{assert_plausible, binomial, kolmogorov_smirnov};
use crate::test_bench::*;

fn corrupting(share: f64) -> DirectionConfig {
    DirectionConfig {
        corrupt: Some(Corrupt {
            probability: probability(share),
        }),
        ..DirectionConfig::default()
    }
}

#[test]
fn exactly_one_bit_of_a_corrupted_packet_flips_and_it_is_marked() {
    let mut bench = TestBench::up(corrupting(0.3));
    (0..10_000).for_each(|n| bench.send(at_millis(n), 1 + n as usize % 200));
    let mut corrupted = 0;
    for delivered in &bench.delivered {
        let flipped: u32 = delivered
            .packet
            .bytes()
            .iter()
            .map(|byte| byte.count_ones())
            .sum();
        assert_eq!(flipped, u32::from(delivered.packet.is_corrupted()));
        corrupted += u64::from(flipped);
    }
    assert_plausible(
        binomial(corrupted, 10_000, 0.3),
        "share of corrupted packets",
    );
}

#[test]
fn every_bit_is_as_likely_as_the_next() {
    let mut bench = TestBench::up(corrupting(1.0));
    (0..20_000).for_each(|n| bench.send(at_millis(n), 1_000));
    let places = bench.delivered.iter().map(|delivered| {
        let bytes = delivered.packet.bytes();
        let byte = bytes.iter().position(|byte| *byte != 0).unwrap();
        let bit = byte as f64 * 8.0 + f64::from(bytes[byte].trailing_zeros());
        (bit + 0.5) / 8_000.0
    });
    assert_plausible(
        kolmogorov_smirnov(places.collect(), |x| x),
        "place of the flipped bit",
    );
}

#[test]
fn an_empty_packet_cannot_be_corrupted() {
    let mut bench = TestBench::up(corrupting(1.0));
    bench.send(at(0), 0);
    assert!(!bench.delivered[0].packet.is_corrupted());
}

#[test]
fn a_copy_of_a_corrupted_packet_is_corrupted() {
    let mut bench = TestBench::up(DirectionConfig {
        duplicate: Some(Duplicate {
            probability: Probability::ALWAYS,
        }),
        ..corrupting(1.0)
    });
    bench.send(at(0), 100);
    assert_eq!(bench.delivered.len(), 2);
    assert!(
        bench
            .delivered
            .iter()
            .all(|delivered| delivered.packet.is_corrupted())
    );
}
