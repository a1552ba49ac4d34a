use lasthop_link::DirectionConfig;
use lasthop_link::delay::{
    Constant, Delay, DelayModel, Exponential, HeldBack, Normal, Pareto, Reordering, Trace,
    TracePoint, Uniform,
};
use lasthop_units::Duration;

use crate::statistics::{assert_plausible, binomial, kolmogorov_smirnov};
use crate::test_bench::*;

const PACKETS: u64 = 40_000;

fn bench(delay: Delay) -> TestBench<lasthop_link::DuplexLink> {
    TestBench::up(DirectionConfig {
        delay: Some(delay),
        ..DirectionConfig::default()
    })
}

/// The delays of packets that are sent a millisecond apart, in milliseconds, in the order of sending.
fn delays(delay: impl Into<Delay>) -> Vec<f64> {
    let mut bench = bench(delay.into());
    for n in 0..PACKETS {
        bench.send(at_millis(n), 100);
    }
    bench.run();
    assert_eq!(bench.delivered.len() as u64, PACKETS);
    let mut delays = vec![0.0; PACKETS as usize];
    for delivered in &bench.delivered {
        let sent = at_millis(delivered.packet.number() - 1);
        delays[delivered.packet.number() as usize - 1] = (delivered.at - sent).as_secs_f64() * 1e3;
    }
    delays
}

#[test]
fn a_constant_delay_is_the_same_for_all() {
    let mut bench = bench(Constant { delay: nanos(123) }.into());
    [5, 6, 900]
        .into_iter()
        .for_each(|time| bench.send(at(time), 100));
    bench.run();
    assert_eq!(bench.times(), [128, 129, 1_023]);
}

#[test]
fn uniform_delays_are_uniform() {
    let delays = delays(Uniform::new(millis(80), millis(120)).unwrap());
    assert!(delays.iter().all(|d| (80.0..=120.0).contains(d)));
    let theory = |x: f64| ((x - 80.0) / 40.0).clamp(0.0, 1.0);
    assert_plausible(kolmogorov_smirnov(delays, theory), "uniform delay");
}

#[test]
fn a_uniform_delay_may_have_equal_bounds() {
    assert!(Uniform::new(millis(2), millis(1)).is_err());
    let mut bench = bench(Uniform::new(millis(2), millis(2)).unwrap().into());
    bench.send(at(0), 100);
    bench.run();
    assert_eq!(bench.times(), [2_000_000]);
}

#[test]
fn exponential_delays_are_exponential_beyond_their_minimum() {
    assert!(Exponential::new(millis(2), millis(1)).is_err());
    let delays = delays(Exponential::new(millis(50), millis(80)).unwrap());
    let theory = |x: f64| 1.0 - libm::exp(-(x - 50.0).max(0.0) / 30.0);
    assert_plausible(kolmogorov_smirnov(delays, theory), "exponential delay");
}

#[test]
fn normal_delays_are_normal() {
    let delays = delays(Normal {
        mean: millis(100),
        standard_deviation: millis(10),
    });
    let theory = |x: f64| 0.5 * libm::erfc((100.0 - x) / 10.0 / std::f64::consts::SQRT_2);
    assert_plausible(kolmogorov_smirnov(delays, theory), "normal delay");
}

#[test]
fn normal_delays_below_zero_are_zero() {
    let delays = delays(Normal {
        mean: millis(10),
        standard_deviation: millis(10),
    });
    let at_zero = delays.iter().filter(|d| **d == 0.0).count() as u64;
    // The distribution function of the standard normal at -1.
    assert_plausible(
        binomial(at_zero, PACKETS, 0.158_655_254),
        "normal delays at zero",
    );
}

#[test]
fn pareto_delays_have_the_tail_of_pareto() {
    let delays = delays(Pareto::new(millis(50), 2.5).unwrap());
    let theory = |x: f64| 1.0 - libm::pow(50.0 / x, 2.5);
    assert_plausible(kolmogorov_smirnov(delays, theory), "pareto delay");
    for shape in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Pareto::new(millis(50), shape).is_err(), "{shape}");
    }
}

#[test]
fn a_share_of_the_packets_is_held_back_and_overtaken_by_those_that_follow() {
    let held_back = HeldBack {
        delay: millis(15),
        probability: probability(0.2),
        by: millis(10),
    };
    let delays = delays(held_back);
    let held = delays.iter().filter(|d| **d == 25.0).count() as u64;
    assert_plausible(binomial(held, PACKETS, 0.2), "packets held back");
    assert!(delays.iter().all(|d| [15.0, 25.0].contains(d)));
    let mut bench = bench(held_back.into());
    for n in 0..PACKETS {
        bench.send(at_millis(n), 100);
    }
    bench.run();
    let order = bench.delivered.iter().map(|it| it.packet.number());
    let mut newest = 0;
    let overtaken = order.filter(|number| {
        newest = newest.max(*number);
        *number < newest
    });
    // One of the nine that come before it does, in a millisecond each, was not held back, but for the very last.
    assert!(held - overtaken.count() as u64 <= 1);
}

#[test]
fn delays_know_nothing_of_each_other() {
    let delays = delays(Uniform::new(millis(0), millis(2)).unwrap());
    // Of two neighbours either is the longer, in disjoint pairs.
    let rising = delays
        .chunks_exact(2)
        .filter(|pair| pair[0] < pair[1])
        .count() as u64;
    assert_plausible(binomial(rising, PACKETS / 2, 0.5), "rising pairs of delays");
}

fn trace(
    points: &[(u64, u64)],
    period: Option<Duration>,
) -> Result<Trace, lasthop_link::ConfigError> {
    let points = points.iter().map(|(from, delay)| TracePoint {
        from: millis(*from),
        delay: millis(*delay),
    });
    Trace::new(points, period)
}

#[test]
fn a_trace_gives_the_delay_of_the_moment_of_entry() {
    let mut bench = bench(trace(&[(0, 100), (10, 5), (20, 50)], None).unwrap().into());
    for time in [0, 9, 10, 19, 20, 5_000] {
        bench.send(at_millis(time), 100);
    }
    bench.run();
    let mut arrivals: Vec<(u64, u64)> = bench.numbers().into_iter().zip(bench.times()).collect();
    arrivals.sort_unstable();
    let millis: Vec<u64> = arrivals.iter().map(|(_, time)| time / 1_000_000).collect();
    assert_eq!(millis, [100, 109, 15, 24, 70, 5_050]);
}

#[test]
fn a_trace_repeats_by_its_period() {
    let repeated = trace(&[(0, 1), (10, 2)], Some(millis(20))).unwrap();
    let mut bench = bench(repeated.into());
    for time in [0, 19, 20, 35, 40] {
        bench.send(at_millis(time), 100);
    }
    bench.run();
    assert_eq!(
        bench.times(),
        [1, 21, 21, 37, 41].map(|time| time * 1_000_000)
    );
}

#[test]
fn a_trace_starts_at_zero_and_goes_forward() {
    assert!(trace(&[], None).is_err());
    assert!(trace(&[(1, 1)], None).is_err());
    assert!(trace(&[(0, 1), (5, 1), (5, 2)], None).is_err());
    assert!(trace(&[(0, 1), (5, 1)], Some(millis(5))).is_err());
}

#[test]
fn packets_overtake_where_that_is_allowed() {
    let mut bench = bench(Uniform::new(millis(0), millis(100)).unwrap().into());
    (0..1_000).for_each(|n| bench.send(at_millis(n), 100));
    bench.run();
    assert!(!bench.numbers().is_sorted());
}

#[test]
fn fifo_holds_packets_back_and_never_reorders() {
    let jitter = DelayModel::Uniform(Uniform::new(millis(0), millis(100)).unwrap());
    let arrivals = |reordering| {
        let mut bench = bench(Delay {
            model: jitter.clone(),
            reordering,
        });
        (0..1_000).for_each(|n| bench.send(at_millis(n), 100));
        bench.run();
        bench
    };
    let fifo = arrivals(Reordering::Fifo);
    assert!(fifo.numbers().is_sorted());
    // The draws are the same: each packet arrives with the latest of those before it.
    let free = arrivals(Reordering::Allowed);
    let mut times: Vec<(u64, u64)> = free.numbers().into_iter().zip(free.times()).collect();
    times.sort_unstable();
    let latest = times.iter().scan(0, |latest, (_, time)| {
        *latest = (*latest).max(*time);
        Some(*latest)
    });
    assert_eq!(fifo.times(), latest.collect::<Vec<u64>>());
}
