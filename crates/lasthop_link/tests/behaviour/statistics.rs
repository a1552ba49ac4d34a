//! Is what was seen plausible under the theory? Seeds are fixed; a false alarm would have been one of 1 in 1000.

use std::f64::consts::SQRT_2;

/// More than the plausibility checks that the suite makes.
const CHECKS: f64 = 100.0;
/// How likely a correct link would fail any of the checks for a fresh choice of seeds.
const FAMILY_WISE_ERROR: f64 = 1e-3;

/// Fails when a p-value is below the level that Bonferroni's correction leaves to a single check.
#[track_caller]
pub(crate) fn assert_plausible(p_value: f64, what: &str) {
    let level = FAMILY_WISE_ERROR / CHECKS;
    assert!(p_value >= level, "{what}: p = {p_value:e} < {level:e}");
}

/// The exact two-sided p-value of a number of successes: twice the smaller tail.
pub(crate) fn binomial(successes: u64, trials: u64, probability: f64) -> f64 {
    let log_chance = |count: u64| {
        let (k, n) = (count as f64, trials as f64);
        libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0)
            + k * libm::log(probability)
            + (n - k) * libm::log1p(-probability)
    };
    let chance = |count| libm::exp(log_chance(count));
    let lower: f64 = (0..=successes)
        .rev()
        .map(chance)
        .take_while(|c| *c > 0.0)
        .sum();
    let upper: f64 = (successes..=trials)
        .map(chance)
        .take_while(|c| *c > 0.0)
        .sum();
    (2.0 * lower.min(upper)).min(1.0)
}

/// The two-sided p-value of a standard normal deviate.
pub(crate) fn normal_deviate(z: f64) -> f64 {
    libm::erfc(z.abs() / SQRT_2)
}

/// The p-value of Kolmogorov and Smirnov's test of a sample against a continuous distribution.
///
/// The asymptotic distribution with Stephens's correction for finite samples.
pub(crate) fn kolmogorov_smirnov(mut sample: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = sample
        .iter()
        .enumerate()
        .map(|(index, x)| {
            let (below, at) = (index as f64 / n, (index + 1) as f64 / n);
            let theory = distribution(*x);
            (theory - below).abs().max((at - theory).abs())
        })
        .fold(0.0, f64::max);
    let scaled = (n.sqrt() + 0.12 + 0.11 / n.sqrt()) * distance;
    let term = |j: f64| libm::exp(-2.0 * j * j * scaled * scaled);
    let sum: f64 = (1..=100)
        .map(f64::from)
        .map(|j| if j % 2.0 == 1.0 { term(j) } else { -term(j) })
        .sum();
    (2.0 * sum).clamp(0.0, 1.0)
}

/// The p-value of Pearson's test that lengths are geometrically distributed: P(length = n) = q^(n-1) (1 - q).
///
/// Lengths with fewer than 20 expected cases share the last bin.
pub(crate) fn geometric(lengths: &[u64], go_on: f64) -> f64 {
    let count = lengths.len() as f64;
    let mut statistic = 0.0;
    let mut bins = 0.0;
    let mut tail = 1.0;
    let mut length = 1;
    while count * tail * go_on >= 20.0 && count * tail * (1.0 - go_on) >= 20.0 {
        let expected = count * tail * (1.0 - go_on);
        let seen = lengths.iter().filter(|l| **l == length).count() as f64;
        statistic += (seen - expected) * (seen - expected) / expected;
        bins += 1.0;
        tail *= go_on;
        length += 1;
    }
    assert!(bins > 2.0, "too few lengths to tell anything");
    let seen = lengths.iter().filter(|l| **l >= length).count() as f64;
    let expected = count * tail;
    statistic += (seen - expected) * (seen - expected) / expected;
    chi_square_tail(statistic, bins)
}

/// P(X > x) for a chi-square of so many degrees of freedom, by Wilson and Hilferty's cube root.
fn chi_square_tail(x: f64, freedom: f64) -> f64 {
    let spread = 2.0 / (9.0 * freedom);
    let deviate = (libm::cbrt(x / freedom) - (1.0 - spread)) / spread.sqrt();
    0.5 * libm::erfc(deviate / SQRT_2)
}

#[test]
fn p_values_are_those_of_the_textbooks() {
    // R: 2 * pbinom(40, 100, 0.5).
    assert!((binomial(40, 100, 0.5) - 0.056_888).abs() < 1e-5);
    assert!(binomial(1_300, 10_000, 0.1) < 1e-15);
    assert!((normal_deviate(1.959_964) - 0.05).abs() < 1e-6);
    // The 5 % point of 10 degrees of freedom is 18.307.
    assert!((chi_square_tail(18.307, 10.0) - 0.05).abs() < 1e-3);
}

#[test]
fn wrong_distributions_are_implausible() {
    let grid: Vec<f64> = (0..1000).map(|n| (f64::from(n) + 0.5) / 1000.0).collect();
    assert!(kolmogorov_smirnov(grid.clone(), |x| x) > 0.99);
    assert!(kolmogorov_smirnov(grid, |x| x * x) < 1e-9);
    let halves: Vec<u64> = (1..=10).flat_map(|n| vec![n; 1 << (10 - n)]).collect();
    assert!(geometric(&halves, 0.5) > 0.5);
    assert!(geometric(&halves, 0.6) < 1e-5);
}
