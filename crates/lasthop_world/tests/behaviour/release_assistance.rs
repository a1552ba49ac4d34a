//! Devices tell their radio what follows a packet, whatever they speak.

use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::{NetworkConfig, ReleaseAssistance};
use lasthop_world::{ArrivalSpec, FlowKind, PopulationSpec, RunSpec, StackSpec};

use crate::events::ten;
use crate::specs::{assert_accounted, run, set_network};
use crate::stacks::{coap_con, every_stack, raw_udp, speaks_dds, stack};

const PERIOD_NS: u64 = 60_000_000_000;
const MESSAGES: u64 = 5;

/// A device with a message a minute, in a network that releases what was quiet for 20 s.
fn in_a_network(stack: StackSpec, kind: FlowKind, assistance: ReleaseAssistance) -> RunSpec {
    let mut spec = ten(stack, kind);
    let mut network = NetworkConfig::single_device(120.0);
    network.connection.inactivity_ms = 20_000;
    network.connection.release_assistance = assistance;
    network.idle.power_saving_mode = None;
    // With AfterLastUplink no answer is to come before the release is over.
    if assistance == ReleaseAssistance::AfterLastUplink {
        network.core_delay_ms = 300.0;
    }
    set_network(&mut spec, network);
    spec.groups[0].population = PopulationSpec::Staying { devices: 1 };
    let flow = &mut spec.flows[0];
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: PERIOD_NS,
    };
    flow.spread_ns = PERIOD_NS;
    flow.duration_ns = MESSAGES * PERIOD_NS;
    spec
}

/// For how many milliseconds a device is connected, and how often it connects.
fn connected(stack: &StackSpec, kind: FlowKind, assistance: ReleaseAssistance) -> (u64, u64) {
    let simulated = run(&in_a_network(stack.clone(), kind, assistance));
    assert_accounted(&simulated);
    let summary = simulated.summary();
    let delivered = summary.messages_delivered;
    assert_eq!(delivered, MESSAGES, "{stack:?}, {kind:?}, {assistance:?}");
    let levels = simulated.network().expect("a network").levels();
    let sum = |of: fn(&LevelReport) -> u64| -> u64 { levels.iter().map(of).sum() };
    (sum(|level| level.connected_ms), sum(|level| level.accesses))
}

/// QUIC does not tell what is under way, and participants of DDS announce themselves without end.
fn tells(stack: &StackSpec) -> bool {
    !speaks_dds(stack) && stack.layers.iter().all(|layer| layer.name != "quic")
}

#[test]
fn every_stack_that_can_tell_ends_its_connections_sooner() {
    let mut as_before = Vec::new();
    for kind in [FlowKind::Report, FlowKind::RoundTrip, FlowKind::Command] {
        for stack in every_stack() {
            // A request of HTTP for what the server has to say is under way for as long as the server holds it.
            if kind == FlowKind::Command && stack.application.name == "http" {
                continue;
            }
            let (plain, _) = connected(&stack, kind, ReleaseAssistance::Off);
            let (assisted, times) = connected(&stack, kind, ReleaseAssistance::AfterReply);
            if !tells(&stack) {
                assert_eq!(plain, assisted, "{stack:?}, {kind:?}");
                continue;
            }
            // Nothing leaves behind a command that nobody acknowledges.
            let is_silent = kind == FlowKind::Command && is_one_way(&stack);
            if assisted >= plain * 2 / 3 && !is_silent {
                as_before.push(format!(
                    "{kind:?}: {assisted} ms in {times} connections, without {plain} ms, {stack:?}"
                ));
            }
        }
    }
    assert!(as_before.is_empty(), "{as_before:#?}");
}

/// Whether a server's datagrams are not acknowledged.
fn is_one_way(stack: &StackSpec) -> bool {
    let application = &stack.application;
    let is_non = application
        .options
        .get("type")
        .is_some_and(|it| it == "non");
    application.name == "json_udp" || *stack == raw_udp(None) || is_non
}

/// The answer pages the device that told that none follows.
#[test]
fn who_does_not_wait_for_the_answer_connects_for_it_again() {
    for stack in [coap_con(1, "post"), raw_udp(Some(4))] {
        let of = |assistance| connected(&stack, FlowKind::Report, assistance).1;
        let after_reply = of(ReleaseAssistance::AfterReply);
        let after_last = of(ReleaseAssistance::AfterLastUplink);
        assert_eq!(after_reply, MESSAGES, "{stack:?}");
        assert!(after_last >= 2 * MESSAGES, "{after_last} {stack:?}");
    }
}

/// The last packet of a message is the ACK of its answer.
#[test]
fn a_kept_connection_of_tcp_takes_one_of_the_radio_for_each_message() {
    let mqtt = stack("mqtt/tcp", &[("keep_alive", "0s")]);
    let (plain, _) = connected(&mqtt, FlowKind::Report, ReleaseAssistance::Off);
    let (assisted, times) = connected(&mqtt, FlowKind::Report, ReleaseAssistance::AfterReply);
    // One is for the session.
    assert_eq!(times, MESSAGES + 1);
    assert!(plain > 20_000 * MESSAGES, "{plain} ms");
    assert!(assisted < 3_000 * times, "{assisted} ms");
}
