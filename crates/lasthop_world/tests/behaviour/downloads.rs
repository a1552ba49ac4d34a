//! Devices that fetch a file from the server.

use lasthop_contract::{Cause, Direction};
use lasthop_measure::{Fate, MessageStatus, RunStatus};
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, DevicesSpec, EventSpec, FlowKind, PayloadSpec,
    PopulationSpec, RestartOfSpec, RunSpec, ServerLayout, Simulated, StackSpec, SurvivesSpec,
};

use crate::specs::{base, both_ways, loss, run, set_kind};
use crate::stacks::{coap_con, coap_non, coap_tcp, mqtt, mqtt_5, raw_tcp, set_stack};

const SECOND_NS: u64 = 1_000_000_000;

/// What carries a file of any size.
fn stacks() -> Vec<StackSpec> {
    vec![
        coap_con(1, "post"),
        coap_con(8, "observe"),
        coap_non("post"),
        coap_tcp("post"),
        mqtt("0"),
        mqtt("1"),
        mqtt("2"),
        mqtt_5("1"),
        raw_tcp(),
    ]
}

/// Two devices of one server, each with one file of so many bytes over a path of 1 Mbit/s that loses nothing.
fn spec(stack: StackSpec, bytes: u64) -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    set_kind(&mut spec, FlowKind::Download);
    set_stack(&mut spec, stack);
    spec.groups[0].population = PopulationSpec::Staying { devices: 2 };
    spec.servers[0].layout = ServerLayout::Shared;
    for direction in both_ways(&mut spec) {
        direction.rate = None;
    }
    let flow = &mut spec.flows[0];
    flow.payload = PayloadSpec::Text { bytes };
    flow.duration_ns = 3600 * SECOND_NS;
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: 3600 * SECOND_NS,
    };
    flow.start_ns = 5 * SECOND_NS;
    spec
}

/// Payload bytes that left the path towards the devices.
fn delivered_payload(simulated: &Simulated) -> u64 {
    let rows = simulated.meter().ledger().rows();
    let down = rows.iter().filter(|row| row.direction == Direction::Down);
    let payload = down.filter(|row| row.cause == Cause::Payload && row.fate == Fate::Delivered);
    payload.map(|row| row.bytes).sum()
}

#[test]
fn a_file_of_any_size_is_whole_with_its_last_byte() {
    for stack in stacks() {
        for bytes in [8, 100, 1024, 4096, 4097, 300_000, 1_000_000] {
            let name = format!("{bytes} B by {stack:?}");
            let fetched = run(&spec(stack.clone(), bytes));
            assert_eq!(fetched.status(), RunStatus::Completed, "{name}");
            let summary = fetched.summary();
            assert_eq!(
                (summary.messages_offered, summary.messages_delivered),
                (2, 2),
                "{name}"
            );
            assert_eq!(summary.messages_duplicated, 0, "{name}");
            let payload = delivered_payload(&fetched);
            // MQTT says in each part which one it is.
            let heads = (2 * 16 * 256).min(2 * 16 * bytes.div_ceil(4096));
            assert!(
                (2 * bytes..=2 * bytes + heads).contains(&payload),
                "{name}: {payload}"
            );
        }
    }
}

#[test]
fn losses_cost_time_and_no_byte() {
    for stack in stacks() {
        let name = format!("{stack:?}");
        let mut spec = spec(stack, 100_000);
        let quick = run(&spec).summary().latency_max.unwrap();
        loss(&mut spec, 0.05);
        let lossy = run(&spec);
        assert_eq!(lossy.summary().messages_delivered, 2, "{name}");
        assert!(lossy.summary().latency_max.unwrap() > quick, "{name}");
        assert!(
            delivered_payload(&lossy) <= 2 * 100_000 + 2 * 16 * 25,
            "{name}"
        );
    }
}

#[test]
fn one_that_begins_within_another_ends_too() {
    for stack in stacks() {
        let name = format!("{stack:?}");
        let mut spec = spec(stack, 100_000);
        spec.flows[0].burst = 2;
        spec.flows[0].duration_ns = 10 * SECOND_NS;
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: SECOND_NS / 2,
        };
        spec.measure.drain_ns = 3600 * SECOND_NS;
        let summary = run(&spec).summary().clone();
        assert_eq!(summary.messages_offered, 80, "{name}");
        assert_eq!(summary.messages_delivered, 80, "{name}");
    }
}

#[test]
fn a_run_that_ends_within_it_says_that_it_is_unfinished() {
    for stack in stacks() {
        let name = format!("{stack:?}");
        let mut spec = spec(stack, 1_000_000);
        set_base_rate(&mut spec);
        spec.flows[0].duration_ns = 20 * SECOND_NS;
        spec.measure.drain_ns = 0;
        let cut = run(&spec);
        assert_eq!(cut.status(), RunStatus::Completed, "{name}");
        let records = cut.meter().log().records();
        let ends: Vec<_> = records.map(|(.., record)| record.status()).collect();
        assert_eq!(ends, [MessageStatus::Unfinished; 2], "{name}");
    }
}

fn set_base_rate(spec: &mut RunSpec) {
    let mut base = base();
    let rate = &both_ways(&mut base)[0].rate;
    for direction in both_ways(spec) {
        direction.rate.clone_from(rate);
    }
}

#[test]
fn a_device_that_restarts_meanwhile_has_no_half_of_a_file() {
    for stack in stacks() {
        let name = format!("{stack:?}");
        let mut spec = spec(stack, 1_000_000);
        set_base_rate(&mut spec);
        spec.events.push(EventSpec {
            at_ns: 20 * SECOND_NS,
            change: ChangeSpec::Restart {
                of: RestartOfSpec::Devices(DevicesSpec {
                    group: "device".into(),
                    share: 0.5,
                }),
                back: BackSpec {
                    duration_ns: 5 * SECOND_NS,
                    spread_ns: 0,
                    survives: SurvivesSpec::Nothing,
                },
            },
            again: None,
        });
        let cut = run(&spec);
        assert_eq!(cut.status(), RunStatus::Completed, "{name}");
        let summary = cut.summary();
        assert_eq!(summary.messages_offered, 2, "{name}");
        assert_eq!(summary.messages_delivered, 1, "{name}");
    }
}

#[test]
fn a_share_of_the_devices_fetches() {
    for stack in stacks() {
        let mut spec = spec(stack, 20_000);
        spec.groups[0].population = PopulationSpec::Staying { devices: 20 };
        spec.flows[0].share = 0.1;
        let summary = run(&spec).summary().clone();
        assert_eq!(
            (summary.messages_offered, summary.messages_delivered),
            (2, 2)
        );
    }
}
