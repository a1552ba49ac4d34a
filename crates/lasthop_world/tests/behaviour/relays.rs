//! What devices say to each other through the core that the services of their server share.

use core::sync::atomic::AtomicBool;

use lasthop_contract::{DropReason, FlowId};
use lasthop_measure::{Fate, RunStatus};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, ClientSpec, DevicesSpec, EnergySpec, EventSpec, FlowKind,
    Observe, PayloadSpec, PopulationSpec, PowerProfileSpec, Registry, RestartOfSpec, RunSpec,
    ServerLayout, ServiceSpec, Simulated, StackSpec, SurvivesSpec,
};

use crate::specs::{add_nat, base, loss, run, set_network};
use crate::stacks::{
    coap_con, coap_non, coap_tcp, json_udp, mqtt, mqtt_5, raw_tcp, raw_udp, stack,
};

const SECOND_NS: u64 = 1_000_000_000;

/// Every stack that has topics.
pub(crate) fn with_topics() -> Vec<StackSpec> {
    vec![
        json_udp(),
        mqtt("0"),
        mqtt("2"),
        mqtt_5("1"),
        coap_non("post"),
        coap_con(8, "observe"),
        coap_tcp("post"),
    ]
}

/// Three sensors that speak each second by one stack, and two displays that hear them by another, at one server.
pub(crate) fn spec(speaks: StackSpec, hears: StackSpec) -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    let mut services = Vec::new();
    spec.stacks.clear();
    for (name, stack) in [("device", speaks), ("display", hears)] {
        let registry = Registry::standard();
        let port = registry.builder(&stack).unwrap().port();
        let twice = services.iter().any(|it: &ServiceSpec| it.port == port);
        services.push(ServiceSpec {
            stack: name.into(),
            port: port + u16::from(twice),
            at: None,
        });
        spec.stacks.insert(name.into(), stack);
    }
    spec.servers[0].services = services;
    spec.servers[0].layout = ServerLayout::Shared;
    spec.groups[0].population = PopulationSpec::Staying { devices: 3 };
    let mut displays = spec.groups[0].clone();
    displays.name = "display".into();
    displays.population = PopulationSpec::Staying { devices: 2 };
    displays.clients = vec![ClientSpec {
        stack: "display".into(),
        server: "server".into(),
    }];
    spec.groups.push(displays);
    let flow = &mut spec.flows[0];
    flow.kind = FlowKind::Relay;
    flow.to = "display".into();
    flow.payload = PayloadSpec::Text { bytes: 40 };
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: SECOND_NS,
    };
    flow.start_ns = 5 * SECOND_NS;
    flow.duration_ns = 100 * SECOND_NS;
    spec
}

/// Messages offered, delivered, and delivered again.
fn told(simulated: &Simulated) -> (u64, u64, u64) {
    assert_eq!(simulated.status(), RunStatus::Completed);
    let it = simulated.summary();
    (
        it.messages_offered,
        it.messages_delivered,
        it.messages_duplicated,
    )
}

#[test]
fn a_group_hears_by_any_protocol_what_another_says_by_any() {
    for speaks in with_topics() {
        for hears in with_topics() {
            let simulated = run(&spec(speaks.clone(), hears.clone()));
            assert_eq!(told(&simulated), (300, 300, 0), "{speaks:?} {hears:?}");
        }
    }
}

#[test]
fn participants_hear_what_others_say_by_the_server_of_their_stack() {
    for reliability in ["reliable", "best_effort"] {
        let mut spec = by_dds(reliability);
        assert_eq!(told(&run(&spec)), (300, 300, 0));
        loss(&mut spec, 0.1);
        // A volatile reader hears what is said once its writer and it know each other.
        spec.flows[0].start_ns = 60 * SECOND_NS;
        let (offered, delivered, again) = told(&run(&spec));
        assert_eq!((offered, again), (300, 0));
        match reliability {
            "reliable" => assert_eq!(delivered, 300),
            // (1 - 0.1)^2 of 300, four standard deviations either way.
            _ => assert!((216..=270).contains(&delivered), "{delivered}"),
        }
    }
}

/// The same, each message for every display.
pub(crate) fn to_all(mut spec: RunSpec, displays: u32) -> RunSpec {
    spec.flows[0].kind = FlowKind::RelayToAll;
    spec.groups[1].population = PopulationSpec::Staying { devices: displays };
    spec
}

fn by_dds(reliability: &str) -> RunSpec {
    let dds = stack("dds/udp", &[("reliability", reliability)]);
    let mut spec = spec(dds.clone(), dds);
    spec.servers[0].services.pop();
    spec.groups[1].clients[0].stack = "device".into();
    spec.stacks.remove("display");
    spec
}

/// Messages delivered to each display, by its number.
fn heard(simulated: &Simulated, displays: u32) -> Vec<u32> {
    let mut heard = vec![0; displays as usize];
    for (.., record) in simulated.meter().log().records() {
        let receiver = (record.number - 1) % displays;
        heard[receiver as usize] += u32::from(record.delivered.is_some());
    }
    heard
}

#[test]
fn what_is_for_all_is_said_once_and_reaches_each_by_any_protocol() {
    let mut specs: Vec<RunSpec> = with_topics()
        .into_iter()
        .map(|hears| spec(mqtt("1"), hears))
        .collect();
    specs.extend(
        with_topics()
            .into_iter()
            .map(|speaks| spec(speaks, json_udp())),
    );
    specs.push(by_dds("reliable"));
    specs.push(by_dds("best_effort"));
    for spec in specs {
        for displays in [1, 5] {
            let simulated = run(&to_all(spec.clone(), displays));
            let (offered, name) = (u64::from(300 * displays), format!("{:?}", spec.stacks));
            assert_eq!(told(&simulated), (offered, offered, 0), "{name}");
            assert_eq!(heard(&simulated, displays), vec![300; displays as usize]);
            let first_sent = simulated.summary().payload_bytes_first_sent;
            assert_eq!(first_sent, (300 + offered) * 40, "{name}");
        }
    }
}

#[test]
fn to_all_of_one_is_to_one() {
    let one = to_all(spec(coap_con(1, "post"), mqtt("1")), 1);
    let mut usual = one.clone();
    usual.flows[0].kind = FlowKind::Relay;
    let [one, usual] = [one, usual].map(|mut spec| {
        loss(&mut spec, 0.1);
        let simulated = run(&spec);
        let summary = simulated.summary();
        (told(&simulated), summary.trace, summary.latency_mean)
    });
    assert_eq!(one, usual);
}

#[test]
fn each_of_all_loses_what_its_own_path_loses() {
    let mut spec = to_all(spec(coap_con(8, "post"), json_udp()), 4);
    loss(&mut spec, 0.1);
    let simulated = run(&spec);
    let it = simulated.summary();
    assert_eq!(it.messages_offered, 1200);
    let ended = it.messages_delivered + it.messages_failed + it.messages_unfinished;
    assert_eq!(ended, 1200);
    assert_eq!(it.messages_unfinished, 0);
    let heard = heard(&simulated, 4);
    // 0.9 of 300, four standard deviations either way.
    assert!(heard.iter().all(|it| (249..=291).contains(it)), "{heard:?}");
    let mut others = heard.clone();
    others.dedup();
    assert!(others.len() > 1, "they lose different ones: {heard:?}");
}

#[test]
fn who_is_off_alone_misses_what_is_for_all() {
    let mut spec = to_all(spec(coap_con(8, "post"), json_udp()), 4);
    spec.events.push(event(
        40,
        ChangeSpec::Restart {
            of: RestartOfSpec::Devices(DevicesSpec {
                group: "display".into(),
                share: 0.25,
            }),
            back: BackSpec {
                duration_ns: 10 * SECOND_NS,
                spread_ns: 0,
                survives: SurvivesSpec::Nothing,
            },
        },
    ));
    let mut heard = heard(&run(&spec), 4);
    heard.sort_unstable();
    assert_eq!(heard[1..], [300; 3]);
    // Three a second for ten seconds, give or take one of each speaker at the ends.
    assert!((267..=273).contains(&heard[0]), "{heard:?}");
}

#[test]
fn two_groups_hear_each_all_that_is_for_it() {
    let mut spec = to_all(spec(mqtt("1"), mqtt("0")), 3);
    let mut board = spec.groups[1].clone();
    board.name = "board".into();
    board.population = PopulationSpec::Staying { devices: 2 };
    spec.groups.push(board);
    let mut other = spec.flows[0].clone();
    (other.name, other.to) = ("other".into(), "board".into());
    spec.flows.push(other);
    let rows = run(&spec).meter().group_results();
    let delivered = rows
        .iter()
        .map(|row| (row.messages_offered, row.messages_delivered));
    assert!(delivered.eq([(900, 900), (600, 600)]));
}

#[test]
fn too_many_of_all_are_refused() {
    let spec = to_all(spec(mqtt("1"), mqtt("1")), 1001);
    let refused = RunSpec::parse(&serde_json::to_string(&spec).unwrap())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("more than 1000 devices"), "{refused}");
}

fn refused(spec: &RunSpec) -> String {
    let never = AtomicBool::new(false);
    let refused = Simulated::run(spec, Observe::default(), &never);
    refused.unwrap_err().to_string()
}

#[test]
fn participants_hear_nobody_of_another_stack_and_have_one_topic_each() {
    let dds = || stack("dds/udp", &[]);
    for (speaks, hears) in [(dds(), mqtt("1")), (mqtt("1"), dds())] {
        let told = refused(&spec(speaks, hears));
        assert!(told.contains("of that stack alone"), "{told}");
    }
    let mut spec = by_dds("reliable");
    let mut command = spec.flows[0].clone();
    command.name = "command".into();
    command.kind = FlowKind::Command;
    (command.from, command.to) = ("server".into(), "device".into());
    spec.flows.push(command);
    let told = refused(&spec);
    assert!(told.contains("one topic, which others read"), "{told}");
}

#[test]
fn those_who_speak_the_same_find_one_service() {
    let mut spec = spec(mqtt("1"), mqtt("1"));
    spec.servers[0].services.pop();
    spec.groups[1].clients[0].stack = "device".into();
    spec.stacks.remove("display");
    assert_eq!(told(&run(&spec)), (300, 300, 0));
    // CoAP keeps topics for others alone where it has none of its own to hand on.
    let mut alone = spec.clone();
    alone.stacks.insert("device".into(), coap_con(8, "post"));
    alone.servers[0].services[0].port = 5683;
    assert_eq!(told(&run(&alone)), (300, 300, 0));
}

#[test]
fn what_others_are_to_hear_does_not_end_at_the_server() {
    // The server is the destination of reports beside.
    for speaks in with_topics() {
        let mut spec = spec(speaks, mqtt("1"));
        let mut report = spec.flows[0].clone();
        report.name = "report".into();
        report.kind = FlowKind::Report;
        report.to = "server".into();
        spec.flows.push(report);
        let mut deaf = spec.clone();
        deaf.groups[1].population = PopulationSpec::Staying { devices: 1 };
        deaf.events.push(event(4, restart("display", 1000)));
        let [heard, deaf] = [spec, deaf].map(|spec| {
            let simulated = run(&spec);
            let rows = simulated.meter().group_results();
            rows.iter()
                .map(|row| row.messages_delivered)
                .collect::<Vec<_>>()
        });
        assert_eq!(heard, [300, 300]);
        assert_eq!(deaf[1], 300);
        assert!(deaf[0] < 10, "{deaf:?}");
    }
}

#[test]
fn each_message_goes_to_one_device_and_a_share_of_the_speakers_is_a_share_of_what_is_heard() {
    let mut spec = spec(coap_con(8, "post"), json_udp());
    spec.groups[0].population = PopulationSpec::Staying { devices: 40 };
    spec.flows[0].share = 0.25;
    assert_eq!(told(&run(&spec)), (1000, 1000, 0));
    let simulated = run(&spec);
    let records = simulated.meter().log().records();
    let mut speakers: Vec<FlowId> = records.map(|(flow, ..)| flow).collect();
    speakers.dedup();
    assert_eq!(speakers.len(), 10);
}

#[test]
fn what_is_lost_on_either_side_is_accounted_for() {
    for (speaks, hears) in [
        (coap_con(1, "post"), mqtt("1")),
        (mqtt("0"), json_udp()),
        (json_udp(), coap_non("observe")),
    ] {
        let mut spec = spec(speaks, hears);
        loss(&mut spec, 0.1);
        let simulated = run(&spec);
        let it = simulated.summary();
        let ended = it.messages_delivered + it.messages_failed + it.messages_unfinished;
        assert_eq!(ended, it.messages_offered);
        assert!(it.messages_delivered > 200, "{}", it.messages_delivered);
        let dropped = simulated.meter().ledger().packet_rows();
        let by_loss = |fate| fate == Fate::Dropped(DropReason::Loss);
        assert!(dropped.iter().any(|row| by_loss(row.fate)));
        assert_eq!(simulated.status(), RunStatus::Completed);
    }
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let mut spec = spec(coap_con(1, "post"), mqtt("1"));
    loss(&mut spec, 0.1);
    assert_eq!(run(&spec).summary().trace, run(&spec).summary().trace);
}

#[test]
fn it_works_behind_translators() {
    let mut spec = spec(coap_con(1, "post"), mqtt("1"));
    add_nat(
        &mut spec,
        lasthop_world::NatSpec {
            udp_timeout_ns: 30 * SECOND_NS,
            tcp_timeout_ns: 3600 * SECOND_NS,
            rebind_every_ns: None,
            ports: 64_512,
        },
    );
    assert_eq!(told(&run(&spec)), (300, 300, 0));
}

#[test]
fn who_hears_in_a_radio_network_spends_energy_for_it() {
    let mut spec = spec(coap_con(8, "post"), mqtt("1"));
    let wired = spec.paths["path"].clone();
    set_network(&mut spec, NetworkConfig::single_device(144.0));
    spec.paths.insert("wired".into(), wired);
    spec.groups[0].path = "wired".into();
    spec.groups[1].energy = Some(EnergySpec {
        profile: PowerProfileSpec::Tr45820,
        battery_wh: 5.0,
        self_discharge_per_year: 0.0,
        load_w: 0.0,
        load_per_message_j: 0.0,
        lifetime_years: None,
    });
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 20 * SECOND_NS,
    };
    let simulated = run(&spec);
    assert_eq!(told(&simulated), (15, 15, 0));
    let energy = simulated.summary().energy.unwrap();
    assert!(energy.total.as_joules() > 1.0, "{energy:?}");
    assert!(energy.battery_years.unwrap() < 1.0);
}

#[test]
fn a_display_that_comes_back_hears_what_is_said_from_then_on() {
    for hears in [
        mqtt("1"),
        coap_con(8, "observe"),
        coap_tcp("post"),
        json_udp(),
    ] {
        let mut spec = spec(coap_con(8, "post"), hears.clone());
        spec.events.push(event(40, restart("display", 10)));
        let (_, delivered, _) = told(&run(&spec));
        // A session of MQTT keeps what comes meanwhile.
        let expected = if hears == mqtt("1") {
            300..301
        } else {
            240..300
        };
        assert!(expected.contains(&delivered), "{hears:?}: {delivered}");
    }
}

#[test]
fn a_stack_without_topics_is_refused() {
    for (speaks, hears) in [(raw_udp(None), mqtt("1")), (mqtt("1"), raw_tcp())] {
        let spec = spec(speaks, hears);
        let told = refused(&spec);
        assert!(told.contains("has no topics"), "{told}");
    }
}

fn restart(group: &str, seconds: u64) -> ChangeSpec {
    ChangeSpec::Restart {
        of: RestartOfSpec::Devices(DevicesSpec {
            group: group.into(),
            share: 1.0,
        }),
        back: BackSpec {
            duration_ns: seconds * SECOND_NS,
            spread_ns: 0,
            survives: SurvivesSpec::Nothing,
        },
    }
}

fn event(second: u64, change: ChangeSpec) -> EventSpec {
    EventSpec {
        at_ns: second * SECOND_NS,
        change,
        again: None,
    }
}
