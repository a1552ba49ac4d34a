//! Faults that are aimed at messages of a protocol.

use lasthop_classify::MessageKind;
use lasthop_contract::{Direction, DropReason};
use lasthop_fault::{AimedFault, FaultKind, Which};
use lasthop_measure::Fate;
use lasthop_nbiot::config::NetworkConfig;
use lasthop_world::{FaultSpec, FlowKind, NatSpec, RunSpec, Simulated, StackSpec};

use crate::events::ten;
use crate::specs::{add_nat, assert_accounted, every_kind, run, set_network};
use crate::stacks::{coap_con, coap_non, coap_tcp, every_stack, mqtt_5, set_stack, stack};

const MESSAGES: u64 = 2000;

fn fault(kind: FaultKind, message: MessageKind, which: Which) -> FaultSpec {
    let fault = AimedFault {
        kind,
        message,
        direction: None,
        which,
    };
    FaultSpec { of: None, fault }
}

fn with(mut spec: RunSpec, faults: Vec<FaultSpec>) -> Simulated {
    spec.faults = faults;
    let simulated = run(&spec);
    assert_accounted(&simulated);
    simulated
}

/// A client that notices within half a minute that its connection is dead.
fn attentive(qos: &str) -> StackSpec {
    let mut stack = stack("mqtt/tcp", &[("qos", qos)]);
    stack
        .application
        .options
        .insert("keep_alive".into(), 20.into());
    stack
}

fn lost_packets(simulated: &Simulated) -> u64 {
    let rows = simulated.meter().ledger().packet_rows();
    let lost = rows
        .iter()
        .filter(|row| row.fate == Fate::Dropped(DropReason::Fault));
    lost.map(|row| row.packets).sum()
}

#[test]
fn a_connection_that_is_cut_before_an_acknowledgement_delivers_twice_at_qos_1_and_once_at_qos_2() {
    let cut = |message| vec![fault(FaultKind::CutBefore, message, Which::Nth(1))];
    let once = with(
        ten(attentive("1"), FlowKind::Report),
        cut(MessageKind::MqttPuback),
    );
    let summary = once.summary();
    assert_eq!(summary.messages_delivered, MESSAGES);
    // The first of each of ten devices: said, not acknowledged, said again over another connection.
    assert_eq!(summary.messages_duplicated, 10);

    for message in [
        MessageKind::MqttPubrec,
        MessageKind::MqttPubrel,
        MessageKind::MqttPubcomp,
    ] {
        let twice = with(ten(attentive("2"), FlowKind::Report), cut(message));
        let summary = twice.summary();
        assert_eq!(summary.messages_delivered, MESSAGES, "{}", message.name());
        assert_eq!(summary.messages_duplicated, 0, "{}", message.name());
        assert!(lost_packets(&twice) >= 10);
    }
}

#[test]
fn an_acknowledgement_that_is_lost_costs_coap_a_retransmission_and_no_message() {
    let spec = ten(coap_con(1, "post"), FlowKind::Report);
    let third = fault(FaultKind::Drop, MessageKind::CoapAck, Which::Nth(3));
    let lossy = with(spec, vec![third]);
    assert_eq!(lost_packets(&lossy), 10);
    let summary = lossy.summary();
    assert_eq!(summary.retransmissions_application, 10);
    assert_eq!(
        (summary.messages_delivered, summary.messages_duplicated),
        (MESSAGES, 0)
    );
}

#[test]
fn a_share_is_drawn_for_each_message() {
    let share = Which::Share(0.25);
    let spec = ten(coap_non("post"), FlowKind::Report);
    let lossy = with(
        spec,
        vec![fault(FaultKind::Drop, MessageKind::CoapNon, share)],
    );
    // Binomial: 2000 requests, 500 lost within five standard deviations of 19.4.
    let lost = MESSAGES - lossy.summary().messages_delivered;
    assert!((403..=597).contains(&lost), "{lost}");
}

#[test]
fn tcp_says_again_what_was_lost_and_is_let_through() {
    let spec = ten(mqtt_5("0"), FlowKind::Report);
    let all = fault(FaultKind::Drop, MessageKind::MqttPublish, Which::All);
    let lossy = with(spec, vec![all]);
    assert_eq!(lossy.summary().messages_delivered, MESSAGES);
    assert!(lossy.summary().retransmissions_transport > 0);
}

#[test]
fn a_fault_of_one_direction_or_group_leaves_others_alone() {
    let spec = || ten(coap_con(1, "post"), FlowKind::Report);
    let mut down = fault(FaultKind::Drop, MessageKind::CoapCon, Which::All);
    down.fault.direction = Some(Direction::Down);
    assert_eq!(lost_packets(&with(spec(), vec![down])), 0);

    let mut both = spec();
    let mut group = both.groups[0].clone();
    group.name = "sensor".into();
    let mut flow = both.flows[0].clone();
    flow.from = "sensor".into();
    both.groups.push(group);
    both.flows.push(flow);
    let mut all = fault(FaultKind::Drop, MessageKind::CoapCon, Which::All);
    all.of = Some("sensor".into());
    let simulated = with(both, vec![all]);
    let rows = simulated.meter().group_results();
    assert_eq!(
        [0, 1].map(|row: usize| rows[row].messages_delivered),
        [MESSAGES, 0]
    );
}

#[test]
fn what_meets_no_message_changes_none() {
    let spec = || ten(coap_tcp("post"), FlowKind::RoundTrip);
    let none = fault(FaultKind::CutBefore, MessageKind::MqttPubrec, Which::Nth(1));
    let [with_fault, without] = [with(spec(), vec![none]), run(&spec())];
    let latencies = |it: &Simulated| {
        let records = it.meter().log().records();
        records
            .map(|(.., record)| record.delivered)
            .collect::<Vec<_>>()
    };
    assert_eq!(latencies(&with_fault), latencies(&without));
    assert_eq!(lost_packets(&with_fault), 0);
}

#[test]
fn packets_and_messages_add_up_with_every_stack_and_a_seed_gives_the_same() {
    for kind in every_kind() {
        for stack in every_stack() {
            let mut spec = ten(stack, kind);
            spec.flows[0].duration_ns /= 10;
            spec.faults = vec![
                fault(
                    FaultKind::CutBefore,
                    MessageKind::MqttPublish,
                    Which::Nth(3),
                ),
                fault(
                    FaultKind::CutBefore,
                    MessageKind::CoapRequest,
                    Which::Nth(5),
                ),
                fault(
                    FaultKind::Drop,
                    MessageKind::CoapResponse,
                    Which::Share(0.2),
                ),
            ];
            let [one, other] = [run(&spec), run(&spec)];
            assert_accounted(&one);
            assert_eq!(one.summary().trace, other.summary().trace);
        }
    }
}

#[test]
fn faults_stand_behind_translators_and_radios() {
    let mut spec = ten(attentive("2"), FlowKind::Report);
    set_network(&mut spec, NetworkConfig::single_device(144.0));
    let nat = NatSpec {
        udp_timeout_ns: 30_000_000_000,
        tcp_timeout_ns: 3_600_000_000_000,
        rebind_every_ns: None,
        ports: 1000,
    };
    add_nat(&mut spec, nat);
    set_stack(&mut spec, attentive("2"));
    let cut = fault(FaultKind::CutBefore, MessageKind::MqttPubrec, Which::Nth(2));
    let simulated = with(spec, vec![cut]);
    assert!(lost_packets(&simulated) >= 10);
    assert_eq!(simulated.summary().messages_duplicated, 0);
}
