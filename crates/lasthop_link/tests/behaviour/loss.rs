use lasthop_contract::{Direction, DropReason, RandomStream};
use lasthop_link::delay::{Normal, Uniform};
use lasthop_link::loss::{Bernoulli, BitErrors, PacketList, Passing};
use lasthop_link::{Corrupt, DirectionConfig, DuplexLink, Duplicate, LinkConfig};

use crate::statistics::{assert_plausible, binomial, geometric};
use crate::test_bench::*;

fn bernoulli(value: f64) -> DirectionConfig {
    DirectionConfig {
        loss: Some(
            Bernoulli {
                probability: probability(value),
            }
            .into(),
        ),
        ..DirectionConfig::default()
    }
}

/// Which of so many packets, one a millisecond, are lost.
fn lost(up: DirectionConfig, packets: u64) -> Vec<u64> {
    let mut bench = TestBench::up(up);
    for n in 0..packets {
        bench.send(at_millis(n), 100);
    }
    bench.run();
    bench.dropped_for(DropReason::Loss)
}

#[test]
fn independent_loss_takes_its_share() {
    for share in [0.01, 0.1, 0.25, 0.5] {
        let lost = lost(bernoulli(share), 50_000).len() as u64;
        assert_plausible(binomial(lost, 50_000, share), &format!("loss of {share}"));
    }
}

/// Of so many packets of a size, one a millisecond, those that a wrong bit takes.
fn lost_by_bits(ratio: f64, packets: u64, bytes: usize) -> Vec<u64> {
    let ratio = probability(ratio);
    let mut bench = TestBench::up(DirectionConfig {
        loss: Some(BitErrors { ratio }.into()),
        ..DirectionConfig::default()
    });
    for n in 0..packets {
        bench.send(at_millis(n), bytes);
    }
    bench.run();
    bench.dropped_for(DropReason::Loss)
}

/// The shares are `1 - (1 - 1e-5)^(8 n)`, by `bc -l`.
#[test]
fn errors_of_bits_take_large_packets_more_often() {
    for (bytes, share) in [(40, 0.003_194_901), (1500, 0.113_080_095)] {
        let lost = lost_by_bits(1e-5, 50_000, bytes).len() as u64;
        assert_plausible(binomial(lost, 50_000, share), &format!("of {bytes} B"));
    }
}

#[test]
fn where_an_error_takes_a_small_packet_it_takes_a_large_one() {
    let (small, large) = (
        lost_by_bits(1e-4, 5_000, 40),
        lost_by_bits(1e-4, 5_000, 1500),
    );
    assert!(!small.is_empty() && small.iter().all(|n| large.contains(n)));
    assert!(small.len() < large.len());
}

#[test]
fn no_errors_of_bits_take_nothing() {
    assert_eq!(lost_by_bits(0.0, 5_000, 1500).len(), 0);
}

/// Until its end it takes what independent loss takes, and nothing from then on.
#[test]
fn passing_loss_ends() {
    let passing = Passing {
        probability: probability(0.2),
        until: at_millis(3_000),
    };
    let passing = DirectionConfig {
        loss: Some(passing.into()),
        ..DirectionConfig::default()
    };
    let mut of_all = lost(bernoulli(0.2), 5_000);
    of_all.retain(|packet| *packet <= 3_000);
    assert_eq!(lost(passing, 5_000), of_all);
}

#[test]
fn loss_of_nothing_and_of_all_are_exact() {
    assert_eq!(lost(bernoulli(0.0), 10_000).len(), 0);
    assert_eq!(lost(bernoulli(1.0), 10_000).len(), 10_000);
}

#[test]
fn independent_losses_know_nothing_of_each_other() {
    let lost = lost(bernoulli(0.3), 50_000);
    let gaps: Vec<u64> = lost.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_plausible(geometric(&gaps, 0.7), "gaps between losses");
}

#[test]
fn the_nth_packet_meets_the_nth_draw_of_the_named_stream() {
    let mut draws = RandomStream::named(1, "path/0/up/loss");
    let share = probability(0.2);
    let expected: Vec<u64> = (1..=5_000).filter(|_| draws.chance(share)).collect();
    assert_eq!(lost(bernoulli(0.2), 5_000), expected);
}

#[test]
fn the_two_directions_lose_different_packets() {
    let config = LinkConfig {
        up: bernoulli(0.5),
        down: bernoulli(0.5),
        ..LinkConfig::default()
    };
    let mut bench = TestBench::of(config);
    for n in 0..1_000 {
        bench.offer(at_millis(n), DEVICE, packet(100));
        bench.offer(at_millis(n), SERVER, packet(100));
    }
    let lost = |direction| -> Vec<u64> {
        let dropped = bench.dropped.iter().map(|d| &d.packet);
        let of_direction = dropped.filter(|packet| packet.direction() == direction);
        of_direction
            .map(|packet| packet.number().div_ceil(2))
            .collect()
    };
    let both = lost(Direction::Up)
        .iter()
        .filter(|n| lost(Direction::Down).contains(n))
        .count();
    assert_plausible(binomial(both as u64, 1_000, 0.25), "losses both ways");
}

#[test]
fn another_seed_loses_other_packets() {
    let config = LinkConfig {
        up: bernoulli(0.5),
        ..LinkConfig::default()
    };
    let lost = |seed| {
        let mut bench = TestBench::new(DuplexLink::new(&config, seed, "path/0"));
        (0..1_000).for_each(|n| bench.send(at_millis(n), 100));
        bench.dropped_for(DropReason::Loss)
    };
    assert_eq!(lost(7), lost(7));
    assert_ne!(lost(7), lost(8));
}

#[test]
fn other_impairments_leave_the_losses_alone() {
    let bare = bernoulli(0.1);
    let jitter = DirectionConfig {
        delay: Some(Uniform::new(millis(10), millis(90)).unwrap().into()),
        ..bare.clone()
    };
    let everything = DirectionConfig {
        delay: Some(
            Normal {
                mean: millis(50),
                standard_deviation: millis(20),
            }
            .into(),
        ),
        duplicate: Some(Duplicate {
            probability: probability(0.5),
        }),
        corrupt: Some(Corrupt {
            probability: probability(0.5),
        }),
        ..bare.clone()
    };
    let expected = lost(bare, 10_000);
    assert!(expected.len() > 900);
    // Drops are told at once, so that they come in the order of sending whatever else happens.
    assert_eq!(lost(jitter, 10_000), expected);
    assert_eq!(lost(everything, 10_000), expected);
}

#[test]
fn a_list_loses_exactly_its_packets() {
    let list = PacketList::new([7, 1, 20_000, 7]).unwrap();
    let config = DirectionConfig {
        loss: Some(list.into()),
        ..DirectionConfig::default()
    };
    assert_eq!(lost(config, 1_000), [1, 7]);
}

#[test]
fn a_list_counts_the_packets_of_its_direction() {
    let config = LinkConfig {
        down: DirectionConfig {
            loss: Some(PacketList::new([2]).unwrap().into()),
            ..DirectionConfig::default()
        },
        ..LinkConfig::default()
    };
    let mut bench = TestBench::of(config);
    for (time, port) in [(0, SERVER), (1, DEVICE), (2, DEVICE), (3, SERVER)] {
        bench.offer(at_millis(time), port, packet(100));
    }
    assert_eq!(bench.dropped_for(DropReason::Loss), [4]);
    assert_eq!(
        (bench.dropped[0].at, bench.dropped[0].port),
        (at_millis(3), SERVER)
    );
}

#[test]
fn there_is_no_packet_zero() {
    assert!(PacketList::new([3, 0]).is_err());
}
