//! Devices with several flows on one connection.

use std::collections::BTreeSet;

use lasthop_contract::{Cause, DeviceId, FlowId, Layer};
use lasthop_link::{Outage, OutageSchedule};
use lasthop_measure::RunStatus;
use lasthop_units::{Duration, Instant};
use lasthop_world::{
    ArrivalSpec, FlowKind, FlowSpec, PayloadSpec, PopulationSpec, RunSpec, SessionSpec,
};

use crate::specs::{base, both_ways, loss, run};
use crate::stacks::{every_stack, set_stack, stack};

const SECOND_NS: u64 = 1_000_000_000;

/// Three devices that report each second, are told something every ten seconds, and ask for an echo every five.
pub(crate) fn spec() -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    spec.groups[0].population = PopulationSpec::Staying { devices: 3 };
    let report = FlowSpec {
        name: "report".into(),
        kind: FlowKind::Report,
        payload: PayloadSpec::Text { bytes: 40 },
        arrivals: ArrivalSpec::Periodic {
            every_ns: SECOND_NS,
        },
        start_ns: SECOND_NS,
        spread_ns: SECOND_NS,
        duration_ns: 100 * SECOND_NS,
        ..spec.flows[0].clone()
    };
    let command = FlowSpec {
        name: "command".into(),
        from: report.to.clone(),
        to: report.from.clone(),
        kind: FlowKind::Command,
        arrivals: ArrivalSpec::Periodic {
            every_ns: 10 * SECOND_NS,
        },
        ..report.clone()
    };
    let echo = FlowSpec {
        name: "echo".into(),
        kind: FlowKind::RoundTrip,
        arrivals: ArrivalSpec::Periodic {
            every_ns: 5 * SECOND_NS,
        },
        ..report.clone()
    };
    spec.flows = vec![report, command, echo];
    spec
}

/// Messages offered, delivered, and delivered again, by flow.
fn told(spec: &RunSpec) -> Vec<(String, u64, u64)> {
    let simulated = run(spec);
    assert_eq!(simulated.status(), RunStatus::Completed);
    assert_eq!(simulated.summary().messages_duplicated, 0);
    let rows = simulated.meter().group_results();
    rows.iter()
        .map(|row| {
            (
                row.flow.to_string(),
                row.messages_offered,
                row.messages_delivered,
            )
        })
        .collect()
}

#[test]
fn every_stack_carries_reports_commands_and_round_trips_side_by_side() {
    for stack in every_stack() {
        let mut spec = spec();
        let name = format!("{stack:?}");
        set_stack(&mut spec, stack);
        let expected = [("report", 300), ("command", 30), ("echo", 60)];
        let expected = expected.map(|(flow, count)| (flow.to_string(), count, count));
        assert_eq!(told(&spec), expected, "{name}");
    }
}

#[test]
fn the_order_of_flows_changes_no_schedule() {
    let due = |spec: &RunSpec, channel| {
        let simulated = run(spec);
        let flow = FlowId::of(DeviceId(1), channel);
        let records = simulated.meter().log().records();
        records
            .filter(|(of, ..)| *of == flow)
            .map(|(_, _, record)| record.intended)
            .collect::<Vec<_>>()
    };
    let (before, mut after) = (spec(), spec());
    after.flows.swap(0, 2);
    assert_eq!(due(&before, 0), due(&after, 2));
    assert_eq!(due(&before, 0).len(), 100);
}

#[test]
fn what_goes_by_the_connection_of_another_flow_waits_behind_it() {
    // 1,000 B each 100 ms are 80 kbit/s on a line of 50: an echo beside them is late.
    let mean = |beside: bool| {
        let mut spec = spec();
        spec.flows[0].payload = PayloadSpec::Text { bytes: 1000 };
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: SECOND_NS / 10,
        };
        if !beside {
            spec.flows.remove(0);
        }
        let rows = run(&spec).meter().group_results();
        let echo = rows.iter().find(|row| &*row.flow == "echo").unwrap();
        echo.latency_mean.unwrap()
    };
    assert!(mean(true) > mean(false) * 5);
}

#[test]
fn a_share_of_the_devices_takes_part_other_ones_in_each_run() {
    let mut spec = spec();
    spec.groups[0].population = PopulationSpec::Staying { devices: 20 };
    spec.flows[1].share = 0.25;
    let who = |seed| {
        let mut spec = spec.clone();
        spec.seed = seed;
        let simulated = run(&spec);
        assert_eq!(simulated.status(), RunStatus::Completed);
        let records = simulated.meter().log().records();
        let told = records.filter(|(flow, ..)| flow.channel() == 1);
        let told: BTreeSet<DeviceId> = told.map(|(flow, ..)| flow.device()).collect();
        assert_eq!(told.len(), 5);
        let rows = simulated.meter().group_results();
        assert_eq!(
            rows.iter().map(|row| row.devices).collect::<Vec<_>>()[..2],
            [20, 5]
        );
        told
    };
    let seeds: BTreeSet<_> = (0..20).map(who).collect();
    assert_eq!(seeds.len(), 4, "every fourth, from each of the first four");
}

#[test]
fn readings_that_wait_for_each_other_go_as_one_message() {
    let mut spec = spec();
    spec.flows[0].batch = 12;
    let simulated = run(&spec);
    let rows = simulated.meter().group_results();
    assert_eq!(rows[0].messages_offered, 3 * (100 / 12));
    let mut records = simulated.meter().log().records();
    let (.., first) = records.next().unwrap();
    assert_eq!(first.payload().as_bytes(), 12 * 40);
}

#[test]
fn json_readings_that_wait_for_each_other_go_in_one_object() {
    for bytes in [None, Some(40)] {
        for stack in every_stack() {
            let mut spec = spec();
            let name = format!("{stack:?}");
            set_stack(&mut spec, stack);
            spec.flows.truncate(1);
            spec.flows[0].batch = 12;
            spec.flows[0].payload = PayloadSpec::Json {
                fields: r#"{"flow":7,"name":"m³"}"#.into(),
                bytes,
            };
            let simulated = run(&spec);
            assert_eq!(simulated.summary().messages_delivered, 24, "{name}");
            let mut records = simulated.meter().log().records();
            let (.., first) = records.next().unwrap();
            // Twelve objects of 23 B with commas, and what stands around them.
            let plain = 12 * 23 + 11 + r#"{"id":"AAAAAAAA","readings":[]}"#.len() as u64;
            let expected = bytes.map_or(plain, |bytes| 12 * bytes);
            assert_eq!(first.payload().as_bytes(), expected, "{name}");
        }
    }
}

#[test]
fn a_connection_of_mqtt_ends_after_so_many_messages() {
    let connections = |session| {
        let mut spec = spec();
        set_stack(&mut spec, stack("mqtt/tcp", &[]));
        spec.flows.truncate(1);
        spec.flows[0].session = session;
        let simulated = run(&spec);
        assert_eq!(simulated.summary().messages_delivered, 300);
        let rows = simulated.meter().ledger().rows();
        let set_up = rows
            .iter()
            .filter(|row| row.layer == Layer::Tcp && row.cause == Cause::SessionSetUp);
        set_up.map(|row| row.bytes).sum::<u64>()
    };
    let once = connections(SessionSpec::Keep);
    assert_eq!(connections(SessionSpec::PerMessage), 100 * once);
    assert_eq!(connections(SessionSpec::Per(10)), 10 * once);
    assert_eq!(connections(SessionSpec::Per(1000)), once);
}

#[test]
fn a_connection_that_ends_stays_until_its_messages_have_come_back() {
    for options in [("0", "3.1.1"), ("1", "3.1.1"), ("2", "3.1.1"), ("1", "5")] {
        for session in [SessionSpec::PerMessage, SessionSpec::Per(10)] {
            for probability in [0.0, 0.05] {
                let mut spec = spec();
                let (qos, version) = options;
                let stack = stack("mqtt/tcp", &[("qos", qos), ("version", version)]);
                set_stack(&mut spec, stack);
                loss(&mut spec, probability);
                spec.flows.drain(..2);
                spec.flows[0].session = session;
                spec.measure.drain_ns = 3600 * SECOND_NS;
                let simulated = run(&spec);
                let summary = simulated.summary();
                assert_eq!(summary.messages_offered, 60);
                let name = format!("{options:?} {session:?} {probability}");
                assert_eq!(summary.messages_delivered, 60, "{name}");
            }
        }
    }
}

#[test]
fn what_goes_down_with_a_connection_fails_whatever_its_flow() {
    let mut spec = spec();
    set_stack(&mut spec, stack("mqtt/tcp", &[("qos", "0")]));
    spec.flows.truncate(1);
    let mut other = spec.flows[0].clone();
    other.name = "other".into();
    spec.flows.push(other);
    // From 20 s on nothing arrives.
    for direction in both_ways(&mut spec) {
        let from = Instant::from_nanos(20 * SECOND_NS);
        let outage = Outage::new(from, Duration::from_secs(3_600), None);
        direction.outages = OutageSchedule::new(outage);
    }
    spec.measure.drain_ns = 3600 * SECOND_NS;
    let rows = run(&spec).meter().group_results();
    let unfinished: Vec<u64> = rows.iter().map(|row| row.messages_unfinished).collect();
    assert_eq!(unfinished, [0, 0]);
    assert!(rows.iter().all(|row| row.messages_failed > 200));
}
