//! The seeds are fixed. The bounds are five standard errors, so that each would fail for one seed in a million.

use lasthop_contract::RandomStream;
use lasthop_nbiot_coding::{Modulation, Noise};

const COUNT: usize = 2_000_000;

fn numbers(name: &str) -> Vec<f32> {
    let mut numbers = vec![0.0; COUNT];
    Noise::from_stream(RandomStream::named(1, name)).fill(&mut numbers);
    numbers
}

fn assert_near(share: f64, expected: f64, what: &str) {
    let error = (expected * (1.0 - expected) / COUNT as f64).sqrt();
    assert!(
        (share - expected).abs() < 5.0 * error,
        "{what}: {share} is not {expected}"
    );
}

fn above(z: f64) -> f64 {
    0.5 * libm::erfc(z / core::f64::consts::SQRT_2)
}

#[test]
fn numbers_are_normal_into_the_tail() {
    let numbers = numbers("tail");
    for z in [
        -4.0, -3.654, -3.0, -2.0, -1.0, -0.3, 0.0, 0.1, 0.7, 1.5, 2.5, 3.5, 3.66, 4.2,
    ] {
        let share = numbers.iter().filter(|x| f64::from(**x) > z).count() as f64 / COUNT as f64;
        assert_near(share, above(z), &format!("above {z}"));
    }
}

#[test]
fn neighbours_know_nothing_of_each_other() {
    let numbers = numbers("neighbours");
    for distance in [1, 2, 3] {
        let both = numbers
            .iter()
            .zip(&numbers[distance..])
            .filter(|(a, b)| **a > 0.5 && **b > 0.5);
        let share = both.count() as f64 / COUNT as f64;
        assert_near(
            share,
            above(0.5) * above(0.5),
            &format!("at a distance of {distance}"),
        );
    }
}

#[test]
fn bits_are_fair() {
    let mut bits = Vec::new();
    Noise::from_stream(RandomStream::named(1, "bits")).bits(COUNT, &mut bits);
    let ones = bits.iter().filter(|bit| **bit == 1).count();
    assert_near(ones as f64 / COUNT as f64, 0.5, "ones");
}

#[test]
fn bits_without_a_code_are_wrong_as_often_as_theory_says() {
    let numbers = numbers("uncoded");
    for (modulation, bits_per_symbol) in [(Modulation::Bpsk, 1.0), (Modulation::Qpsk, 2.0)] {
        for es_n0 in [0.1, 0.5, 2.0] {
            let mean = modulation.mean_llr(es_n0);
            let wrong = numbers
                .iter()
                .filter(|x| mean + (2.0 * mean).sqrt() * f64::from(**x) < 0.0);
            // Q(sqrt(2 Eb/N0)), Proakis, Digital Communications, equation 5.2-5.
            let expected = 0.5 * libm::erfc((es_n0 / bits_per_symbol).sqrt());
            let share = wrong.count() as f64 / COUNT as f64;
            assert_near(share, expected, &format!("{modulation:?} at {es_n0}"));
        }
    }
}
