//! Sessions as traffic: how often they are set up, how long that takes, and what a server holds of those that are gone.

use std::collections::BTreeMap;

use lasthop_contract::{Cause, Established, Layer};
use lasthop_measure::{Fate, RunStatus, SessionSums, Summary};
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, EventSpec, FlowKind, NotifySpec, RestartOfSpec, RunSpec,
    SessionSpec, Simulated, SurvivesSpec,
};

use crate::events::{BACK, SECOND_NS, at, power_cut, share, ten};
use crate::specs::{assert_accounted, run};
use crate::stacks::stack;

const LAYERS: [&str; 3] = ["mqtt/tcp", "mqtt/tls/tcp", "mqtt/ws/tcp"];

/// Ten devices with a message a second for 200 s, which notice within 20 s that their connection is dead.
fn watchful(layers: &str, kind: FlowKind) -> RunSpec {
    let options = [("qos", "1"), ("keep_alive", "10s")];
    let watchful = [&options[..], &[("ping_after", "any_silence")]].concat();
    ten(stack(layers, &watchful), kind)
}

fn run_with(mut spec: RunSpec, events: Vec<EventSpec>) -> Simulated {
    spec.events = events;
    run(&spec)
}

fn sessions(simulated: &Simulated) -> SessionSums {
    assert_accounted(simulated);
    simulated.summary().sessions.expect("clients tell of them")
}

fn all_arrived(summary: &Summary) {
    assert_eq!(summary.messages_delivered, summary.messages_offered);
}

#[test]
fn a_session_for_each_message_a_few_of_them_or_for_a_time() {
    for layers in LAYERS {
        for (session, expected) in [
            (SessionSpec::Keep, 10..=10),
            // Over the slow line, one that is set up for a second may serve two messages.
            (SessionSpec::PerMessage, 990..=2000),
            (SessionSpec::Per(10), 200..=200),
            // For 200 s and the drain of 120 s; another begins when the one before has closed.
            (SessionSpec::ForNs(50 * SECOND_NS), 60..=70),
        ] {
            let mut spec = ten(stack(layers, &[("qos", "1")]), FlowKind::Report);
            spec.flows[0].session = session;
            let simulated = run(&spec);
            let found = sessions(&simulated);
            assert!(
                expected.contains(&found.set_up()),
                "{layers} {session:?}: {found:?}"
            );
            assert_eq!(found.begun(), found.set_up());
            all_arrived(&simulated.summary());
        }
    }
}

/// By hand: a round trip for SYN, one for CONNECT, one for TLS 1.3 (RFC 8446 section 2), one for the upgrade (RFC 6455
/// section 1.3); a serial line makes each a little longer.
#[test]
fn a_set_up_takes_the_round_trips_of_its_layers() {
    for (layers, round_trips) in [
        ("mqtt/tcp", 2.0),
        ("mqtt/tls/tcp", 3.0),
        ("mqtt/ws/tcp", 3.0),
    ] {
        let found = sessions(&run(&ten(stack(layers, &[("qos", "1")]), FlowKind::Report)));
        let took = found.took(95).expect("all came about").as_secs_f64() / 0.2;
        assert!(
            (round_trips..round_trips + 1.7).contains(&took),
            "{layers}: {took}"
        );
    }
}

/// By hand: PUBLISH behind CONNECT saves the round trip of CONNACK, over every transport, and no byte goes twice.
#[test]
fn connect_pipelining_saves_a_round_trip_for_a_message_with_its_connection() {
    for layers in ["mqtt/tcp", "mqtt/tls/tcp", "mqtt/ws/tcp", "mqtt/quic/udp"] {
        for qos in ["0", "1", "2"] {
            let took = |pipelining| {
                let options = [("qos", qos), ("connect_pipelining", pipelining)];
                let mut spec = ten(stack(layers, &options), FlowKind::Report);
                spec.flows[0].session = SessionSpec::PerMessage;
                spec.flows[0].arrivals = ArrivalSpec::Periodic {
                    every_ns: 10 * SECOND_NS,
                };
                let simulated = run(&spec);
                assert_accounted(&simulated);
                let summary = simulated.summary();
                all_arrived(&summary);
                assert_eq!(sessions(&simulated).set_up(), 200, "{layers}");
                summary.latency_mean.expect("all arrived").as_secs_f64()
            };
            let saved = (took("off") - took("on")) / 0.2;
            assert!((0.7..1.3).contains(&saved), "{layers} qos={qos}: {saved}");
        }
    }
}

#[test]
fn tickets_resume_all_sessions_but_the_first() {
    for (options, how) in [
        (&[("tls.resume", "none")][..], Established::Full),
        (&[("tls.resume", "ticket")], Established::Resumed),
        (
            &[("tls.resume", "ticket"), ("tls.early_data", "on")],
            Established::Early,
        ),
    ] {
        let mut spec = ten(stack("mqtt/tls/tcp", options), FlowKind::Report);
        spec.flows[0].session = SessionSpec::Per(50);
        let found = sessions(&run(&spec));
        let resumed = if how == Established::Full { 0 } else { 30 };
        let early = if how == Established::Early { 30 } else { 0 };
        assert_eq!(
            (found.set_up(), found.resumed(), found.early()),
            (40, resumed, early)
        );
    }
}

#[test]
fn session_identifiers_of_dtls_resume_all_sessions_but_the_first() {
    for (options, resumed) in [
        (&[][..], 0),
        (&[("dtls.resume", "session_id")], 30),
        (
            &[
                ("dtls.resume", "session_id"),
                ("dtls.auth", "certificate"),
                ("dtls.client_certificate", "on"),
                ("dtls.cid", "8B"),
            ],
            30,
        ),
        // A server that remembers nobody.
        (&[("dtls.resume", "session_id"), ("dtls.sessions", "0")], 0),
        // Sessions that are too old before the next one begins.
        (
            &[
                ("dtls.resume", "session_id"),
                ("dtls.session_lifetime", "10s"),
            ],
            0,
        ),
    ] {
        for layers in ["coap/dtls/udp", "raw_udp/dtls/udp"] {
            let mut spec = ten(stack(layers, options), FlowKind::Report);
            spec.flows[0].session = SessionSpec::Per(50);
            let simulated = run(&spec);
            let found = sessions(&simulated);
            assert_eq!((found.set_up(), found.resumed()), (40, resumed));
            all_arrived(&simulated.summary());
        }
    }
}

#[test]
fn a_session_of_dtls_for_each_message_a_few_of_them_or_for_a_time() {
    for (layers, options) in [
        ("coap/dtls/udp", &[][..]),
        ("coap/dtls/udp", &[("type", "non")]),
        ("raw_udp/dtls/udp", &[]),
        ("raw_udp/dtls/udp", &[("ack", "on")]),
        ("json_udp/dtls/udp", &[]),
    ] {
        for (session, expected) in [
            // Over the slow line, one that is set up for a second may serve two messages.
            (SessionSpec::PerMessage, 990..=2000),
            (SessionSpec::Per(10), 190..=200),
            // For 200 s and the drain of 120 s.
            (SessionSpec::ForNs(50 * SECOND_NS), 60..=70),
        ] {
            let mut spec = ten(stack(layers, options), FlowKind::Report);
            spec.flows[0].session = session;
            let simulated = run(&spec);
            let found = sessions(&simulated);
            assert!(
                expected.contains(&found.set_up()),
                "{layers} {session:?}: {found:?}"
            );
            assert_eq!(found.begun(), found.set_up());
            all_arrived(&simulated.summary());
        }
    }
}

/// After a restart of the server all come at once, or one after the other where they back off further.
#[test]
fn a_storm_is_spread_by_the_back_off() {
    let restart = || ChangeSpec::Restart {
        of: RestartOfSpec::Server("server".into()),
        back: BackSpec {
            duration_ns: SECOND_NS,
            spread_ns: 0,
            survives: SurvivesSpec::Sessions,
        },
    };
    for layers in LAYERS {
        let longest = ["1s", "40s"].map(|back_off| {
            let options = [("qos", "1"), ("back_off", back_off)];
            let spec = ten(stack(layers, &options), FlowKind::Report);
            let simulated = run_with(spec, vec![at(100, restart())]);
            let found = sessions(&simulated);
            assert_eq!(found.set_up(), 20, "{layers}");
            all_arrived(&simulated.summary());
            simulated.summary().latency_max
        });
        assert!(longest[0] < longest[1], "{layers}: {longest:?}");
    }
}

/// A server that hears nothing holds a connection for 1.5 times the keep alive (MQTT-3.1.2-22).
#[test]
fn devices_without_power_leave_half_open_connections_behind() {
    for layers in LAYERS {
        let away = BackSpec {
            duration_ns: 60 * SECOND_NS,
            ..BACK
        };
        let cut = |of| ChangeSpec::PowerCut {
            of: share(of),
            back: away,
        };
        for (of, devices) in [(0.1, 1), (0.5, 5), (1.0, 10)] {
            let found = sessions(&run_with(
                watchful(layers, FlowKind::Report),
                vec![at(100, cut(of))],
            ));
            assert_eq!(found.half_open_peak(), devices, "{layers}");
            // The last message may be a second old, and was under way for some of it.
            let each = found.half_open_seconds() / devices as f64;
            assert!((13.9..=15.2).contains(&each), "{layers}: {each} s");
            assert_eq!(found.set_up(), 10 + devices);
        }
        let brief = run_with(watchful(layers, FlowKind::Report), vec![]);
        assert_eq!(sessions(&brief).half_open_peak(), 0);
    }
}

/// Nothing tells the ends of a TCP connection: a ping that is not answered does, and QoS 1 goes once more.
#[test]
fn who_has_another_address_comes_back_when_a_ping_is_not_answered() {
    for layers in LAYERS {
        for (of, devices) in [(0.1, 1), (0.5, 5), (1.0, 10)] {
            let change = ChangeSpec::NewAddress {
                of: share(of),
                notify: NotifySpec::None,
            };
            let simulated = run_with(watchful(layers, FlowKind::Report), vec![at(100, change)]);
            assert_eq!(sessions(&simulated).set_up(), 10 + devices, "{layers}");
            all_arrived(&simulated.summary());
            let longest = simulated.summary().latency_max.expect("some arrived");
            assert!(
                (10.0..25.0).contains(&longest.as_secs_f64()),
                "{layers}: {longest}"
            );
        }
    }
}

#[test]
fn a_dead_period_ends_sessions_when_it_is_longer_than_two_keep_alives() {
    for layers in LAYERS {
        for (duration, sessions_at_all) in [(5, 10), (40, 20)] {
            let outage = ChangeSpec::Outage {
                of: lasthop_world::OutageOfSpec::Path("path".into()),
                duration_ns: duration * SECOND_NS,
            };
            let simulated = run_with(watchful(layers, FlowKind::Report), vec![at(100, outage)]);
            assert_eq!(sessions(&simulated).set_up(), sessions_at_all, "{layers}");
            all_arrived(&simulated.summary());
        }
    }
}

/// What the server has for a device that sleeps waits in its session.
#[test]
fn a_sleeping_device_that_keeps_its_session_gets_what_came_meanwhile() {
    for layers in LAYERS {
        let sleep = ChangeSpec::Restart {
            of: RestartOfSpec::Devices(share(1.0)),
            back: BackSpec {
                duration_ns: 60 * SECOND_NS,
                spread_ns: 0,
                survives: SurvivesSpec::Sessions,
            },
        };
        let simulated = run_with(watchful(layers, FlowKind::Command), vec![at(100, sleep)]);
        assert_eq!(sessions(&simulated).set_up(), 20, "{layers}");
        all_arrived(&simulated.summary());
        let longest = simulated.summary().latency_max.expect("some arrived");
        assert!(
            (58.0..65.0).contains(&longest.as_secs_f64()),
            "{layers}: {longest}"
        );
    }
}

#[test]
fn what_is_no_session_has_no_sums() {
    let simulated = run(&ten(crate::stacks::raw_udp(None), FlowKind::Report));
    assert!(simulated.summary().sessions.is_none());
    let cut = run_with(
        watchful("mqtt/tcp", FlowKind::Report),
        vec![at(100, power_cut(1.0))],
    );
    assert_eq!(sessions(&cut).begun(), 20);
}

/// Bytes offered, by what they were there for.
fn offered(simulated: &Simulated) -> BTreeMap<(Layer, Cause), u64> {
    let mut sums = BTreeMap::new();
    let rows = simulated.meter().ledger().rows();
    for row in rows.into_iter().filter(|it| it.fate == Fate::Offered) {
        *sums.entry((row.layer, row.cause)).or_default() += row.bytes;
    }
    sums
}

#[test]
fn what_is_established_beforehand_shows_its_records_alone() {
    const OF_SET_UP: [Cause; 6] = [
        Cause::SessionSetUp,
        Cause::SessionResumption,
        Cause::SessionResumptionEarly,
        Cause::Certificates,
        Cause::PostQuantumShare,
        Cause::AddressValidation,
    ];
    for (layers, secured) in [
        ("raw_tcp/tcp", None),
        ("mqtt/tls/tcp", Some(Layer::Tls)),
        ("mqtt/quic/udp", Some(Layer::Quic)),
        ("coap/dtls/udp", Some(Layer::Dtls)),
        ("raw_udp/dtls/udp", Some(Layer::Dtls)),
    ] {
        let spec = |session| {
            let mut spec = ten(stack(layers, &[]), FlowKind::Report);
            spec.flows[0].session = session;
            spec
        };
        let kept = run(&spec(SessionSpec::Keep));
        let beforehand = run(&spec(SessionSpec::Established));
        assert_accounted(&beforehand);
        all_arrived(&beforehand.summary());
        let (with, without) = (offered(&kept), offered(&beforehand));
        let set_up = |sums: &BTreeMap<(Layer, Cause), u64>| {
            let of_it = sums
                .iter()
                .filter(|((_, cause), _)| OF_SET_UP.contains(cause));
            of_it.map(|(_, bytes)| bytes).sum::<u64>()
        };
        assert!(set_up(&with) > 0, "{layers}");
        assert_eq!(set_up(&without), 0, "{layers}: {without:?}");
        let payload = (Layer::Application, Cause::Payload);
        assert_eq!(with[&payload], without[&payload], "{layers}");
        if let Some(layer) = secured {
            let records = without[&(layer, Cause::Header)];
            assert!(records >= 2_000 * 13, "{layers}: {records}");
        }
        assert!(
            beforehand
                .summary()
                .sessions
                .is_none_or(|it| it.begun() == 0)
        );
    }
}

/// A client of HTTP ends a connection behind so many answers; where a request says so, its server does.
#[test]
fn a_connection_of_http_carries_as_many_messages_as_its_session() {
    // RFC 9293: SYN and SYN-ACK with their options, and nothing else of TCP sets a connection up.
    let set_up = |layers: &str, version: &str, session| {
        let mut spec = ten(stack(layers, &[("version", version)]), FlowKind::Report);
        spec.flows[0].session = session;
        let simulated = run(&spec);
        assert_accounted(&simulated);
        all_arrived(&simulated.summary());
        offered(&simulated)[&(Layer::Tcp, Cause::SessionSetUp)]
    };
    for (layers, version) in [
        ("http/tcp", "1.1"),
        ("http/tcp", "2"),
        ("http/tls/tcp", "2"),
    ] {
        let one_each = set_up(layers, version, SessionSpec::Keep) / 10;
        for (session, connections) in [(SessionSpec::Per(10), 200), (SessionSpec::Per(200), 10)] {
            let found = set_up(layers, version, session) / one_each;
            assert_eq!(found, connections, "{layers} {version} {session:?}");
        }
        let found = set_up(layers, version, SessionSpec::PerMessage) / one_each;
        assert_eq!(found, 2000, "{layers} {version}");
    }
}

#[test]
fn who_has_no_session_in_time_has_no_result() {
    let mut spec = ten(stack("mqtt/tls/tcp", &[]), FlowKind::Report);
    spec.flows[0].session = SessionSpec::Established;
    spec.measure.set_up_ns = 100_000_000;
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Failed("session_not_set_up"));
}

/// By hand: a token of 1 min is taken for 600 s more, so each of ten devices shows one at the start, about 660 s and about 1320 s.
#[test]
fn a_connection_ends_with_its_token_and_another_begins_with_a_new_one() {
    for layers in ["mqtt/tcp", "mqtt/tls/tcp", "mqtt/quic/udp"] {
        let tokens = [("auth", "jwt"), ("token_lifetime", "1min")];
        let mut spec = ten(stack(layers, &tokens), FlowKind::Report);
        spec.flows[0].duration_ns = 1_500 * SECOND_NS;
        let simulated = run(&spec);
        assert_eq!(sessions(&simulated).set_up(), 30, "{layers}");
        let shown = offered(&simulated)[&(Layer::Application, Cause::Authorisation)];
        assert_eq!(shown, 30 * 192, "{layers}");
        all_arrived(&simulated.summary());
    }
}
