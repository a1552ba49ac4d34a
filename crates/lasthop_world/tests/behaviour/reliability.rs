//! What protocols with acknowledgements deliver, and at what pace.

use crate::specs::{add_nat, base, link_of, loss, run, set_kind};
use crate::stacks::{coap_con, mqtt, mqtt_5, raw_tcp, set_stack};
use lasthop_world::{FlowKind, NatSpec, RunSpec, StackSpec};

const SECOND_NS: u64 = 1_000_000_000;

/// 409 B at 4/s for 10 minutes through a translator that gives each device another outside port every 45 s, so that
/// no connection lives longer.
fn with_reconnects(stack: StackSpec, kind: FlowKind) -> RunSpec {
    let mut spec = base();
    set_stack(&mut spec, stack);
    set_kind(&mut spec, kind);
    spec.measure.drain_ns = 1200 * SECOND_NS;
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: 3600 * SECOND_NS,
            tcp_timeout_ns: 3600 * SECOND_NS,
            rebind_every_ns: Some(45 * SECOND_NS),
            ports: 64_512,
        },
    );
    spec
}

#[test]
fn mqtt_delivers_all_across_reconnects_and_qos_2_once() {
    for kind in [FlowKind::Report, FlowKind::RoundTrip] {
        for version in [mqtt, mqtt_5] {
            for qos in ["1", "2"] {
                let stack = version(qos);
                let simulated = run(&with_reconnects(stack.clone(), kind));
                let summary = simulated.summary();
                assert_eq!(summary.messages_delivered, 2400, "{kind:?} {stack:?}");
                assert!(
                    summary.retransmissions_application > 0,
                    "no reconnect was seen"
                );
                if qos == "2" {
                    assert_eq!(summary.messages_duplicated, 0, "{kind:?} {stack:?}");
                }
            }
        }
    }
}

#[test]
fn what_has_no_acknowledgement_goes_down_with_its_connection() {
    for stack in [mqtt("0"), raw_tcp()] {
        let summary = run(&with_reconnects(stack, FlowKind::Report)).summary();
        assert!(summary.messages_delivered < 2400);
        assert!(summary.messages_delivered > 1500);
        let ended = summary.messages_delivered + summary.messages_failed;
        assert_eq!(ended + summary.messages_unfinished, 2400);
    }
}

#[test]
fn coap_gives_up_what_max_retransmit_implies() {
    // A try fails unless message and acknowledgement both arrive; five tries in all. At this pace nothing waits.
    let p: f64 = 0.3;
    let mut spec = base();
    set_stack(&mut spec, coap_con(1, "post"));
    loss(&mut spec, p);
    spec.flows[0].arrivals = lasthop_world::ArrivalSpec::Periodic {
        every_ns: 120 * SECOND_NS,
    };
    spec.flows[0].duration_ns = 120 * 4000 * SECOND_NS;
    spec.measure.drain_ns = 200 * SECOND_NS;
    let simulated = run(&spec);
    let records = simulated.meter().log().records();
    let given_up = records
        .filter(|(.., record)| record.acknowledged.is_none())
        .count() as f64;
    let try_fails = 1.0 - (1.0 - p) * (1.0 - p);
    let expected: f64 = (0..5).map(|_| try_fails).product();
    let (n, q) = (4000.0, expected);
    let bound = 4.0 * (n * q * (1.0 - q)).sqrt();
    assert!(
        (given_up - n * q).abs() <= bound,
        "{given_up} given up, {} expected within {bound}",
        n * q
    );
}

#[test]
fn coap_falls_behind_as_nstart_has_it() {
    // At 10 % loss a direction and 100 ms each way: 1.0 messages a second with NSTART 1, 4.2 with 4.
    for (nstart, expected) in [(1, 1.0), (4, 4.2)] {
        let mut spec = base();
        set_stack(&mut spec, coap_con(nstart, "post"));
        loss(&mut spec, 0.1);
        link_of(&mut spec).up.rate = None;
        link_of(&mut spec).down.rate = None;
        // More than it can carry, so that there is always something to send.
        spec.flows[0].arrivals = lasthop_world::ArrivalSpec::Periodic {
            every_ns: SECOND_NS / 10,
        };
        spec.flows[0].duration_ns = 3600 * SECOND_NS;
        spec.measure.drain_ns = 0;
        let summary = run(&spec).summary();
        let rate = summary.messages_delivered as f64 / 3600.0;
        assert!(
            (rate / expected - 1.0).abs() < 0.1,
            "{rate} messages a second with NSTART {nstart}"
        );
    }
}
