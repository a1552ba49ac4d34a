//! Field gateways: what comes by one stack goes on by another, one by one or in bundles.

use std::collections::BTreeMap;

use lasthop_contract::Direction;
use lasthop_measure::{Fate, MessageStatus, RunStatus};
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, ClientSpec, DevicesSpec, EventSpec, ForwardsSpec,
    MessageName, NotifySpec, Observe, OutageOfSpec, PayloadSpec, PopulationSpec, Registry,
    RestartOfSpec, RunSpec, ServerLayout, ServerSpec, ServiceSpec, Simulated, StackSpec,
    SurvivesSpec,
};

use crate::specs::{base, loss, run};
use crate::stacks::{
    coap_con, coap_non, coap_tcp, every_stack, json_udp, mqtt, mqtt_5, raw_tcp, raw_udp, stack,
};

const SECOND_NS: u64 = 1_000_000_000;

/// Sensors that speak each second by one stack to a gateway, which goes on by another to the server; without loss.
fn spec(field: StackSpec, uplink: StackSpec, sensors: u32) -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    let path = spec.paths["path"].clone();
    spec.paths.insert("wan".into(), path);
    spec.paths.get_mut("wan").unwrap().hops[0].name = "wan".into();
    let port = |stack: &StackSpec| {
        let registry = Registry::standard();
        registry.builder(stack).unwrap().port()
    };
    let server = |name: &str, stack: &str, port: u16, forwards| ServerSpec {
        name: name.into(),
        layout: ServerLayout::Shared,
        services: vec![ServiceSpec {
            stack: stack.into(),
            port,
            at: None,
        }],
        forwards,
        service_time: None,
        device: None,
    };
    let forwards = ForwardsSpec {
        by: "gateway".into(),
        batch: 1,
        wait_ns: 0,
        room: 1000,
        cache: None,
    };
    spec.servers = vec![
        server("gateway", "device", port(&field), Some(forwards)),
        server("server", "uplink", port(&uplink), None),
    ];
    spec.stacks.insert("device".into(), field);
    spec.stacks.insert("uplink".into(), uplink);
    spec.groups[0].population = PopulationSpec::Staying { devices: sensors };
    spec.groups[0].clients[0].server = "gateway".into();
    let mut gateway = spec.groups[0].clone();
    gateway.name = "gateway".into();
    gateway.path = "wan".into();
    gateway.population = PopulationSpec::Staying { devices: 1 };
    gateway.clients = vec![ClientSpec {
        stack: "uplink".into(),
        server: "server".into(),
    }];
    spec.groups.insert(0, gateway);
    let flow = &mut spec.flows[0];
    flow.to = "gateway".into();
    flow.payload = PayloadSpec::Text { bytes: 40 };
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: SECOND_NS,
    };
    flow.start_ns = 5 * SECOND_NS;
    flow.duration_ns = 60 * SECOND_NS;
    spec
}

fn bundling(mut spec: RunSpec, batch: u32, wait_seconds: u64) -> RunSpec {
    let forwards = spec.servers[0].forwards.as_mut().unwrap();
    (forwards.batch, forwards.wait_ns) = (batch, wait_seconds * SECOND_NS);
    spec
}

/// Messages offered, delivered, and delivered again.
fn told(simulated: &Simulated) -> (u64, u64, u64) {
    assert_eq!(simulated.status(), RunStatus::Completed);
    assert!(simulated.meter().ledger().is_balanced());
    let it = simulated.summary();
    let ends = it.messages_delivered + it.messages_failed + it.messages_unfinished;
    assert_eq!(it.messages_offered, ends);
    (
        it.messages_offered,
        it.messages_delivered,
        it.messages_duplicated,
    )
}

/// How often messages ended in which way.
fn ends(simulated: &Simulated) -> BTreeMap<&'static str, usize> {
    let mut ends = BTreeMap::new();
    for (_, _, record) in simulated.meter().log().records() {
        let end = match record.status() {
            MessageStatus::Failed(reason) => reason,
            other => other.name(),
        };
        *ends.entry(end).or_default() += 1;
    }
    ends
}

/// Packets that were offered to each path, up and down.
fn packets(simulated: &Simulated) -> BTreeMap<(String, Direction), u64> {
    let meter = simulated.meter();
    let rows = meter.ledger().packet_rows().into_iter();
    rows.filter(|row| row.fate == Fate::Offered)
        .map(|row| {
            let path = meter.directory().path(row.path).unwrap().to_owned();
            ((path, row.direction), row.packets)
        })
        .collect()
}

#[test]
fn what_comes_by_any_stack_goes_on_by_any() {
    for field in every_stack() {
        for uplink in every_stack() {
            let simulated = run(&spec(field.clone(), uplink.clone(), 3));
            assert_eq!(told(&simulated), (180, 180, 0), "{field:?} {uplink:?}");
        }
    }
}

#[test]
fn a_gateway_is_a_participant_on_either_side_and_on_both() {
    let dds = || stack("dds/udp", &[]);
    for (field, uplink) in [(dds(), dds()), (dds(), mqtt("1")), (raw_udp(None), dds())] {
        let simulated = run(&spec(field.clone(), uplink.clone(), 3));
        assert_eq!(told(&simulated), (180, 180, 0), "{field:?} {uplink:?}");
    }
}

#[test]
fn bundles_arrive_whole_by_any_stack() {
    let stacks = [
        json_udp(),
        raw_udp(None),
        raw_tcp(),
        mqtt("0"),
        mqtt_5("2"),
        coap_con(1, "post"),
        coap_non("post"),
        coap_tcp("post"),
    ];
    for uplink in stacks {
        let spec = bundling(spec(raw_udp(None), uplink.clone(), 4), 12, 10);
        let simulated = run(&spec);
        assert_eq!(told(&simulated), (240, 240, 0), "{uplink:?}");
    }
}

#[test]
fn each_side_is_told_by_its_path() {
    let spec = spec(raw_udp(None), raw_udp(None), 4);
    let one_by_one = packets(&run(&spec));
    let up = |path: &str| (path.to_owned(), Direction::Up);
    assert_eq!(one_by_one[&up("path")], 240);
    assert_eq!(one_by_one[&up("wan")], 240);
    assert_eq!(one_by_one.len(), 2, "nothing goes down");
    // 240 readings of 4 a second in 12s are 20 bundles.
    let bundled = run(&bundling(spec, 12, 10));
    assert_eq!(packets(&bundled)[&up("wan")], 20);
    // What is in a bundle: the id, and 40 B with the length and a comma around for each.
    let payload = 240 * 40 + 20 * (8 + 12 * 44);
    assert_eq!(bundled.summary().payload_bytes_first_sent, payload);
}

#[test]
fn latency_counts_from_the_device_to_the_last_server() {
    // Both paths are alike: 100 ms and a serial line.
    let latency = |spec: &RunSpec| run(spec).summary().latency_percentiles[0].unwrap();
    let spec = spec(raw_udp(None), raw_udp(None), 1);
    let mut direct = spec.clone();
    direct.groups.remove(0);
    direct.servers[0].forwards = None;
    direct.servers.pop();
    direct.stacks.remove("uplink");
    let (once, twice) = (latency(&direct), latency(&spec));
    assert_eq!(twice.as_nanos(), 2 * once.as_nanos());
    // A window holds the first reading of each ten until the last of them has come.
    let window = run(&bundling(spec, 10_000, 9)).summary();
    let waited = window.latency_max.unwrap().as_nanos() - twice.as_nanos();
    assert!(waited.abs_diff(9 * SECOND_NS) < SECOND_NS / 5, "{waited}");
}

#[test]
fn a_gateway_has_none_or_hundreds_of_devices() {
    for sensors in [0, 1, 500] {
        for uplink in [raw_udp(None), mqtt("1")] {
            let mut spec = bundling(spec(raw_udp(None), uplink, sensors), 20, 2);
            spec.flows[0].arrivals = ArrivalSpec::Periodic {
                every_ns: 10 * SECOND_NS,
            };
            spec.flows[0].spread_ns = 10 * SECOND_NS;
            spec.flows[0].duration_ns = 20 * SECOND_NS;
            let offered = 2 * u64::from(sensors);
            assert_eq!(told(&run(&spec)), (offered, offered, 0), "{sensors}");
        }
    }
}

#[test]
fn losses_on_either_side_end_messages_and_nothing_is_lost_from_the_books() {
    for (field, uplink) in [
        (raw_udp(None), raw_udp(None)),
        (raw_udp(None), mqtt("1")),
        (coap_con(8, "post"), raw_udp(None)),
    ] {
        for batch in [1, 5] {
            let mut spec = bundling(spec(field.clone(), uplink.clone(), 10), batch, 3);
            loss(&mut spec, 0.1);
            let wan = spec.paths["path"].clone();
            *spec.paths.get_mut("wan").unwrap() = wan;
            spec.paths.get_mut("wan").unwrap().hops[0].name = "wan".into();
            let simulated = run(&spec);
            let (offered, delivered, _) = told(&simulated);
            let lost = (offered - delivered) as f64 / offered as f64;
            // Each side that sends once loses a tenth; bundles of five are 120 chances.
            let passes = |it: &StackSpec| if *it == raw_udp(None) { 0.9 } else { 1.0 };
            let expected = 1.0 - passes(&field) * passes(&uplink);
            assert!((lost - expected).abs() < 0.09, "{lost} {expected} {batch}");
            let mut reasons = ends(&simulated);
            reasons.remove("delivered");
            assert!(reasons.keys().eq(["loss"].iter()), "{reasons:?}");
        }
    }
}

fn event(seconds: u64, change: ChangeSpec) -> EventSpec {
    EventSpec {
        at_ns: seconds * SECOND_NS,
        change,
        again: None,
    }
}

fn gateway() -> DevicesSpec {
    DevicesSpec {
        group: "gateway".into(),
        share: 1.0,
    }
}

fn back(survives: SurvivesSpec) -> BackSpec {
    BackSpec {
        duration_ns: 10 * SECOND_NS,
        spread_ns: 0,
        survives,
    }
}

#[test]
fn what_a_gateway_holds_when_its_power_fails_has_failed_with_it() {
    for change in [
        ChangeSpec::PowerCut {
            of: gateway(),
            back: back(SurvivesSpec::Nothing),
        },
        ChangeSpec::Restart {
            of: RestartOfSpec::Server("gateway".into()),
            back: back(SurvivesSpec::Nothing),
        },
    ] {
        let mut spec = bundling(spec(raw_udp(None), mqtt("1"), 4), 400, 20);
        spec.events.push(event(30, change));
        let simulated = run(&spec);
        let (offered, delivered, _) = told(&simulated);
        let ends = ends(&simulated);
        // A window of up to 20 s is in memory; in the ten seconds that it is off, devices speak to nobody.
        assert!(ends["host_down"] >= 4, "{ends:?}");
        assert!(offered - delivered >= 40 && delivered >= 100, "{ends:?}");
    }
}

#[test]
fn what_is_on_flash_goes_on_after_a_power_cut() {
    let mut spec = bundling(spec(raw_udp(None), mqtt("1"), 4), 400, 20);
    spec.events.push(event(
        30,
        ChangeSpec::PowerCut {
            of: gateway(),
            back: back(SurvivesSpec::Sessions),
        },
    ));
    let simulated = run(&spec);
    let (offered, delivered, _) = told(&simulated);
    assert!(offered - delivered <= 4 * 12, "{:?}", ends(&simulated));
    assert!(!ends(&simulated).contains_key("unfinished"));
}

#[test]
fn a_gateway_that_cannot_go_on_holds_what_it_has_room_for() {
    let mut spec = spec(raw_udp(None), mqtt("1"), 4);
    spec.servers[0].forwards.as_mut().unwrap().room = 50;
    spec.events.push(event(
        10,
        ChangeSpec::Outage {
            of: OutageOfSpec::Hop("wan".into()),
            duration_ns: 30 * SECOND_NS,
        },
    ));
    let simulated = run(&spec);
    let (offered, delivered, _) = told(&simulated);
    let ends = ends(&simulated);
    assert_eq!(ends["queue_full"] as u64, offered - delivered, "{ends:?}");
    // 4 a second for 30 s and for the time that TCP takes to notice the end, less the 50.
    assert!((60..=160).contains(&ends["queue_full"]), "{ends:?}");
}

#[test]
fn a_gateway_has_another_address_and_goes_on() {
    for uplink in [raw_udp(None), mqtt("1"), coap_con(1, "post")] {
        let mut spec = spec(raw_udp(None), uplink.clone(), 4);
        spec.events.push(event(
            20,
            ChangeSpec::NewAddress {
                of: gateway(),
                notify: NotifySpec::None,
            },
        ));
        let simulated = run(&spec);
        let (offered, delivered, _) = told(&simulated);
        assert_eq!((offered, delivered), (240, 240), "{uplink:?}");
    }
}

#[test]
fn an_outage_of_a_gateway_cuts_both_its_sides() {
    let mut spec = spec(raw_udp(None), raw_udp(None), 4);
    spec.events.push(event(
        20,
        ChangeSpec::Outage {
            of: OutageOfSpec::Server("gateway".into()),
            duration_ns: 10 * SECOND_NS,
        },
    ));
    let simulated = run(&spec);
    let (offered, delivered, _) = told(&simulated);
    assert!((40..=44).contains(&(offered - delivered)), "{delivered}");
    assert_eq!(ends(&simulated)["outage"] as u64, offered - delivered);
}

#[test]
fn two_gateways_go_on_to_one_server_each_with_its_own() {
    let mut spec = bundling(spec(raw_udp(None), mqtt("1"), 3), 6, 10);
    let (mut second, mut sensors) = (spec.groups[0].clone(), spec.groups[1].clone());
    (second.name, sensors.name) = ("other".into(), "others".into());
    sensors.clients[0].server = "other".into();
    spec.groups.insert(1, second);
    spec.groups.push(sensors);
    let mut server = spec.servers[0].clone();
    server.name = "other".into();
    server.forwards.as_mut().unwrap().by = "other".into();
    spec.servers.push(server);
    let mut flow = spec.flows[0].clone();
    (flow.from, flow.to) = ("others".into(), "other".into());
    spec.flows.push(flow);
    let simulated = run(&spec);
    assert_eq!(told(&simulated), (360, 360, 0));
    let rows = simulated.meter().group_results();
    let by_group: Vec<_> = rows
        .iter()
        .map(|row| (&*row.group, row.messages_delivered))
        .collect();
    assert_eq!(by_group, [("device", 180), ("others", 180)]);
}

#[test]
fn the_same_run_is_the_same_and_sums_are_those_of_records() {
    let mut spec = bundling(spec(coap_con(1, "post"), mqtt("1"), 8), 12, 5);
    loss(&mut spec, 0.1);
    let tables = |spec: &RunSpec| run(spec).tables("x");
    let (one, other) = (tables(&spec), tables(&spec));
    assert_eq!(one.messages, other.messages);
    assert_eq!(one.ledger, other.ledger);
    let each = run(&spec);
    spec.measure.messages = lasthop_world::MessageDetail::Summed;
    let summed = run(&spec);
    assert_eq!(told(&each), told(&summed));
    let [each, summed] = [each, summed].map(|it| it.summary());
    assert_eq!(each.latency_mean, summed.latency_mean);
    assert_eq!(
        each.payload_bytes_first_sent,
        summed.payload_bytes_first_sent
    );
}

#[test]
fn the_time_line_leads_through_the_gateway() {
    let spec = bundling(spec(raw_udp(None), mqtt("1"), 2), 6, 10);
    let observe = Observe {
        message: Some(MessageName {
            device: 1,
            flow: None,
            number: 3.try_into().unwrap(),
        }),
        ..Observe::default()
    };
    let simulated = Simulated::run(&spec, observe, &Default::default()).unwrap();
    let entries = simulated.meter().timeline().unwrap().entries().to_vec();
    let places: Vec<&str> = entries.iter().map(|entry| entry.place).collect();
    let first = |place: &str| places.iter().position(|it| *it == place);
    assert!(first("device") < first("gateway"), "{entries:?}");
    assert!(first("gateway") < first("server"), "{entries:?}");
    let says = |what: &str| entries.iter().any(|entry| entry.what.contains(what));
    assert!(
        says("is to be passed on") && says("goes on in message 1 of the gateway"),
        "{entries:?}"
    );
    assert_eq!(
        entries.last().map(|it| it.place),
        Some("gateway"),
        "{entries:?}"
    );
}

#[test]
fn what_cannot_be_a_gateway_is_told() {
    let good = spec(raw_udp(None), raw_udp(None), 2);
    let refused = |change: fn(&mut RunSpec), problem: &str| {
        let mut spec = good.clone();
        change(&mut spec);
        let error = RunSpec::parse(&serde_json::to_string(&spec).unwrap()).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    };
    refused(
        |it| it.groups[0].clients[0].server = "gateway".into(),
        "server that is none",
    );
    refused(|it| it.groups.swap(0, 1), "before all others");
    refused(
        |it| it.servers[0].forwards.as_mut().unwrap().by = "nobody".into(),
        "is not there",
    );
    refused(
        |it| it.servers[0].forwards.as_mut().unwrap().batch = 12,
        "waits for a time",
    );
    refused(
        |it| it.servers[0].forwards.as_mut().unwrap().room = 0,
        "no room",
    );
    refused(
        |it| it.flows[0].kind = lasthop_world::FlowKind::RoundTrip,
        "reports alone",
    );
}
