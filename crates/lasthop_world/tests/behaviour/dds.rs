//! DDS over RTPS in whole runs.

use lasthop_contract::Direction;
use lasthop_measure::Fate;
use lasthop_world::{FlowKind, RunSpec, StackSpec};

use crate::events::{add_other_path, at, every_change, ten};
use crate::specs::{assert_accounted, base, everything, loss, run, set_kind};
use crate::stacks::{in_turns, over_ip, set_stack, stack};

const SECOND_NS: u64 = 1_000_000_000;

fn dds(options: &[(&str, &str)]) -> StackSpec {
    stack("dds/udp", options)
}

fn dds_over_tcp(options: &[(&str, &str)]) -> StackSpec {
    stack("dds/rtps_tcp/tcp", options)
}

/// Reliable and best-effort, with little room and with much.
fn every_dds() -> Vec<StackSpec> {
    vec![
        dds(&[]),
        dds(&[("reliability", "best_effort")]),
        dds(&[("durability", "transient_local"), ("history_depth", "100")]),
        dds(&[("type_information", "off"), ("fragment_size", "256B")]),
        dds_over_tcp(&[]),
        dds_over_tcp(&[("reliability", "best_effort"), ("tcp.nodelay", "off")]),
    ]
}

const KINDS: [FlowKind; 4] = [
    FlowKind::Report,
    FlowKind::RoundTrip,
    FlowKind::Command,
    FlowKind::Pull,
];

fn spec_of(stack: StackSpec, kind: FlowKind) -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    set_kind(&mut spec, kind);
    set_stack(&mut spec, stack);
    spec
}

#[test]
fn every_kind_of_traffic_arrives_over_both_versions_of_ip() {
    for kind in KINDS {
        for stack in every_dds() {
            for version in [4, 6] {
                let simulated = run(&spec_of(over_ip(&stack, version), kind));
                assert_accounted(&simulated);
                let summary = simulated.summary();
                let told = (summary.messages_offered, summary.messages_delivered);
                assert_eq!(told, (2400, 2400), "{kind:?} {stack:?}");
                assert_eq!(summary.messages_duplicated, 0);
            }
        }
    }
}

#[test]
fn whatever_happens_packets_messages_and_bytes_add_up_and_a_seed_gives_the_same() {
    for (stack, change, kind) in in_turns(every_dds(), &every_change(), &KINDS) {
        let mut spec = everything(ten(stack, kind));
        loss(&mut spec, 0.1);
        spec.flows[0].duration_ns = 60 * SECOND_NS;
        add_other_path(&mut spec);
        spec.events.push(at(30, change));
        let [one, other] = [run(&spec), run(&spec)];
        assert_accounted(&one);
        assert_eq!(one.summary().trace, other.summary().trace);
        for direction in Direction::ALL {
            let rows = one.meter().ledger().rows().into_iter();
            let ledger: u64 = rows
                .filter(|row| row.direction == direction && row.fate == Fate::Offered)
                .map(|row| row.bytes)
                .sum();
            assert_eq!(ledger, one.summary().offered[direction as usize].1);
        }
    }
}
