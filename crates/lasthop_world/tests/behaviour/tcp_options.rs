//! What the options of TCP do to a run.

use lasthop_world::{ArrivalSpec, PayloadSpec, RunSpec};

use crate::specs::{base, both_ways, run};
use crate::stacks::{set_stack, stack};

/// 20 kB, 14 segments, every minute over 100 ms each way and nothing else.
fn downloads(options: &[(&str, &str)]) -> RunSpec {
    let mut spec = base();
    set_stack(&mut spec, stack("raw_tcp/tcp", options));
    for direction in both_ways(&mut spec) {
        (direction.loss, direction.rate) = (None, None);
    }
    let flow = &mut spec.flows[0];
    flow.payload = PayloadSpec::Text { bytes: 20_000 };
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: 60_000_000_000,
    };
    spec
}

/// The median latency, in round trips beyond the way there.
fn round_trips(options: &[(&str, &str)]) -> f64 {
    let [median, ..] = run(&downloads(options)).summary().latency_percentiles;
    (median.unwrap().as_secs_f64() - 0.1) / 0.2
}

#[test]
fn the_initial_window_says_how_many_round_trips_a_burst_takes() {
    // 14 at once; 10 and then 4; 5, then 9 of 10.
    for (window, expected) in [("14", 0.0), ("10", 1.0), ("5", 1.0), ("4", 2.0)] {
        let took = round_trips(&[("tcp.initial_window", window)]);
        assert!((took - expected).abs() < 0.3, "{took} with {window}");
    }
    let unwritten = round_trips(&[]);
    assert!((unwritten - round_trips(&[("tcp.initial_window", "10")])).abs() < 1e-9);
}
