//! What carries less than it is offered, and what carries more.

use crate::specs::{base, both_ways, loss, run};
use crate::stacks::{coap_con, mqtt, raw_tcp, set_stack};
use lasthop_link::rate::QueueLimit;
use lasthop_units::{BitRate, DataSize};
use lasthop_world::{
    ArrivalSpec, ChangeSpec, DevicesSpec, EventSpec, NotifySpec, OutageOfSpec, RunSpec, StackSpec,
};

const SECOND_NS: u64 = 1_000_000_000;

/// Over 100 ms with losses, nothing in the way of the rate, as often a second as told.
fn offered(stack: StackSpec, probability: f64, per_second: u64) -> RunSpec {
    let mut spec = base();
    set_stack(&mut spec, stack);
    loss(&mut spec, probability);
    for direction in both_ways(&mut spec) {
        direction.rate = None;
    }
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: SECOND_NS / per_second,
    };
    spec
}

fn mean_uncarried(spec: &RunSpec) -> f64 {
    let shares = (1..=5).map(|seed| {
        let mut spec = spec.clone();
        spec.seed = seed;
        run(&spec).summary().uncarried_share.unwrap()
    });
    shares.sum::<f64>() / 5.0
}

#[test]
fn the_share_is_what_nstart_leaves_of_the_load() {
    // Carried a second: NSTART 1 at 10 % 1.0, NSTART 4 at 10, 15 and 25 % 4.2, 2.4 and 0.9.
    for (nstart, probability, carried) in [(1, 0.1, 1.0), (4, 0.15, 2.4), (4, 0.25, 0.9)] {
        let found = mean_uncarried(&offered(coap_con(nstart, "post"), probability, 4));
        let expected = 1.0 - carried / 4.0;
        assert!(
            (found - expected).abs() < 0.1,
            "{found} with NSTART {nstart} at {probability}, {expected} expected"
        );
    }
}

#[test]
fn what_carries_its_load_leaves_nothing() {
    for (stack, probability, per_second) in [
        (coap_con(4, "post"), 0.1, 3),
        (coap_con(4, "post"), 0.05, 4),
        (coap_con(1, "post"), 0.0, 4),
        (raw_tcp(), 0.1, 4),
    ] {
        let found = mean_uncarried(&offered(stack.clone(), probability, per_second));
        assert!(found < 0.025, "{found} of {stack:?} at {probability}");
    }
}

#[test]
fn a_queue_of_four_at_ten_percent_is_near_its_limit_and_below_ours() {
    let found = mean_uncarried(&offered(coap_con(4, "post"), 0.1, 4));
    assert!(found < 0.1, "{found}");
}

#[test]
fn a_link_that_is_too_slow_is_found_at_any_queue() {
    for queue in [4_000, 16_000, 64_000] {
        let mut spec = base();
        for direction in both_ways(&mut spec) {
            direction.loss = None;
            let rate = direction.rate.as_mut().unwrap();
            // 437 B four times a second are 13,984 bit/s.
            rate.bits_per_second = BitRate::from_bits_per_second(7_000).unwrap();
            rate.queue = QueueLimit::Bytes(DataSize::from_bytes(queue));
        }
        let found = mean_uncarried(&spec);
        assert!((found - 0.5).abs() < 0.03, "{found} with {queue} B");
    }
}

#[test]
fn a_device_that_waits_for_its_server_to_come_back_is_no_overload() {
    for stack in [raw_tcp(), mqtt("1"), coap_con(1, "post")] {
        let mut spec = offered(stack.clone(), 0.0, 4);
        spec.flows[0].duration_ns = 120 * SECOND_NS;
        spec.events.push(EventSpec {
            at_ns: 60 * SECOND_NS,
            change: ChangeSpec::Outage {
                of: OutageOfSpec::Server("server".into()),
                duration_ns: 300 * SECOND_NS,
            },
            again: None,
        });
        let summary = run(&spec).summary();
        assert!(summary.messages_delivered < summary.messages_offered);
        assert_eq!(summary.uncarried_share, Some(0.0), "{stack:?}");
    }
}

#[test]
fn an_overload_before_anything_happens_is_found() {
    let mut spec = offered(coap_con(1, "post"), 0.1, 4);
    spec.events.push(EventSpec {
        at_ns: 300 * SECOND_NS,
        change: ChangeSpec::NewAddress {
            of: DevicesSpec {
                group: "device".into(),
                share: 1.0,
            },
            notify: NotifySpec::None,
        },
        again: None,
    });
    assert!(mean_uncarried(&spec) > 0.5);
}
