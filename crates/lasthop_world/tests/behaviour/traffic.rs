//! Who sends what and when.

use crate::specs::{add_nat, base, every_combination, loss, run, set_kind};
use crate::stacks::{json_udp, over_ip, set_stack, stack_of};
use lasthop_world::{ArrivalSpec, FlowKind, NatSpec, PayloadSpec, PopulationSpec};

#[test]
fn every_kind_of_traffic_arrives_over_every_stack_and_ip_version() {
    for mut spec in every_combination() {
        loss(&mut spec, 0.0);
        for version in [4, 6] {
            let stack = over_ip(stack_of(&spec), version);
            set_stack(&mut spec, stack);
            let summary = run(&spec).summary();
            assert_eq!(summary.messages_offered, 240, "{spec:?}");
            assert_eq!(summary.messages_delivered, 240, "{spec:?}");
        }
    }
}

#[test]
fn json_fields_arrive_as_they_are() {
    let mut spec = base();
    set_stack(&mut spec, json_udp());
    loss(&mut spec, 0.0);
    set_kind(&mut spec, FlowKind::RoundTrip);
    spec.flows[0].payload = PayloadSpec::Json {
        fields: r#"{"heart_rate":72,"spo2":98}"#.into(),
        bytes: Some(409),
    };
    let summary = run(&spec).summary();
    assert_eq!(summary.messages_delivered, 2400);
    assert_eq!(summary.payload_bytes_first_sent, 2 * 2400 * 409);
}

#[test]
fn devices_start_apart_and_each_draws_for_itself() {
    let mut spec = base();
    spec.groups[0].population = PopulationSpec::Staying { devices: 40 };
    spec.flows[0].duration_ns = 60_000_000_000;
    spec.flows[0].spread_ns = 1_800_000_000_000;
    let simulated = run(&spec);
    let records = simulated.meter().log().records();
    let firsts: Vec<u64> = records
        .filter(|(_, number, _)| *number == 1)
        .map(|(.., record)| record.intended.as_nanos())
        .collect();
    assert_eq!(firsts.len(), 40);
    let mean = firsts.iter().sum::<u64>() as f64 / 40.0;
    // The mean of 40 uniform starts over 1,800 s has a standard error of 82 s.
    assert!((mean / 1e9 - 900.0).abs() < 4.0 * 82.0, "{mean}");
}

#[test]
fn poisson_arrivals_have_their_rate() {
    let mut spec = base();
    spec.flows[0].arrivals = ArrivalSpec::Poisson {
        mean_ns: 250_000_000,
    };
    let offered = run(&spec).summary().messages_offered as f64;
    assert!(
        (offered - 2400.0).abs() < 4.0 * 2400_f64.sqrt(),
        "{offered}"
    );
}

#[test]
fn a_burst_is_due_at_once_and_waits_on_the_line() {
    let mut spec = base();
    loss(&mut spec, 0.0);
    spec.flows[0].burst = 5;
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 10_000_000_000,
    };
    let summary = run(&spec).summary();
    assert_eq!(summary.messages_offered, 300);
    // The fifth of a burst leaves the line after 5 times 69.92 ms.
    assert_eq!(summary.latency_max.unwrap().as_nanos(), 449_600_000);
}

#[test]
fn the_warm_up_is_simulated_but_not_measured() {
    let mut spec = base();
    spec.measure.warm_up_ns = 100_000_000_000;
    let simulated = run(&spec);
    assert_eq!(simulated.summary().messages_offered, 2000);
    assert_eq!(simulated.meter().log().len(), 2400);
}

#[test]
fn a_command_after_the_mapping_has_expired_finds_no_device() {
    let mut spec = base();
    loss(&mut spec, 0.0);
    set_kind(&mut spec, FlowKind::Command);
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 10_000_000_000,
    };
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: 95_000_000_000,
            tcp_timeout_ns: 7_440_000_000_000,
            rebind_every_ns: None,
            ports: 64_512,
        },
    );
    let simulated = run(&spec);
    let summary = simulated.summary();
    // Only packets from inside keep the mapping, and only the greeting came from there.
    assert_eq!(summary.messages_delivered, 10);
    assert_eq!(summary.messages_failed, 50);
    let records = simulated.meter().log().records();
    let last = records.last().unwrap().2.status();
    assert_eq!(
        last,
        lasthop_measure::MessageStatus::Failed("nat_no_mapping")
    );
}

#[test]
fn a_rebinding_is_followed_by_a_server_that_hears_from_its_device() {
    let mut spec = base();
    loss(&mut spec, 0.0);
    set_kind(&mut spec, FlowKind::RoundTrip);
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: 120_000_000_000,
            tcp_timeout_ns: 7_440_000_000_000,
            rebind_every_ns: Some(60_000_000_000),
            ports: 64_512,
        },
    );
    let summary = run(&spec).summary();
    // At most the messages that are on their way down at each of the nine rebindings are lost.
    assert!(
        summary.messages_failed <= 9 * 2,
        "{}",
        summary.messages_failed
    );
    assert!(summary.messages_delivered >= 2400 - 18);
}
