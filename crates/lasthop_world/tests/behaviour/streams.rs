//! MQTT over several streams of QUIC: each message arrives, and one that is lost keeps no other waiting.

use lasthop_units::Duration;
use lasthop_world::{ArrivalSpec, FlowKind, PayloadSpec, RunSpec, SessionSpec};

use crate::events::ten;
use crate::specs::{assert_accounted, loss, run};
use crate::stacks::stack;

const MODES: [&str; 4] = ["single", "per_topic", "per_qos", "per_publish"];
const LAYERS: &str = "mqtt/quic/udp";

/// Ten devices that speak by these streams, with a message a second for 20 s.
fn brief(mode: &str, qos: &str, kind: FlowKind) -> RunSpec {
    let mut spec = ten(stack(LAYERS, &[("qos", qos), ("streams", mode)]), kind);
    spec.flows[0].duration_ns = 20_000_000_000;
    spec
}

#[test]
fn every_message_arrives_whichever_streams_carry_it_and_whatever_is_lost() {
    for mode in MODES {
        for qos in ["0", "1", "2"] {
            for kind in [FlowKind::Report, FlowKind::RoundTrip, FlowKind::Command] {
                for session in [SessionSpec::Keep, SessionSpec::PerMessage] {
                    // Nothing wakes a device that is away.
                    if (kind, session) == (FlowKind::Command, SessionSpec::PerMessage) {
                        continue;
                    }
                    let mut spec = brief(mode, qos, kind);
                    spec.flows[0].session = session;
                    loss(&mut spec, 0.1);
                    let simulated = run(&spec);
                    assert_accounted(&simulated);
                    let summary = simulated.summary();
                    assert_eq!(
                        summary.messages_delivered, summary.messages_offered,
                        "{mode} {qos} {kind:?} {session:?}: {summary:?}"
                    );
                }
            }
        }
    }
}

/// Several messages are under way at a time, more than there may be streams.
#[test]
fn every_message_arrives_however_few_streams_the_server_allows() {
    for streams in ["1", "2", "3"] {
        let options = [
            ("qos", "1"),
            ("streams", "per_publish"),
            ("quic.streams", streams),
        ];
        let mut spec = ten(stack(LAYERS, &options), FlowKind::Report);
        spec.flows[0].duration_ns = 20_000_000_000;
        spec.flows[0].payload = PayloadSpec::Text { bytes: 30 };
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: 50_000_000,
        };
        loss(&mut spec, 0.02);
        let simulated = run(&spec);
        assert_accounted(&simulated);
        let summary = simulated.summary();
        assert_eq!(summary.messages_delivered, 4000, "{streams}");
        assert_eq!(summary.messages_offered, 4000, "{streams}");
    }
}

/// Two flows of a device, by hand in the spec: each has its topic.
fn two_flows(mode: &str) -> RunSpec {
    let mut spec = brief(mode, "1", FlowKind::Report);
    let mut second = spec.flows[0].clone();
    second.name = "second".into();
    second.payload = PayloadSpec::Text { bytes: 30 };
    spec.flows.push(second);
    spec
}

#[test]
fn a_lost_packet_of_one_topic_keeps_no_other_waiting() {
    let [single, per_topic] = ["single", "per_topic"].map(|mode| {
        let mut spec = two_flows(mode);
        for flow in &mut spec.flows {
            flow.arrivals = ArrivalSpec::Periodic {
                every_ns: 100_000_000,
            };
        }
        loss(&mut spec, 0.05);
        let simulated = run(&spec);
        assert_accounted(&simulated);
        simulated.summary().latency_mean.unwrap()
    });
    assert!(per_topic < single, "{per_topic:?} {single:?}");
}

#[test]
fn a_seed_gives_the_same_bytes_by_any_streams() {
    for mode in MODES {
        let mut spec = brief(mode, "2", FlowKind::RoundTrip);
        loss(&mut spec, 0.1);
        let trace = || run(&spec).summary().trace;
        assert_eq!(trace(), trace(), "{mode}");
    }
}

/// What an arm with QoS 0 does over a path that loses a tenth of its packets.
fn at_most_once(datagrams: &str, bytes: u64) -> lasthop_measure::Summary {
    let options = [("qos", "0"), ("datagrams", datagrams)];
    // A packet that tries a larger size takes the slow line for a quarter of a second.
    let options = [&options[..], &[("quic.mtu_discovery", "off")]].concat();
    let mut spec = ten(stack(LAYERS, &options), FlowKind::Report);
    spec.flows[0].payload = PayloadSpec::Text { bytes };
    loss(&mut spec, 0.1);
    let simulated = run(&spec);
    assert_accounted(&simulated);
    simulated.summary()
}

#[test]
fn a_message_in_a_datagram_comes_at_once_or_never() {
    let [stream, datagram] = ["off", "on"].map(|datagrams| at_most_once(datagrams, 40));
    assert_eq!(stream.messages_delivered, stream.messages_offered);
    let share = datagram.messages_delivered as f64 / datagram.messages_offered as f64;
    // 2,000 messages, of which each arrives with 90 %: 4.5 standard deviations.
    assert!((share - 0.9).abs() < 0.03, "{share}");
    assert_eq!(datagram.retransmissions_application, 0);
    let [of_stream, of_datagram] = [stream, datagram].map(|summary| summary.latency_max.unwrap());
    assert!(of_datagram < Duration::from_millis(500), "{of_datagram:?}");
    assert!(of_stream > of_datagram, "{of_stream:?}");
}

#[test]
fn a_message_that_fits_into_no_datagram_goes_by_a_stream() {
    let large = at_most_once("on", 2000);
    assert_eq!(large.messages_delivered, large.messages_offered);
}

#[test]
fn datagrams_go_both_ways() {
    for kind in [FlowKind::RoundTrip, FlowKind::Command] {
        let options = [("qos", "0"), ("datagrams", "on")];
        let mut spec = ten(stack(LAYERS, &options), kind);
        loss(&mut spec, 0.0);
        let simulated = run(&spec);
        assert_accounted(&simulated);
        let summary = simulated.summary();
        assert_eq!(
            summary.messages_delivered, summary.messages_offered,
            "{kind:?}"
        );
        loss(&mut spec, 0.1);
        let lossy = run(&spec);
        assert_accounted(&lossy);
        assert!(
            lossy.summary().messages_delivered < summary.messages_offered,
            "{kind:?}"
        );
    }
}
