//! Runs whose path is an NB-IoT network: devices that stay, and devices that come with one report and go.

use crate::specs::{base, hops_of, run, set_kind, set_network};
use crate::stacks::{every_stack, set_stack};
use lasthop_measure::{Fate, RunStatus};
use lasthop_nbiot::config::{NetworkConfig, Placement};
use lasthop_world::{
    ArrivalSpec, ArrivingSpec, FlowKind, MediumSpec, MessageDetail, MessageName, Observe,
    PayloadSpec, PopulationSpec, RunError, RunSpec, ServerLayout, SessionSpec, Simulated,
    StackSpec,
};

const SECOND_NS: u64 = 1_000_000_000;

/// A report of 25 B a minute for half an hour, from a device behind this coupling loss.
fn one_meter(coupling_loss_db: f64) -> RunSpec {
    let mut spec = base();
    set_network(&mut spec, NetworkConfig::single_device(coupling_loss_db));
    spec.flows[0].payload = PayloadSpec::Text { bytes: 25 };
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 60 * SECOND_NS,
    };
    spec.flows[0].duration_ns = 1800 * SECOND_NS;
    spec
}

/// Three cells into each of which devices come with 25 B, for five minutes.
pub(crate) fn city(stack: StackSpec, per_second_per_cell: f64) -> RunSpec {
    let mut spec = base();
    let mut network = NetworkConfig::larmo_2019();
    if let Placement::Deployment(deployment) = &mut network.placement {
        deployment.cells = 3;
    }
    set_network(&mut spec, network);
    spec.groups[0].population = PopulationSpec::Arriving(ArrivingSpec {
        per_second_per_cell,
        until_ns: 300 * SECOND_NS,
        linger_ns: SECOND_NS,
        give_up_ns: 60 * SECOND_NS,
    });
    spec.servers[0].layout = ServerLayout::PerDevice;
    set_stack(&mut spec, stack);
    spec.flows[0].payload = PayloadSpec::Text { bytes: 25 };
    spec.flows[0].arrivals = ArrivalSpec::Once;
    spec.flows[0].duration_ns = 300 * SECOND_NS;
    spec.flows[0].session = SessionSpec::PerMessage;
    spec.measure.messages = MessageDetail::Summed;
    spec.measure.warm_up_ns = 30 * SECOND_NS;
    spec
}

/// Every stack as a device speaks it that has one thing to say.
fn stacks_of_one_report() -> Vec<StackSpec> {
    let mut stacks = every_stack();
    for stack in &mut stacks {
        if stack.application.name == "raw_tcp" {
            *stack = crate::stacks::stack("raw_tcp/tcp", &[("tcp.profile", "larmo_2019")]);
        }
    }
    stacks
}

pub(crate) fn raw_udp() -> StackSpec {
    crate::stacks::raw_udp(None)
}

#[test]
fn a_meter_that_stays_reports_at_every_coverage_level() {
    let mut before = 0.0;
    for coupling_loss_db in [130.0, 149.0, 158.0] {
        let simulated = run(&one_meter(coupling_loss_db));
        assert_eq!(simulated.status(), RunStatus::Completed);
        let summary = simulated.summary();
        assert_eq!(summary.messages_offered, 30);
        assert!(summary.messages_delivered >= 28, "at {coupling_loss_db} dB");
        let network = summary.network.unwrap();
        assert_eq!(network.lowest_path_gain_served_db, Some(-coupling_loss_db));
        let throughput = network.device_throughput_bit_s.unwrap();
        assert!(
            before == 0.0 || throughput < before,
            "{coupling_loss_db} dB"
        );
        before = throughput;
    }
}

#[test]
fn two_meters_share_a_server_and_each_gets_its_answers() {
    let mut spec = one_meter(130.0);
    spec.groups[0].population = PopulationSpec::Staying { devices: 2 };
    set_kind(&mut spec, FlowKind::RoundTrip);
    let simulated = run(&spec);
    assert_eq!(simulated.summary().messages_offered, 60);
    assert!(simulated.summary().messages_delivered >= 58);
    let records = simulated.meter().log().records();
    let both: Vec<u32> = records.map(|(flow, ..)| flow.0).collect();
    assert_eq!(both.iter().filter(|flow| **flow == 1).count(), 30);
}

#[test]
fn every_stack_crosses_the_network_and_every_packet_is_accounted_for() {
    for stack in stacks_of_one_report() {
        let simulated = run(&city(stack.clone(), 0.3));
        assert_eq!(simulated.status(), RunStatus::Completed, "{stack:?}");
        let summary = simulated.summary();
        // Poisson of mean 243: the bounds are five standard deviations.
        assert!(summary.messages_offered.abs_diff(243) < 78, "{stack:?}");
        let delivered = summary.delivery_ratio().unwrap();
        assert!(delivered > 0.95, "{delivered} of {stack:?}");
        assert!(summary.uncarried_share.unwrap() < 0.05, "{stack:?}");
        let rows = simulated.meter().ledger().packet_rows();
        let left = rows.iter().filter(|row| row.fate == Fate::InFlight);
        assert_eq!(left.count(), 0, "{stack:?}");
        let network = simulated.network().unwrap();
        assert_eq!(network.packets_queued, 0, "{stack:?}");
        let offered: u64 = summary.offered.iter().map(|(packets, _)| packets).sum();
        assert_eq!(network.packets_offered, offered, "{stack:?}");
    }
}

#[test]
fn a_city_is_a_function_of_its_spec() {
    assert_a_function_of_its_spec(&city(raw_udp(), 1.0));
}

#[test]
#[ignore = "soak: more than a minute of a processor"]
fn a_city_is_a_function_of_its_spec_whatever_its_stack() {
    for stack in stacks_of_one_report() {
        assert_a_function_of_its_spec(&city(stack, 1.0));
    }
}

fn assert_a_function_of_its_spec(spec: &RunSpec) {
    let [one, other] = [run(spec), run(spec)].map(|run| run.tables("id"));
    assert_eq!(one.summary, other.summary);
    assert_eq!(one.latency, other.latency);
    assert_eq!(one.ledger, other.ledger);
}

#[test]
fn following_a_message_through_a_city_changes_nothing() {
    let mut spec = city(raw_udp(), 0.5);
    spec.measure.messages = MessageDetail::Each;
    let observe = Observe {
        message: Some(MessageName {
            device: 3,
            flow: None,
            number: core::num::NonZeroU32::MIN,
        }),
        ..Observe::default()
    };
    let watched = Simulated::run(&spec, observe, &Default::default()).unwrap();
    let alone = run(&spec);
    let [one, other] = [&watched, &alone].map(|run| run.tables("id"));
    assert_eq!(one.summary, other.summary);
    assert_eq!(one.messages, other.messages);
    assert!(watched.meter().timeline().unwrap().entries().len() > 2);
}

#[test]
fn a_load_far_above_capacity_is_an_overload_and_stays_bounded() {
    let mut spec = city(crate::stacks::raw_tcp(), 16.0);
    spec.flows[0].payload = PayloadSpec::Text { bytes: 400 };
    spec.flows[0].duration_ns = 120 * SECOND_NS;
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Completed);
    let summary = simulated.summary();
    let uncarried = summary.uncarried_share.unwrap();
    assert!(uncarried > 0.3, "{uncarried}");
    let network = summary.network.as_ref().unwrap();
    assert!(network.availability_20s.unwrap() < 0.7);
    assert!(
        summary
            .failures
            .iter()
            .any(|(reason, _)| *reason == "gave_up")
    );
    for occupancy in [
        "occupancy_npdcch_ratio",
        "occupancy_npdsch_ratio",
        "occupancy_npusch_ratio",
        "occupancy_nprach_ratio",
    ] {
        let share = summary.of_medium(occupancy).unwrap();
        assert!((0.0..=1.0).contains(&share), "{occupancy} {share}");
    }
}

#[test]
fn nobody_and_nobody_within_reach_are_results() {
    let nobody = run(&city(raw_udp(), 0.0));
    assert_eq!(nobody.status(), RunStatus::Completed);
    let summary = nobody.summary();
    assert_eq!(summary.messages_offered, 0);
    assert_eq!(summary.network.unwrap().availability_20s, None);

    let mut far = city(raw_udp(), 1.0);
    if let MediumSpec::Nbiot(network) = &mut hops_of(&mut far)[0].medium
        && let Placement::Deployment(deployment) = &mut network.placement
    {
        deployment.path_loss.at_1_km_db = 300.0;
    }
    let far = run(&far);
    assert_eq!(far.status(), RunStatus::Completed);
    let summary = far.summary();
    assert_eq!(summary.messages_delivered, 0);
    assert!(summary.messages_failed > 500);
    assert!(summary.uncarried_share.unwrap() < 0.1, "it is no overload");
    assert_eq!(summary.network.unwrap().lowest_path_gain_served_db, None);
}

#[test]
fn what_is_no_city_is_refused_where_it_stands() {
    let fixed = PopulationSpec::Staying { devices: 3 };
    type Change = fn(&mut RunSpec);
    let cases: [(Change, &str); 8] = [
        (|s| s.servers[0].layout = ServerLayout::Shared, "server"),
        (|s| set_kind(s, FlowKind::Command), "traffic.kind"),
        (|s| s.flows[0].burst = 2, "traffic.arrivals"),
        (|s| s.flows[0].start_ns = 1, "traffic.start_ns"),
        (
            |s| s.flows[0].arrivals = ArrivalSpec::Periodic { every_ns: 1 },
            "traffic.",
        ),
        (|s| s.paths = base().paths, "population.arriving"),
        (
            |s| {
                if let PopulationSpec::Arriving(arriving) = &mut s.groups[0].population {
                    arriving.until_ns = 10_000_000 * SECOND_NS;
                }
            },
            "population.arriving.per_second_per_cell",
        ),
        (
            |s| {
                if let MediumSpec::Nbiot(network) = &mut hops_of(s)[0].medium {
                    network.levels[0].nprach.repetitions = 3;
                }
            },
            "path.nbiot.levels[0].nprach.repetitions",
        ),
    ];
    for (change, field) in cases {
        let mut spec = city(raw_udp(), 1.0);
        change(&mut spec);
        assert_refused(&spec, field);
    }
    let mut spec = city(raw_udp(), 1.0);
    spec.groups[0].population = fixed;
    assert_refused(&spec, "traffic.arrivals");
}

fn assert_refused(spec: &RunSpec, field: &str) {
    let json = serde_json::to_string(spec).unwrap();
    let error = RunError::from(RunSpec::parse(&json).unwrap_err()).to_string();
    assert!(error.starts_with(field), "{error}");
}
