//! What happens to servers, hops and devices in the middle of a run.

use lasthop_measure::{MessageStatus, RunStatus};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, DevicesSpec, EventSpec, FlowKind, NatSpec, NotifySpec,
    OutageOfSpec, PayloadSpec, PopulationSpec, RestartOfSpec, RunSpec, ServerLayout, Simulated,
    StackSpec, SurvivesSpec,
};

use crate::specs::{add_nat, assert_accounted, base, every_kind, loss, run, set_kind, set_network};
use crate::stacks::{coap_con, every_stack, in_turns, mqtt, raw_tcp, raw_udp, set_stack};

pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// Ten devices of one server, each with a message a second for 200 s over a path of 100 ms that loses nothing.
pub(crate) fn ten(stack: StackSpec, kind: FlowKind) -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    set_kind(&mut spec, kind);
    set_stack(&mut spec, stack);
    spec.groups[0].population = PopulationSpec::Staying { devices: 10 };
    spec.servers[0].layout = ServerLayout::Shared;
    let flow = &mut spec.flows[0];
    flow.payload = PayloadSpec::Text { bytes: 25 };
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: SECOND_NS,
    };
    flow.spread_ns = SECOND_NS;
    flow.duration_ns = 200 * SECOND_NS;
    spec
}

pub(crate) fn at(second: u64, change: ChangeSpec) -> EventSpec {
    EventSpec {
        at_ns: second * SECOND_NS,
        change,
        again: None,
    }
}

pub(crate) fn share(share: f64) -> DevicesSpec {
    DevicesSpec {
        group: "device".into(),
        share,
    }
}

/// Off for 30 s, back within 10 s more.
pub(crate) const BACK: BackSpec = BackSpec {
    duration_ns: 30 * SECOND_NS,
    spread_ns: 10 * SECOND_NS,
    survives: SurvivesSpec::Nothing,
};

pub(crate) fn outage(of: OutageOfSpec) -> ChangeSpec {
    ChangeSpec::Outage {
        of,
        duration_ns: 30 * SECOND_NS,
    }
}

pub(crate) fn server_outage() -> ChangeSpec {
    outage(OutageOfSpec::Server("server".into()))
}

pub(crate) fn power_cut(of: f64) -> ChangeSpec {
    ChangeSpec::PowerCut {
        of: share(of),
        back: BACK,
    }
}

pub(crate) fn restart_server(survives: SurvivesSpec) -> ChangeSpec {
    ChangeSpec::Restart {
        of: RestartOfSpec::Server("server".into()),
        back: BackSpec {
            duration_ns: 5 * SECOND_NS,
            spread_ns: 0,
            survives,
        },
    }
}

fn restart_devices() -> ChangeSpec {
    ChangeSpec::Restart {
        of: RestartOfSpec::Devices(share(0.5)),
        back: BACK,
    }
}

pub(crate) fn every_change() -> Vec<ChangeSpec> {
    vec![
        server_outage(),
        outage(OutageOfSpec::Path("path".into())),
        outage(OutageOfSpec::Hop("path".into())),
        power_cut(0.5),
        power_cut(1.0),
        restart_server(SurvivesSpec::Nothing),
        restart_server(SurvivesSpec::Sessions),
        restart_devices(),
        ChangeSpec::NewAddress {
            of: share(0.5),
            notify: NotifySpec::None,
        },
        ChangeSpec::ChangePath {
            of: share(0.5),
            to: "other".into(),
            notify: NotifySpec::None,
        },
    ]
}

/// Adds another path like the first.
pub(crate) fn add_other_path(spec: &mut RunSpec) {
    let mut other = spec.paths["path"].clone();
    for hop in &mut other.hops {
        hop.name = "other".into();
    }
    spec.paths.insert("other".into(), other);
}

/// How messages of a run ended whose reason or state is this, by when they were due: the first and the last.
pub(crate) fn due_of(simulated: &Simulated, ended: &str) -> Option<(u64, u64)> {
    let records = simulated.meter().log().records();
    let is_wanted = |status: MessageStatus| match status {
        MessageStatus::Failed(why) => why == ended,
        other => other.name() == ended,
    };
    let due = records
        .filter(|(_, _, record)| is_wanted(record.status()))
        .map(|(_, _, record)| record.intended.as_nanos());
    due.fold(None, |span: Option<(u64, u64)>, at| {
        let (first, last) = span.unwrap_or((at, at));
        Some((first.min(at), last.max(at)))
    })
}

pub(crate) fn count_of(simulated: &Simulated, ended: &str) -> usize {
    let records = simulated.meter().log().records();
    let is_wanted = |status: MessageStatus| match status {
        MessageStatus::Failed(why) => why == ended,
        other => other.name() == ended,
    };
    records.filter(|(_, _, it)| is_wanted(it.status())).count()
}

fn run_with(mut spec: RunSpec, events: Vec<EventSpec>) -> Simulated {
    spec.events = events;
    run(&spec)
}

#[test]
fn whatever_happens_packets_and_messages_are_accounted_for_and_a_seed_gives_the_same() {
    for (stack, change, kind) in in_turns(every_stack(), &every_change(), &every_kind()) {
        let mut spec = ten(stack, kind);
        spec.flows[0].duration_ns = 60 * SECOND_NS;
        add_other_path(&mut spec);
        spec.events.push(at(30, change));
        let [one, other] = [run(&spec), run(&spec)];
        assert_accounted(&one);
        assert_eq!(one.summary().trace, other.summary().trace);
    }
}

#[test]
fn a_silent_server_costs_datagrams_their_messages_and_streams_their_time() {
    let events = || vec![at(50, server_outage())];
    let lossy = run_with(ten(raw_udp(None), FlowKind::Report), events());
    assert_eq!(count_of(&lossy, "outage"), 300);
    assert_eq!(count_of(&lossy, "delivered"), 1700);
    let (first, last) = due_of(&lossy, "outage").unwrap();
    // What left 100 ms before it arrived in it.
    let span = (50 * SECOND_NS - SECOND_NS / 4)..80 * SECOND_NS;
    assert!(span.contains(&first) && span.contains(&last));
    for stack in [raw_udp(Some(4)), mqtt("1"), coap_con(1, "post")] {
        let it = run_with(ten(stack, FlowKind::Report), events());
        assert_eq!(it.summary().messages_delivered, 2000);
        assert!(it.summary().latency_max.unwrap().as_secs_f64() > 20.0);
    }
}

#[test]
fn an_outage_of_a_hop_is_of_that_hop_alone() {
    let mut spec = ten(raw_udp(None), FlowKind::Report);
    let mut other = spec.paths["path"].clone();
    other.hops[0].name = "other".into();
    spec.paths.insert("other".into(), other);
    let mut group = spec.groups[0].clone();
    (group.name, group.path) = ("sensor".into(), "other".into());
    let mut flow = spec.flows[0].clone();
    flow.from = "sensor".into();
    spec.groups.push(group);
    spec.flows.push(flow);
    for of in [
        OutageOfSpec::Hop("other".into()),
        OutageOfSpec::Path("other".into()),
    ] {
        let it = run_with(spec.clone(), vec![at(50, outage(of))]);
        let rows = it.meter().group_results();
        let delivered = [0, 1].map(|row: usize| rows[row].messages_delivered);
        assert_eq!(delivered, [2000, 1700]);
    }
}

#[test]
fn overlapping_outages_end_with_the_last() {
    let overlapping = vec![
        at(50, server_outage()),
        at(55, outage(OutageOfSpec::Path("path".into()))),
        at(60, server_outage()),
    ];
    let it = run_with(ten(raw_udp(None), FlowKind::Report), overlapping);
    assert_eq!(count_of(&it, "outage"), 400);
}

#[test]
fn who_has_no_power_says_nothing_and_hears_nothing() {
    let reports = run_with(
        ten(raw_udp(None), FlowKind::Report),
        vec![at(50, power_cut(0.5))],
    );
    let summary = reports.summary();
    // Five devices, off for 30 to 40 s each.
    let unsaid = 2000 - summary.messages_offered;
    assert!((150..=200).contains(&unsaid), "{unsaid}");
    assert_eq!(summary.messages_delivered, summary.messages_offered);

    let commands = run_with(
        ten(raw_udp(None), FlowKind::Command),
        vec![at(50, power_cut(0.5))],
    );
    assert_eq!(commands.summary().messages_offered, 2000);
    let unheard = count_of(&commands, "host_down");
    assert!((150..=200).contains(&unheard), "{unheard}");
    let (first, last) = due_of(&commands, "host_down").unwrap();
    assert!(first >= 49 * SECOND_NS && last < 90 * SECOND_NS);
}

#[test]
fn devices_of_a_smaller_share_are_among_those_of_a_larger_one() {
    let silent = |share| {
        let it = run_with(
            ten(raw_udp(None), FlowKind::Report),
            vec![at(50, power_cut(share))],
        );
        let records = it.meter().log().records();
        let mut said = [0; 10];
        for (flow, ..) in records {
            said[flow.0 as usize] += 1;
        }
        let silent = |(device, said): (usize, &i32)| (*said < 200).then_some(device);
        said.iter()
            .enumerate()
            .filter_map(silent)
            .collect::<Vec<_>>()
    };
    let (few, many) = (silent(0.2), silent(0.5));
    assert_eq!([few.len(), many.len()], [2, 5]);
    assert!(few.iter().all(|device| many.contains(device)));
    assert_eq!(silent(1.0).len(), 10);
}

#[test]
fn a_fleet_comes_back_one_by_one_unless_it_is_asked_to_come_at_once() {
    let returns = |spread_ns| {
        let back = BackSpec { spread_ns, ..BACK };
        let change = ChangeSpec::PowerCut {
            of: share(1.0),
            back,
        };
        let mut spec = ten(raw_tcp(), FlowKind::Report);
        spec.flows[0].spread_ns = 0;
        let it = run_with(spec, vec![at(50, change)]);
        // Who is back says the next thing within a second.
        let mut first = [u64::MAX; 10];
        for (flow, _, record) in it.meter().log().records() {
            let due = record.intended.as_nanos();
            if due > 51 * SECOND_NS {
                let first = &mut first[flow.0 as usize];
                *first = due.min(*first);
            }
        }
        first.iter().max().unwrap() - first.iter().min().unwrap()
    };
    assert_eq!(returns(0), 0);
    assert!(returns(10 * SECOND_NS) >= 5 * SECOND_NS);
}

#[test]
fn what_a_crash_keeps_is_named() {
    // Messages of QoS 1 that were under way when all power failed.
    let lost = |survives| {
        let change = ChangeSpec::PowerCut {
            of: share(1.0),
            back: BackSpec { survives, ..BACK },
        };
        let events = vec![at(40, server_outage()), at(50, change)];
        let it = run_with(ten(mqtt("1"), FlowKind::Report), events);
        assert_accounted(&it);
        (count_of(&it, "host_down"), due_of(&it, "host_down"))
    };
    // The server was silent for ten seconds: whatever ten devices had said meanwhile was in their memory.
    let (count, due) = lost(SurvivesSpec::Nothing);
    assert!((95..=105).contains(&count), "{count}");
    assert!(due.unwrap().0 > 39 * SECOND_NS && due.unwrap().1 <= 50 * SECOND_NS);
    assert_eq!(lost(SurvivesSpec::Tickets).0, count);
    assert_eq!(lost(SurvivesSpec::Sessions).0, 0);
}

#[test]
fn a_broker_that_restarts_forgets_who_subscribed_unless_it_keeps_sessions() {
    for survives in [SurvivesSpec::Nothing, SurvivesSpec::Sessions] {
        let it = run_with(
            ten(mqtt("1"), FlowKind::RoundTrip),
            vec![at(50, restart_server(survives))],
        );
        // Clients notice, connect and subscribe again, and say again what was not acknowledged.
        assert_accounted(&it);
        let late = due_of(&it, "delivered").unwrap().1;
        assert!(late > 199 * SECOND_NS);
        assert!(it.summary().messages_delivered >= 1990);
    }
}

#[test]
fn a_new_address_costs_what_the_transport_makes_of_it() {
    let change = || {
        vec![at(
            50,
            ChangeSpec::NewAddress {
                of: share(0.5),
                notify: NotifySpec::None,
            },
        )]
    };
    // Datagrams come from elsewhere, and the server answers there.
    for stack in [raw_udp(None), raw_udp(Some(4)), coap_con(1, "post")] {
        let it = run_with(ten(stack, FlowKind::Report), change());
        assert_eq!(it.summary().messages_delivered, 2000);
    }
    // A connection hangs until its timers end it; then all is said again by another one.
    let it = run_with(ten(mqtt("1"), FlowKind::Report), change());
    assert_eq!(it.summary().messages_delivered, 2000);
    assert!(it.summary().latency_max.unwrap().as_secs_f64() > 10.0);
    // A server that knows where a device was speaks to nobody.
    let it = run_with(ten(raw_udp(None), FlowKind::Command), change());
    assert_eq!(count_of(&it, "wrong_address"), 752);
}

#[test]
fn a_device_that_goes_over_to_another_path_is_reached_there_and_can_come_back() {
    let to = |path: &str| ChangeSpec::ChangePath {
        of: share(1.0),
        to: path.into(),
        notify: NotifySpec::None,
    };
    let mut spec = ten(coap_con(1, "post"), FlowKind::RoundTrip);
    add_other_path(&mut spec);
    // Who goes where he is already, goes nowhere.
    let events = vec![
        at(50, to("other")),
        at(60, to("other")),
        at(100, to("path")),
        at(120, outage(OutageOfSpec::Path("other".into()))),
        at(140, to("other")),
    ];
    let it = run_with(spec, events);
    assert_accounted(&it);
    let delivered = it.summary().messages_delivered;
    assert!(delivered >= 1990, "{delivered}");
    assert!(it.summary().latency_max.unwrap().as_secs_f64() > 5.0);
}

#[test]
fn behind_a_translator_a_device_that_moves_is_another_one_to_the_server() {
    let mut spec = ten(raw_udp(Some(4)), FlowKind::Report);
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: 60 * SECOND_NS,
            tcp_timeout_ns: 60 * SECOND_NS,
            rebind_every_ns: None,
            ports: 64_512,
        },
    );
    add_other_path(&mut spec);
    for change in [
        ChangeSpec::NewAddress {
            of: share(1.0),
            notify: NotifySpec::None,
        },
        ChangeSpec::ChangePath {
            of: share(1.0),
            to: "other".into(),
            notify: NotifySpec::None,
        },
    ] {
        let it = run_with(spec.clone(), vec![at(50, change)]);
        assert_accounted(&it);
        assert_eq!(it.summary().messages_delivered, 2000);
    }
}

#[test]
fn events_may_come_at_the_start_at_once_and_when_all_is_said() {
    let all = || {
        vec![
            power_cut(1.0),
            power_cut(1.0),
            restart_devices(),
            restart_server(SurvivesSpec::Nothing),
            server_outage(),
            ChangeSpec::NewAddress {
                of: share(1.0),
                notify: NotifySpec::None,
            },
            ChangeSpec::ChangePath {
                of: share(1.0),
                to: "other".into(),
                notify: NotifySpec::None,
            },
        ]
    };
    for stack in every_stack() {
        for second in [0, 50, 201] {
            let mut spec = ten(stack.clone(), FlowKind::Report);
            add_other_path(&mut spec);
            let events = all().into_iter().map(|change| at(second, change));
            let it = run_with(spec, events.collect());
            assert_accounted(&it);
            assert!(
                it.summary().messages_delivered >= 1300,
                "{second} {stack:?}"
            );
        }
    }
}

#[test]
fn who_is_restarted_without_power_starts_when_the_power_is_back() {
    let cut = |from| at(from, power_cut(1.0));
    let restart = |from| at(from, restart_devices());
    let said = |events| run_with(ten(raw_udp(None), FlowKind::Report), events).summary();
    let cut_alone = said(vec![cut(50)]).messages_offered;
    let both = said(vec![cut(50), restart(55)]).messages_offered;
    // The restart keeps its devices off for five seconds more.
    assert!(
        (cut_alone - 60..cut_alone).contains(&both),
        "{both} {cut_alone}"
    );
}

#[test]
fn a_power_cut_to_the_end_does_not_prolong_the_run() {
    let change = ChangeSpec::PowerCut {
        of: share(0.5),
        back: BackSpec {
            duration_ns: 3600 * SECOND_NS,
            ..BACK
        },
    };
    let it = run_with(ten(raw_udp(None), FlowKind::Report), vec![at(190, change)]);
    assert_eq!(it.status(), RunStatus::Completed);
    assert!(it.summary().simulated.as_secs_f64() < 350.0);
}

#[test]
fn a_radio_stays_on_while_its_device_restarts_or_has_another_address() {
    let mut spec = ten(coap_con(1, "post"), FlowKind::Report);
    set_network(&mut spec, NetworkConfig::single_device(120.0));
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 20 * SECOND_NS,
    };
    for change in [
        server_outage(),
        restart_devices(),
        restart_server(SurvivesSpec::Nothing),
        ChangeSpec::NewAddress {
            of: share(1.0),
            notify: NotifySpec::None,
        },
    ] {
        let it = run_with(spec.clone(), vec![at(50, change)]);
        assert_accounted(&it);
        let summary = it.summary();
        assert!(summary.messages_delivered + 5 >= summary.messages_offered);
        assert!(summary.messages_offered >= 85);
    }
}

#[test]
fn a_crash_forgets_what_every_flow_of_a_device_had() {
    let mut spec = ten(mqtt("1"), FlowKind::Report);
    let mut other = spec.flows[0].clone();
    other.name = "other".into();
    spec.flows.push(other);
    let it = run_with(spec, vec![at(40, server_outage()), at(50, power_cut(1.0))]);
    assert_accounted(&it);
    let records = it.meter().log().records();
    let lost = records.filter(|(.., it)| it.status() == MessageStatus::Failed("host_down"));
    let mut by_channel = [0; 2];
    for (flow, ..) in lost {
        by_channel[usize::from(flow.channel())] += 1;
    }
    assert!(by_channel.iter().all(|count| (95..=105).contains(count)));
}

#[test]
fn what_cannot_happen_is_refused() {
    let refused = |change: ChangeSpec, second: u64, spec: &RunSpec| {
        let mut spec = spec.clone();
        spec.events.push(at(second, change));
        let json = serde_json::to_string(&spec).unwrap();
        RunSpec::parse(&json).map_or_else(|error| error.to_string(), |_| "runs".into())
    };
    let plain = ten(raw_udp(None), FlowKind::Report);
    let mut radio = plain.clone();
    set_network(&mut radio, NetworkConfig::single_device(120.0));
    let to = |path: &str| ChangeSpec::ChangePath {
        of: share(1.0),
        to: path.into(),
        notify: NotifySpec::None,
    };
    let hop = |name: &str| outage(OutageOfSpec::Hop(name.into()));
    for (change, second, spec, why) in [
        (power_cut(0.5), 0, &plain, "runs"),
        (power_cut(0.04), 0, &plain, "less than one device"),
        (power_cut(1.1), 0, &plain, "at most 1"),
        (power_cut(0.5), 10_000, &plain, "after the end"),
        (to("nowhere"), 0, &plain, "not there"),
        (hop("nowhere"), 0, &plain, "no such path or hop"),
        (power_cut(0.5), 0, &radio, "runs"),
        (to("path"), 0, &radio, "runs"),
        (hop("path"), 0, &radio, "runs"),
        (server_outage(), 0, &radio, "runs"),
    ] {
        let said = refused(change, second, spec);
        assert!(said.contains(why), "{said}, not {why}");
    }
}
