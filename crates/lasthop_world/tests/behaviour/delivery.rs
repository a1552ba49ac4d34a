//! Delivery and latency against theory. Each bound is four standard deviations of the binomial law.

use crate::specs::{base, link_of, loss, run, set_kind};
use crate::stacks::{coap_non, json_udp, raw_udp, set_stack};
use lasthop_world::{FlowKind, RunSpec};

fn assert_delivers(spec: &RunSpec, expected: f64) {
    let summary = run(spec).summary();
    let n = summary.messages_offered as f64;
    let bound = 4.0 * (expected * (1.0 - expected) / n).sqrt();
    let ratio = summary.delivery_ratio().unwrap();
    assert!(
        (ratio - expected).abs() <= bound,
        "{ratio} delivered, {expected} expected within {bound}"
    );
}

#[test]
fn one_leg_delivers_what_the_link_does_not_lose() {
    for p in [0.0, 0.05, 0.1, 0.25, 1.0] {
        let mut spec = base();
        loss(&mut spec, p);
        assert_delivers(&spec, 1.0 - p);
    }
}

#[test]
fn a_round_trip_needs_both_legs() {
    for p in [0.05, 0.1, 0.25] {
        for stack in [
            raw_udp(None),
            json_udp(),
            coap_non("post"),
            coap_non("observe"),
        ] {
            let mut spec = base();
            set_kind(&mut spec, FlowKind::RoundTrip);
            loss(&mut spec, p);
            set_stack(&mut spec, stack);
            assert_delivers(&spec, (1.0 - p) * (1.0 - p));
        }
    }
}

#[test]
fn retransmission_delivers_unless_every_copy_is_lost() {
    for (p, max_retransmit) in [(0.5, 1), (0.5, 4), (0.25, 2)] {
        let mut spec = base();
        loss(&mut spec, p);
        set_stack(&mut spec, raw_udp(Some(max_retransmit)));
        // The wait for an acknowledgement doubles up to 16 times 3 s.
        link_of(&mut spec).up.rate = None;
        link_of(&mut spec).down.rate = None;
        assert_delivers(&spec, 1.0 - power(p, u32::from(max_retransmit) + 1));
    }
}

fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).map(|_| base).product()
}

#[test]
fn latency_is_the_delay_and_the_time_on_the_line() {
    let mut spec = base();
    loss(&mut spec, 0.0);
    let summary = run(&spec).summary();
    // 437 B at 50 kbit/s take 69.92 ms, and the way 100 ms; nothing waits at 4 packets a second.
    let expected = 169_920_000;
    assert_eq!(summary.latency_mean.unwrap().as_nanos(), expected);
    assert_eq!(summary.latency_max.unwrap().as_nanos(), expected);
    for percentile in summary.latency_percentiles {
        assert_eq!(percentile.unwrap().as_nanos(), expected);
    }
}

#[test]
fn a_percentile_beyond_what_arrived_is_infinite() {
    let mut spec = base();
    loss(&mut spec, 0.1);
    let [p50, p95, p99, p99_9] = run(&spec).summary().latency_percentiles;
    assert!(p50.is_some() && p95.is_none() && p99.is_none() && p99_9.is_none());
}
