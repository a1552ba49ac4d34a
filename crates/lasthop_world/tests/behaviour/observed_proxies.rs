//! Caching proxies by which readers observe: the server behind tells the proxy once, and the proxy tells all.

use lasthop_contract::Direction;
use lasthop_measure::MessageStatus;
use lasthop_world::{FlowKind, PopulationSpec, RunSpec, Simulated, StackSpec};

use crate::devices::esp8266;
use crate::proxies::{
    self, SECOND_NS, coap, counted, crash, ends, http, is_refused, is_the_same_again, outage,
    packets,
};
use crate::specs::{loss, run};
use crate::stacks::{mqtt, stack};

/// A sensor that tells a server its state each second for a minute, and readers who observe it by a proxy before that.
fn spec(readers_speak: StackSpec, fetched_by: StackSpec, readers: u32) -> RunSpec {
    let mut spec = proxies::spec(readers_speak, fetched_by, readers);
    let mut sensor = spec.groups[1].clone();
    sensor.name = "sensor".into();
    sensor.population = PopulationSpec::Staying { devices: 1 };
    sensor.clients = spec.groups[0].clients.clone();
    spec.groups.push(sensor);
    let flow = &mut spec.flows[0];
    (flow.kind, flow.from, flow.to) = (FlowKind::RelayToAll, "sensor".into(), "device".into());
    spec
}

/// All was heard by all, once.
fn all_heard(spec: &RunSpec, name: &str) -> Simulated {
    let simulated = run(spec);
    counted(&simulated);
    let it = simulated.summary();
    let all = (it.messages_delivered, it.messages_duplicated);
    let ends = ends(&simulated);
    assert_eq!(all, (it.messages_offered, 0), "{name}: {ends:?}");
    simulated
}

/// All that was said from a second on was heard by all.
fn all_heard_from(simulated: &Simulated, second: u64) {
    let late = simulated.meter().log().records();
    let late = late.filter(|(_, _, it)| it.intended.as_nanos() >= second * SECOND_NS);
    let late: Vec<_> = late.map(|(_, _, it)| it.status()).collect();
    assert!(late.len() >= 54, "{}", late.len());
    let is_heard = |it: &MessageStatus| *it == MessageStatus::Delivered;
    assert!(late.iter().all(is_heard), "{:?}", ends(simulated));
}

fn stacks(options: &[(&str, &str)]) -> [StackSpec; 5] {
    let with = |layers: &str, further: &[(&str, &str)]| stack(layers, &[options, further].concat());
    [
        with("coap/udp", &[]),
        with("coap/udp", &[("type", "non")]),
        with("coap/tcp", &[]),
        with("coap/tls/tcp", &[]),
        with("coap/dtls/udp", &[]),
    ]
}

#[test]
fn readers_by_any_stack_hear_what_is_observed_by_any() {
    for readers_speak in stacks(&[]) {
        for fetched_by in stacks(&[("max_age", "10s")]) {
            let name = format!("{} {}", readers_speak.path(), fetched_by.path());
            let simulated = all_heard(&spec(readers_speak.clone(), fetched_by, 5), &name);
            assert_eq!(simulated.summary().messages_offered, 300, "{name}");
        }
    }
}

#[test]
fn the_server_behind_says_the_same_however_many_hear_it() {
    let packets_for = |readers| {
        let spec = spec(coap(&[]), coap(&[("max_age", "60min")]), readers);
        let simulated = all_heard(&spec, "readers");
        let way = |path, direction| packets(&simulated, path, direction);
        let wan = [Direction::Up, Direction::Down].map(|it| way("wan", it));
        (wan, way("path", Direction::Down))
    };
    let ([up, down], _) = packets_for(1);
    // A registration, an acknowledgement of each notification; its answer and the notifications.
    assert_eq!((up, down), (61, 61));
    let (of_many, to_many) = packets_for(20);
    assert_eq!(of_many, [up, down]);
    assert!(to_many > 20 * 60, "{to_many}");
}

#[test]
fn a_proxy_that_crashes_observes_again_when_its_readers_do() {
    let mut spec = spec(coap(&[]), coap(&[("max_age", "5s")]), 3);
    spec.events.push(crash("proxy", 20, 2));
    let simulated = run(&spec);
    counted(&simulated);
    // Readers register again when nothing has come for 5 s, and 5 to 15 s more (RFC 7641 section 3.3.1).
    all_heard_from(&simulated, 45);
    let missing = ends(&simulated);
    assert!(missing.len() > 1, "{missing:?}");
}

#[test]
fn a_server_that_crashes_is_observed_again() {
    for fetched_by in [
        coap(&[("max_age", "5s")]),
        stack("coap/tcp", &[("max_age", "5s")]),
    ] {
        let mut spec = spec(coap(&[]), fetched_by, 3);
        spec.events.push(crash("origin", 20, 2));
        let simulated = run(&spec);
        counted(&simulated);
        all_heard_from(&simulated, 46);
    }
}

#[test]
fn an_outage_before_the_proxy_ends_no_observation() {
    let mut spec = spec(coap(&[]), coap(&[("max_age", "60s")]), 4);
    spec.events.push(outage(20, 10));
    let simulated = run(&spec);
    counted(&simulated);
    let delivered = simulated.summary().messages_delivered;
    // Of what changes faster than it is told, the newest alone is owed (RFC 7641 section 4.5.1).
    assert!(delivered >= 4 * 50, "{delivered}");
    all_heard_from(&simulated, 45);
}

#[test]
fn losses_on_both_sides_lose_nothing_from_the_books() {
    for (readers_speak, fetched_by) in [
        (coap(&[]), coap(&[("max_age", "2s")])),
        (coap(&[("type", "non")]), coap(&[("max_age", "0s")])),
        (coap(&[]), coap(&[("type", "non"), ("max_age", "3s")])),
    ] {
        let mut spec = spec(readers_speak, fetched_by, 10);
        loss(&mut spec, 0.1);
        let wan = spec.paths["path"].clone();
        *spec.paths.get_mut("wan").unwrap() = wan;
        spec.paths.get_mut("wan").unwrap().hops[0].name = "wan".into();
        let simulated = run(&spec);
        counted(&simulated);
        let it = simulated.summary();
        assert!(it.messages_delivered >= 350, "{:?}", ends(&simulated));
    }
}

#[test]
fn a_constrained_server_tells_a_proxy_and_that_all() {
    let mut spec = spec(coap(&[]), coap(&[("max_age", "60s")]), 50);
    spec.servers[1].device = Some(esp8266());
    all_heard(&spec, "a device");
}

#[test]
fn readers_who_ask_and_readers_who_observe_share_a_proxy() {
    let mut spec = spec(coap(&[]), coap(&[("max_age", "10s")]), 3);
    let mut asking = proxies::spec(coap(&[]), coap(&[("max_age", "10s")]), 3);
    let mut flow = asking.flows.remove(0);
    flow.name = "asked".into();
    spec.flows.push(flow);
    let simulated = all_heard(&spec, "both");
    let sums = simulated.summary().caches.unwrap();
    assert_eq!(sums.given(), 180);
    assert!((6..=7).contains(&sums.misses), "{sums:?}");
}

#[test]
fn the_same_run_is_the_same() {
    let spec = spec(coap(&[]), coap(&[("max_age", "3s")]), 4);
    is_the_same_again(&spec);
}

#[test]
fn what_cannot_be_observed_is_told() {
    is_refused(&spec(http(&[]), coap(&[]), 2), "device has no topics");
    let mut by_http = spec(coap(&[]), http(&[]), 2);
    by_http.groups[2].clients[0].stack = "sensor".into();
    by_http.stacks.insert("sensor".into(), mqtt("1"));
    let mut service = by_http.servers[1].services[0].clone();
    (service.stack, service.port) = ("sensor".into(), 1883);
    by_http.servers[1].services.push(service);
    is_refused(&by_http, "uplink has no topics");
    is_refused(
        &spec(mqtt("1"), coap(&[]), 2),
        "observes nothing by the stack device",
    );
    let mut speaks = spec(coap(&[]), coap(&[]), 2);
    speaks.groups[2].clients = speaks.groups[1].clients.clone();
    is_refused(&speaks, "reports alone");
    let mut keeps_nothing = spec(coap(&[]), coap(&[]), 2);
    keeps_nothing.servers[0].forwards.as_mut().unwrap().cache = None;
    is_refused(&keeps_nothing, "nor of a proxy before it");
}
