//! A run is a function of its spec.

use crate::specs::{add_nat, base, every_combination, everything, link_of, run};
use crate::stacks::{json_udp, set_stack};
use lasthop_measure::CapturedHost;
use lasthop_world::{NatSpec, PopulationSpec, RunSpec, ServerLayout, Simulated};

use crate::captures::run_capturing;

#[test]
fn the_same_spec_gives_the_same_tables() {
    for spec in every_combination().into_iter().map(everything) {
        assert_same_tables(&run(&spec), &run(&spec));
    }
}

/// Where a packet is to be captured, events come by time; elsewhere pairs that cannot hear of each other take turns.
#[test]
fn a_capture_changes_no_result() {
    let pairs = |spec: RunSpec| {
        let mut spec = everything(spec);
        spec.groups[0].population = PopulationSpec::Staying { devices: 4 };
        spec.servers[0].layout = ServerLayout::PerDevice;
        spec.flows[0].spread_ns = 9_000_000_000;
        spec.flows[0].duration_ns = 60_000_000_000;
        spec.measure.warm_up_ns = 5_000_000_000;
        spec.measure.drain_ns = 9_000_000_000;
        add_nat(
            &mut spec,
            NatSpec {
                udp_timeout_ns: 120_000_000_000,
                tcp_timeout_ns: 7_440_000_000_000,
                rebind_every_ns: Some(7_000_000_000),
                ports: 64_512,
            },
        );
        spec
    };
    for spec in every_combination().into_iter().map(pairs) {
        let apart = run(&spec);
        let (in_order, _) = run_capturing(&spec, &[CapturedHost::Device(0)]);
        assert_eq!(apart.events(), in_order.events());
        assert_same_tables(&apart, &in_order);
    }
}

fn assert_same_tables(one: &Simulated, other: &Simulated) {
    let [one, other] = [one, other].map(|run| run.tables("id"));
    assert_eq!(one.summary, other.summary);
    assert_eq!(one.messages, other.messages);
    assert_eq!(one.ledger, other.ledger);
    assert_eq!(one.packets, other.packets);
    assert_eq!(one.latency, other.latency);
}

#[test]
fn another_seed_gives_other_tables() {
    let spec = base();
    let mut other = spec.clone();
    other.seed += 1;
    let [one, other] = [run(&spec), run(&other)].map(|run| run.tables("id"));
    assert_ne!(one.messages, other.messages);
}

#[test]
fn stacks_that_send_as_many_packets_lose_the_same_ones() {
    let raw = base();
    let mut json = base();
    set_stack(&mut json, json_udp());
    let arrived = |spec| -> Vec<bool> {
        let simulated = run(spec);
        let records = simulated.meter().log().records();
        records
            .map(|(_, _, record)| record.delivered.is_some())
            .collect()
    };
    assert_eq!(arrived(&raw), arrived(&json));
}

#[test]
fn more_delay_does_not_move_a_loss() {
    let near = base();
    let mut far = base();
    link_of(&mut far).up.delay = None;
    let arrived = |spec| -> Vec<bool> {
        let simulated = run(spec);
        let records = simulated.meter().log().records();
        records
            .map(|(_, _, record)| record.delivered.is_some())
            .collect()
    };
    assert_eq!(arrived(&near), arrived(&far));
}
