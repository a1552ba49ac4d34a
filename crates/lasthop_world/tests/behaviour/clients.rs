//! Devices with several clients: of several servers, or of one by several stacks.

use lasthop_contract::{DeviceId, FlowId};
use lasthop_measure::RunStatus;
use lasthop_nbiot::config::NetworkConfig;
use lasthop_units::Instant;
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, ClientSpec, DevicesSpec, EventSpec, FlowSpec, NatSpec,
    NotifySpec, OutageOfSpec, PayloadSpec, Registry, RestartOfSpec, RunSpec, ServerLayout,
    ServerSpec, ServiceSpec, StackSpec, SurvivesSpec,
};

use crate::flows;
use crate::specs::{add_nat, loss, run, set_network};
use crate::stacks::{coap_con, every_stack, json_udp, mqtt, over_ip, raw_udp, set_stack, stack};

const SECOND_NS: u64 = 1_000_000_000;

/// Three devices that report each second to one server, and have a second client by this stack: of a server of its own,
/// which tells them something every ten seconds and answers what they ask every five.
fn spec(first: StackSpec, second: StackSpec) -> RunSpec {
    let mut spec = flows::spec();
    set_stack(&mut spec, first);
    spec.servers[0].layout = ServerLayout::Shared;
    let port = usual_port(&second);
    spec.stacks.insert("second".into(), second);
    spec.servers.push(ServerSpec {
        forwards: None,
        service_time: None,
        device: None,
        name: "archive".into(),
        layout: ServerLayout::Shared,
        services: vec![ServiceSpec {
            stack: "second".into(),
            port,
            at: None,
        }],
    });
    spec.groups[0].clients.push(ClientSpec {
        stack: "second".into(),
        server: "archive".into(),
    });
    let [_, command, echo] = &mut spec.flows[..] else {
        unreachable!("three flows")
    };
    (command.from, command.client) = ("archive".into(), 1);
    (echo.to, echo.client) = ("archive".into(), 1);
    spec
}

/// The same where both clients are of one server.
fn of_one_server(first: StackSpec, second: StackSpec) -> RunSpec {
    let mut spec = spec(first, second);
    let archive = spec.servers.pop().unwrap();
    spec.servers[0].services.extend(archive.services);
    spec.groups[0].clients[1].server = "server".into();
    spec.flows[1].from = "server".into();
    spec.flows[2].to = "server".into();
    spec
}

fn usual_port(stack: &StackSpec) -> u16 {
    let registry = Registry::standard();
    registry.builder(stack).unwrap().port()
}

/// Messages offered and delivered, by flow; none is delivered twice.
fn told(spec: &RunSpec) -> Vec<(u64, u64)> {
    let simulated = run(spec);
    assert_eq!(simulated.status(), RunStatus::Completed);
    assert_eq!(simulated.summary().messages_duplicated, 0);
    let rows = simulated.meter().group_results();
    let counts = rows
        .iter()
        .map(|row| (row.messages_offered, row.messages_delivered));
    counts.collect()
}

const ALL: [(u64, u64); 3] = [(300, 300), (30, 30), (60, 60)];

#[test]
fn a_device_talks_to_two_servers_by_any_two_stacks() {
    for second in every_stack() {
        for first in [raw_udp(None), coap_con(1, "post"), mqtt("1")] {
            let name = format!("{first:?} {second:?}");
            assert_eq!(told(&spec(first, second.clone())), ALL, "{name}");
        }
    }
}

#[test]
fn a_device_has_connections_over_different_stacks_to_one_server() {
    for (first, second) in [
        (mqtt("1"), coap_con(1, "post")),
        (coap_con(1, "observe"), mqtt("0")),
        (raw_udp(None), json_udp()),
        (mqtt("1"), stack("dds/udp", &[])),
    ] {
        let name = format!("{first:?} {second:?}");
        assert_eq!(told(&of_one_server(first, second)), ALL, "{name}");
    }
}

#[test]
fn two_servers_that_command_the_same_devices_say_each_what_is_theirs() {
    let mut spec = spec(mqtt("1"), mqtt("1"));
    spec.flows[0] = FlowSpec {
        name: "report".into(),
        from: "server".into(),
        client: 0,
        ..spec.flows[1].clone()
    };
    assert_eq!(told(&spec), [(30, 30), (30, 30), (60, 60)]);
}

#[test]
fn both_clients_share_the_line_of_their_device() {
    let mean = |bytes| {
        let mut spec = spec(raw_udp(None), raw_udp(None));
        spec.flows.remove(1);
        // 1,000 B each 100 ms are 80 kbit/s on a line of 50.
        spec.flows[1].payload = PayloadSpec::Text { bytes };
        spec.flows[1].arrivals = ArrivalSpec::Periodic {
            every_ns: SECOND_NS / 10,
        };
        let rows = run(&spec).meter().group_results();
        rows[0].latency_mean.unwrap()
    };
    assert!(mean(1000) > mean(10) * 5);
}

#[test]
fn a_client_beside_changes_no_schedule_of_the_first() {
    let due = |spec: &RunSpec| {
        let simulated = run(spec);
        let records = simulated.meter().log().records();
        let first = records.filter(|(flow, ..)| *flow == FlowId::of(DeviceId(2), 0));
        first
            .map(|(_, _, record)| record.intended)
            .collect::<Vec<Instant>>()
    };
    let both = spec(raw_udp(None), mqtt("1"));
    let mut alone = both.clone();
    alone.groups[0].clients.pop();
    alone.servers.pop();
    alone.flows.truncate(1);
    assert_eq!(due(&alone), due(&both));
    assert_eq!(due(&both).len(), 100);
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let mut spec = spec(mqtt("1"), coap_con(1, "post"));
    loss(&mut spec, 0.1);
    let hash = || run(&spec).summary().trace;
    assert_eq!(hash(), hash());
    let it = run(&spec).summary();
    let ended = it.messages_delivered + it.messages_failed + it.messages_unfinished;
    assert_eq!(ended, it.messages_offered);
}

#[test]
fn it_works_over_ipv6_and_behind_a_translator() {
    let mut spec = spec(over_ip(&mqtt("1"), 6), over_ip(&coap_con(1, "post"), 6));
    assert_eq!(told(&spec), ALL);
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: 30 * SECOND_NS,
            tcp_timeout_ns: 3600 * SECOND_NS,
            rebind_every_ns: None,
            ports: 64_512,
        },
    );
    assert_eq!(told(&spec), ALL);
}

#[test]
fn it_works_in_a_radio_network() {
    let mut spec = spec(coap_con(1, "post"), mqtt("1"));
    set_network(&mut spec, NetworkConfig::single_device(144.0));
    for flow in &mut spec.flows {
        flow.arrivals = ArrivalSpec::Periodic {
            every_ns: 20 * SECOND_NS,
        };
    }
    assert_eq!(told(&spec), [(15, 15); 3]);
}

#[test]
fn a_server_that_is_away_is_away_for_its_own_flows_alone() {
    let mut spec = spec(raw_udp(None), raw_udp(None));
    spec.events = vec![at(
        50,
        ChangeSpec::Outage {
            of: OutageOfSpec::Server("archive".into()),
            duration_ns: 30 * SECOND_NS,
        },
    )];
    let away = told(&spec);
    assert_eq!(away[0], (300, 300));
    assert!(away[1].1 < 30 && away[2].1 < 50, "{away:?}");
    spec.events = vec![at(
        50,
        ChangeSpec::Restart {
            of: RestartOfSpec::Server("archive".into()),
            back: BACK,
        },
    )];
    let restarted = told(&spec);
    assert_eq!(restarted[0], (300, 300));
    assert!(restarted[2].1 < 60, "{restarted:?}");
}

#[test]
fn both_servers_reach_a_device_at_its_new_address_and_on_its_new_path() {
    let of = DevicesSpec {
        group: "device".into(),
        share: 1.0,
    };
    let mut spec = spec(coap_con(1, "post"), raw_udp(None));
    let other = spec.paths["path"].clone();
    spec.paths.insert("other".into(), other);
    let to = "other".into();
    for change in [
        ChangeSpec::NewAddress {
            of: of.clone(),
            notify: NotifySpec::None,
        },
        ChangeSpec::ChangePath {
            of: of.clone(),
            to,
            notify: NotifySpec::None,
        },
    ] {
        spec.events = vec![at(50, change)];
        let told = told(&spec);
        assert!(told[0].1 >= 294 && told[2].1 >= 33, "{told:?}");
    }
    // A session over TCP is set up anew.
    set_stack(&mut spec, mqtt("1"));
    let rows = run(&spec).meter().group_results();
    let delivered = rows[0].messages_delivered;
    assert!(delivered >= 294, "{delivered}");
}

#[test]
fn a_power_cut_ends_both_sessions_and_both_come_back() {
    let of = DevicesSpec {
        group: "device".into(),
        share: 1.0,
    };
    for second in every_stack() {
        let mut spec = spec(mqtt("1"), second);
        let of = of.clone();
        spec.events = vec![at(40, ChangeSpec::PowerCut { of, back: BACK })];
        let simulated = run(&spec);
        assert_eq!(simulated.status(), RunStatus::Completed);
        let rows = simulated.meter().group_results();
        let delivered = |row: usize| rows[row].messages_delivered;
        assert!((150..240).contains(&delivered(0)), "{}", delivered(0));
        assert!((24..60).contains(&delivered(2)), "{}", delivered(2));
    }
}

#[test]
fn clients_that_cannot_be_are_refused() {
    let refused = |change: fn(&mut RunSpec)| {
        let mut spec = spec(raw_udp(None), mqtt("1"));
        change(&mut spec);
        let json = serde_json::to_string(&spec).unwrap();
        match RunSpec::parse(&json) {
            Err(error) => error.to_string(),
            Ok(spec) => {
                let interrupt = core::sync::atomic::AtomicBool::new(false);
                let run = lasthop_world::Simulated::run(&spec, Default::default(), &interrupt);
                run.unwrap_err().to_string()
            }
        }
    };
    let problem = refused(|spec| spec.groups[0].clients[1] = spec.groups[0].clients[0].clone());
    assert!(
        problem.contains("clients[1]: stands there twice"),
        "{problem}"
    );
    let problem = refused(|spec| spec.groups[0].clients.clear());
    assert!(problem.contains("a device has a client"), "{problem}");
    let problem = refused(|spec| spec.flows[2].client = 0);
    assert!(problem.contains("talks to another server"), "{problem}");
    let problem = refused(|spec| {
        spec.stacks.insert("second".into(), over_ip(&mqtt("1"), 6));
    });
    assert!(problem.contains("one version of IP"), "{problem}");
    let problem = refused(|spec| {
        let services = spec.servers[1].services.clone();
        spec.servers[0].services.extend(services.clone());
        spec.servers[0].services.extend(services);
    });
    assert!(problem.contains("the port is taken"), "{problem}");
}

/// Off for 30 s.
const BACK: BackSpec = BackSpec {
    duration_ns: 30 * SECOND_NS,
    spread_ns: 0,
    survives: SurvivesSpec::Nothing,
};

fn at(second: u64, change: ChangeSpec) -> EventSpec {
    EventSpec {
        at_ns: second * SECOND_NS,
        change,
        again: None,
    }
}
