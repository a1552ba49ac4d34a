//! A server that asks devices for their readings.

use lasthop_contract::{Cause, Direction};
use lasthop_measure::{Fate, RunStatus};
use lasthop_world::{
    ArrivalSpec, FlowKind, FlowSpec, NatSpec, PayloadSpec, PopulationSpec, RunSpec, ServerLayout,
    SessionSpec, Simulated,
};

use crate::specs::{add_nat, base, loss, run, set_kind};
use crate::stacks::{coap_con, coap_non, coap_tcp, every_stack, mqtt, raw_udp, set_stack, stack};

const SECOND_NS: u64 = 1_000_000_000;

/// Three devices of one server, each asked every second for a reading of 200 B, over a path that loses nothing.
fn spec() -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    set_kind(&mut spec, FlowKind::Pull);
    spec.groups[0].population = PopulationSpec::Staying { devices: 3 };
    spec.servers[0].layout = ServerLayout::Shared;
    let flow = &mut spec.flows[0];
    flow.payload = PayloadSpec::Text { bytes: 200 };
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: SECOND_NS,
    };
    flow.spread_ns = SECOND_NS;
    flow.duration_ns = 100 * SECOND_NS;
    spec
}

/// Payload bytes offered, away from the devices and to them.
fn payload_bytes(simulated: &Simulated) -> [u64; 2] {
    let rows = simulated.meter().ledger().rows();
    Direction::ALL.map(|direction| {
        let of = rows.iter().filter(|row| row.direction == direction);
        let of = of.filter(|row| row.cause == Cause::Payload && row.fate == Fate::Offered);
        of.map(|row| row.bytes).sum()
    })
}

#[test]
fn every_stack_brings_each_reading_once_and_it_takes_a_round_trip() {
    for stack in every_stack() {
        let mut spec = spec();
        let name = format!("{stack:?}");
        set_stack(&mut spec, stack);
        let pulled = run(&spec);
        assert_eq!(pulled.status(), RunStatus::Completed, "{name}");
        let summary = pulled.summary();
        assert_eq!(
            (summary.messages_offered, summary.messages_delivered),
            (300, 300),
            "{name}"
        );
        assert_eq!(summary.messages_duplicated, 0, "{name}");
        set_kind(&mut spec, FlowKind::Command);
        let told = run(&spec);
        let [there_and_back, there] =
            [&pulled, &told].map(|run| run.summary().latency_mean.unwrap().as_secs_f64());
        assert!(
            there_and_back > 1.6 * there,
            "{name}: {there_and_back} {there}"
        );
        // Questions are small, readings are not.
        let [up, down] = payload_bytes(&pulled);
        assert_eq!(up, 300 * 200, "{name}");
        assert!(down <= 300 * 8, "{name}: {down}");
    }
}

#[test]
fn over_coap_the_question_is_a_get_without_a_body() {
    for stack in [coap_con(1, "post"), coap_non("post"), coap_tcp("post")] {
        let mut spec = spec();
        set_stack(&mut spec, stack);
        assert_eq!(payload_bytes(&run(&spec)), [300 * 200, 0]);
    }
}

#[test]
fn a_reading_that_needs_blocks_is_fetched_in_blocks() {
    for bytes in [1024, 1025, 5000, 60_000] {
        for stack in [
            coap_con(1, "post"),
            coap_con(4, "observe"),
            coap_tcp("post"),
        ] {
            let mut spec = spec();
            set_stack(&mut spec, stack);
            spec.flows[0].payload = PayloadSpec::Text { bytes };
            spec.flows[0].arrivals = ArrivalSpec::Periodic {
                every_ns: 50 * SECOND_NS,
            };
            let pulled = run(&spec);
            assert_eq!(pulled.summary().messages_delivered, 6, "{bytes}");
            assert_eq!(payload_bytes(&pulled)[0], 6 * bytes);
        }
    }
}

#[test]
fn two_questions_at_once_have_two_answers() {
    for stack in every_stack() {
        let mut spec = spec();
        let name = format!("{stack:?}");
        set_stack(&mut spec, stack);
        spec.flows[0].burst = 3;
        spec.flows[0].payload = PayloadSpec::Text { bytes: 1100 };
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: 30 * SECOND_NS,
        };
        let summary = run(&spec).summary().clone();
        assert_eq!(summary.messages_offered, 36, "{name}");
        assert_eq!(summary.messages_delivered, 36, "{name}");
    }
}

#[test]
fn what_makes_up_for_losses_brings_every_reading() {
    for (stack, is_reliable) in [
        (raw_udp(None), false),
        (raw_udp(Some(8)), true),
        (mqtt("1"), true),
        (coap_non("post"), false),
        (
            stack("coap/udp", &[("nstart", "8"), ("max_retransmit", "8")]),
            true,
        ),
        (coap_tcp("post"), true),
    ] {
        let mut spec = spec();
        let name = format!("{stack:?}");
        set_stack(&mut spec, stack);
        loss(&mut spec, 0.1);
        spec.measure.drain_ns = 3600 * SECOND_NS;
        let summary = run(&spec).summary().clone();
        let share = summary.messages_delivered as f64 / summary.messages_offered as f64;
        if is_reliable {
            assert_eq!(summary.messages_delivered, 300, "{name}");
        } else {
            // (1 - 0.1)^2, at four standard errors of 300 messages.
            assert!((share - 0.81).abs() < 0.09, "{name}: {share}");
        }
    }
}

#[test]
fn a_question_that_is_lost_keeps_no_other_back() {
    let mut spec = spec();
    set_stack(&mut spec, coap_non("post"));
    loss(&mut spec, 0.1);
    spec.measure.drain_ns = 200 * SECOND_NS;
    let pulled = run(&spec);
    assert_eq!(pulled.summary().messages_unfinished, 0);
    let longest = pulled.summary().latency_max.unwrap();
    assert!(longest.as_secs_f64() < 1.0, "{longest:?}");
}

#[test]
fn a_question_meets_a_binding_that_has_gone_as_a_command_does() {
    let delivered = |kind, timeout_s: u64| {
        let mut spec = spec();
        set_stack(&mut spec, raw_udp(None));
        set_kind(&mut spec, kind);
        add_nat(
            &mut spec,
            NatSpec {
                udp_timeout_ns: timeout_s * SECOND_NS,
                tcp_timeout_ns: 3600 * SECOND_NS,
                rebind_every_ns: None,
                ports: 64_512,
            },
        );
        spec.flows[0].start_ns = 60 * SECOND_NS;
        run(&spec).summary().messages_delivered
    };
    for kind in [FlowKind::Command, FlowKind::Pull] {
        assert_eq!(delivered(kind, 30), 0);
        assert_eq!(delivered(kind, 3600), 300);
    }
}

#[test]
fn a_share_is_asked_beside_reports_of_all() {
    for stack in every_stack() {
        let mut spec = spec();
        set_stack(&mut spec, stack);
        spec.groups[0].population = PopulationSpec::Staying { devices: 10 };
        let report = FlowSpec {
            name: "report".into(),
            from: "device".into(),
            to: "server".into(),
            kind: FlowKind::Report,
            ..spec.flows[0].clone()
        };
        spec.flows[0].share = 0.2;
        spec.flows.insert(0, report);
        let rows = run(&spec).meter().group_results();
        let delivered = [0, 1].map(|row: usize| rows[row].messages_delivered);
        assert_eq!(delivered, [1000, 200]);
    }
}

#[test]
fn a_device_that_connects_for_its_reports_is_asked_then() {
    let mut spec = spec();
    set_stack(&mut spec, mqtt("1"));
    let report = FlowSpec {
        name: "report".into(),
        from: "device".into(),
        to: "server".into(),
        kind: FlowKind::Report,
        arrivals: ArrivalSpec::Periodic {
            every_ns: 10 * SECOND_NS,
        },
        session: SessionSpec::PerMessage,
        ..spec.flows[0].clone()
    };
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 20 * SECOND_NS,
    };
    spec.flows[0].session = SessionSpec::PerMessage;
    spec.flows[0].start_ns = 5 * SECOND_NS;
    spec.flows.push(report);
    spec.measure.drain_ns = 60 * SECOND_NS;
    let rows = run(&spec).meter().group_results();
    assert_eq!(rows[0].messages_offered, 15);
    assert!(
        rows[0].messages_delivered >= 12,
        "{}",
        rows[0].messages_delivered
    );
    assert!(
        rows[0].latency_mean.unwrap().as_secs_f64() > 1.0,
        "it waits for a report"
    );
}
