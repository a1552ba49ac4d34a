//! Caching proxies: what readers ask for is fetched once, and given out for as long as its server says.

use std::collections::BTreeMap;

use lasthop_contract::{Cause, Direction};
use lasthop_measure::{CacheSums, Fate, MessageStatus, RunStatus};
use lasthop_world::{
    ArrivalSpec, BackSpec, CacheSpec, ChangeSpec, ClientSpec, EventSpec, FlowKind, ForwardsSpec,
    MessageName, Observe, OutageOfSpec, PayloadSpec, PopulationSpec, Registry, RestartOfSpec,
    RunSpec, ServerLayout, ServerSpec, ServiceSpec, Simulated, StackSpec, SurvivesSpec,
};

use crate::devices::esp8266;
use crate::specs::{base, loss, run};
use crate::stacks::{mqtt, stack};

pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// Readers that ask a proxy by one stack once a second for a minute, which fetches 45 B by another; 100 ms on either path.
pub(crate) fn spec(readers_speak: StackSpec, fetched_by: StackSpec, readers: u32) -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    let path = spec.paths["path"].clone();
    spec.paths.insert("wan".into(), path);
    spec.paths.get_mut("wan").unwrap().hops[0].name = "wan".into();
    let registry = Registry::standard();
    let server = |name: &str, stack: &str, speaks: &StackSpec, forwards| ServerSpec {
        name: name.into(),
        layout: ServerLayout::Shared,
        services: vec![ServiceSpec {
            stack: stack.into(),
            port: registry.builder(speaks).unwrap().port(),
            at: None,
        }],
        forwards,
        service_time: None,
        device: None,
    };
    let forwards = ForwardsSpec {
        by: "proxy".into(),
        batch: 1,
        wait_ns: 0,
        room: 1000,
        cache: Some(CacheSpec {
            room_bytes: 64_000,
            stale_if_error_ns: 0,
        }),
    };
    spec.servers = vec![
        server("proxy", "device", &readers_speak, Some(forwards)),
        server("origin", "uplink", &fetched_by, None),
    ];
    spec.stacks.insert("device".into(), readers_speak);
    spec.stacks.insert("uplink".into(), fetched_by);
    spec.groups[0].population = PopulationSpec::Staying { devices: readers };
    spec.groups[0].clients[0].server = "proxy".into();
    let mut proxy = spec.groups[0].clone();
    proxy.name = "proxy".into();
    proxy.path = "wan".into();
    proxy.population = PopulationSpec::Staying { devices: 1 };
    proxy.clients = vec![ClientSpec {
        stack: "uplink".into(),
        server: "origin".into(),
    }];
    spec.groups.insert(0, proxy);
    let flow = &mut spec.flows[0];
    (flow.kind, flow.from, flow.to) = (FlowKind::Download, "proxy".into(), "device".into());
    flow.payload = PayloadSpec::Text { bytes: 45 };
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: SECOND_NS,
    };
    flow.start_ns = 5 * SECOND_NS;
    flow.duration_ns = 60 * SECOND_NS;
    spec
}

pub(crate) fn coap(options: &[(&str, &str)]) -> StackSpec {
    stack("coap/udp", options)
}

pub(crate) fn http(options: &[(&str, &str)]) -> StackSpec {
    stack("http/tcp", options)
}

/// What there is to keep answers: CoAP and HTTP, plain and secured, with these options.
fn stacks(options: &[(&str, &str)]) -> Vec<StackSpec> {
    let with = |layers: &str, further: &[(&str, &str)]| stack(layers, &[options, further].concat());
    vec![
        with("coap/udp", &[]),
        with("coap/udp", &[("answers", "separate")]),
        with("coap/tcp", &[]),
        with("coap/dtls/udp", &[]),
        with("http/tcp", &[]),
        with("http/tcp", &[("connection", "per_message")]),
        with("http/tcp", &[("version", "2")]),
        with("http/tls/tcp", &[]),
        with("http/quic/udp", &[]),
    ]
}

fn cache(spec: &mut RunSpec) -> &mut CacheSpec {
    spec.servers[0]
        .forwards
        .as_mut()
        .unwrap()
        .cache
        .as_mut()
        .unwrap()
}

/// What the proxy counted, where every message that was due has ended and every byte is in the books.
pub(crate) fn counted(simulated: &Simulated) -> CacheSums {
    assert_eq!(simulated.status(), RunStatus::Completed);
    assert!(simulated.meter().ledger().is_balanced());
    let it = simulated.summary();
    let ends = it.messages_delivered + it.messages_failed + it.messages_unfinished;
    assert_eq!(it.messages_offered, ends);
    it.caches.unwrap()
}

/// The same, where all was delivered once.
fn all_delivered(spec: &RunSpec, name: &str) -> CacheSums {
    let simulated = run(spec);
    let sums = counted(&simulated);
    let it = simulated.summary();
    assert_eq!(
        it.messages_delivered,
        it.messages_offered,
        "{name}: {:?}",
        ends(&simulated)
    );
    assert_eq!(it.messages_duplicated, 0, "{name}");
    assert_eq!(
        sums.given() + sums.written,
        it.messages_delivered,
        "{name}: {sums:?}"
    );
    sums
}

pub(crate) fn ends(simulated: &Simulated) -> BTreeMap<&'static str, usize> {
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

/// Packets that were offered to a path, one way.
pub(crate) fn packets(simulated: &Simulated, path: &str, direction: Direction) -> u64 {
    let meter = simulated.meter();
    let rows = meter.ledger().packet_rows().into_iter();
    let of_it = rows.filter(|row| row.fate == Fate::Offered && row.direction == direction);
    let of_it = of_it.filter(|row| meter.directory().path(row.path).unwrap() == path);
    of_it.map(|row| row.packets).sum()
}

#[test]
fn readers_by_any_stack_are_answered_from_what_was_fetched_by_any() {
    for readers_speak in stacks(&[]) {
        for fetched_by in stacks(&[("max_age", "10s")]) {
            let name = format!("{} {}", readers_speak.path(), fetched_by.path());
            let sums = all_delivered(&spec(readers_speak.clone(), fetched_by, 5), &name);
            assert_eq!(sums.given(), 300, "{name}");
            // A minute holds six spans of ten seconds, and begins in one.
            assert!((6..=7).contains(&sums.misses), "{name}: {sums:?}");
            assert!(sums.collapsed <= 4 * sums.misses, "{name}: {sums:?}");
        }
    }
}

#[test]
fn what_is_not_fresh_when_it_comes_is_fetched_for_each() {
    for (readers_speak, fetched_by) in [
        (coap(&[]), coap(&[("max_age", "0s")])),
        (http(&[]), http(&[("max_age", "0s")])),
        // Nothing is said of an answer of HTTP, and nothing is guessed.
        (http(&[]), http(&[])),
    ] {
        let sums = all_delivered(&spec(readers_speak, fetched_by, 5), "0 s");
        assert_eq!((sums.misses, sums.given()), (300, 300), "{sums:?}");
    }
}

#[test]
fn an_answer_of_coap_that_says_nothing_is_fresh_for_a_minute() {
    // RFC 7252 section 5.10.5.
    let sums = all_delivered(&spec(coap(&[]), coap(&[]), 5), "60 s");
    assert!((1..=2).contains(&sums.misses), "{sums:?}");
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let options = [("max_age", "5s"), ("changes", "20s")];
    for (readers_speak, fetched_by) in [(coap(&[]), coap(&options)), (http(&[]), http(&options))] {
        let spec = spec(readers_speak, fetched_by, 3);
        let sums = all_delivered(&spec, "validation");
        // Spans of 5 s and up to the next reading, in which the resource changes three times.
        assert!(
            (9..=13).contains(&(sums.misses + sums.validated)),
            "{sums:?}"
        );
        assert!((3..=4).contains(&sums.misses), "{sums:?}");
        let wan = run(&spec);
        let meter = wan.meter();
        let rows = meter.ledger().rows();
        let payload: u64 = rows
            .iter()
            .filter(|row| row.cause == Cause::Payload && row.fate == Fate::Offered)
            .filter(|row| meter.directory().path(row.path).unwrap() == "wan")
            .map(|row| row.bytes)
            .sum();
        assert_eq!(payload, 45 * sums.misses);
    }
}

#[test]
fn a_state_that_is_stale_on_arrival_is_looked_after_for_each() {
    let options = [("max_age", "0s"), ("changes", "1h")];
    for (readers_speak, fetched_by) in [(coap(&[]), coap(&options)), (http(&[]), http(&options))] {
        let sums = all_delivered(&spec(readers_speak, fetched_by, 2), "0 s, tagged");
        assert!((1..=2).contains(&sums.misses), "{sums:?}");
        assert_eq!(sums.misses + sums.validated, 120, "{sums:?}");
    }
}

#[test]
fn a_cache_without_room_fetches_for_each_and_one_with_little_keeps_what_was_used_last() {
    let fetched_by = || coap(&[("max_age", "60min")]);
    let mut none = spec(coap(&[]), fetched_by(), 3);
    cache(&mut none).room_bytes = 0;
    assert_eq!(all_delivered(&none, "no room").misses, 180);
    // Two resources of 45 B that are asked for in turns, and room for one.
    let mut two = spec(coap(&[]), fetched_by(), 1);
    let mut other = two.flows[0].clone();
    other.name = "other".into();
    other.start_ns += SECOND_NS / 2;
    two.flows.push(other);
    assert_eq!(all_delivered(&two, "room for both").misses, 2);
    cache(&mut two).room_bytes = 89;
    assert_eq!(all_delivered(&two, "room for one").misses, 120);
    cache(&mut two).room_bytes = 90;
    assert_eq!(all_delivered(&two, "room for two").misses, 2);
    for flow in &mut two.flows {
        flow.resource = Some("temperature".into());
    }
    assert_eq!(all_delivered(&two, "one resource").misses, 1);
}

#[test]
fn large_representations_are_kept_whole() {
    for (readers_speak, fetched_by) in [
        (coap(&[]), coap(&[("max_age", "60min")])),
        (coap(&[("block_size", "64")]), http(&[("max_age", "60min")])),
        (
            http(&[]),
            coap(&[("max_age", "60min"), ("block_size", "512")]),
        ),
    ] {
        let mut spec = spec(readers_speak, fetched_by, 2);
        spec.flows[0].payload = PayloadSpec::Text { bytes: 20_000 };
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: 30 * SECOND_NS,
        };
        let sums = all_delivered(&spec, "20 kB");
        assert_eq!((sums.misses, sums.given()), (1, 4), "{sums:?}");
        cache(&mut spec).room_bytes = 19_999;
        let sums = all_delivered(&spec, "no room for it");
        assert!(sums.hits == 0 && sums.misses >= 2, "{sums:?}");
    }
}

fn event(seconds: u64, change: ChangeSpec) -> EventSpec {
    EventSpec {
        at_ns: seconds * SECOND_NS,
        change,
        again: None,
    }
}

pub(crate) fn crash(server: &str, seconds: u64, off: u64) -> EventSpec {
    let back = BackSpec {
        duration_ns: off * SECOND_NS,
        spread_ns: 0,
        survives: SurvivesSpec::Nothing,
    };
    let of = RestartOfSpec::Server(server.into());
    event(seconds, ChangeSpec::Restart { of, back })
}

#[test]
fn while_the_server_is_silent_what_is_stale_is_given_where_that_is_allowed() {
    let impatient = [
        ("max_age", "2s"),
        ("ack_timeout", "1s"),
        ("max_retransmit", "1"),
    ];
    let short = [("max_age", "2s"), ("timeout", "3s")];
    for (readers_speak, fetched_by) in [
        (coap(&[]), coap(&impatient)),
        (http(&[]), http(&short)),
        (http(&[]), coap(&impatient)),
    ] {
        for off in [crash("origin", 20, 20), outage(20, 20)] {
            let mut spec = spec(readers_speak.clone(), fetched_by.clone(), 2);
            spec.events.push(off);
            let refused = run(&spec);
            let sums = counted(&refused);
            assert!(sums.failed > 0 && sums.stale == 0, "{sums:?}");
            let it = refused.summary();
            let missing = it.messages_offered - it.messages_delivered;
            assert_eq!(missing, sums.failed, "{:?}", ends(&refused));
            assert!(ends(&refused).contains_key("rejected"));
            cache(&mut spec).stale_if_error_ns = 60 * SECOND_NS;
            let sums = all_delivered(&spec, "stale");
            assert!(sums.stale > 0 && sums.failed == 0, "{sums:?}");
            cache(&mut spec).stale_if_error_ns = SECOND_NS;
            let sums = counted(&run(&spec));
            assert!(sums.failed > 0, "{sums:?}");
        }
    }
}

pub(crate) fn outage(seconds: u64, duration: u64) -> EventSpec {
    event(
        seconds,
        ChangeSpec::Outage {
            of: OutageOfSpec::Hop("wan".into()),
            duration_ns: duration * SECOND_NS,
        },
    )
}

#[test]
fn a_proxy_that_crashes_has_forgotten_and_goes_on() {
    for (readers_speak, fetched_by) in [
        (coap(&[]), coap(&[("max_age", "60min")])),
        (http(&[]), http(&[("max_age", "60min")])),
        (
            http(&[("connection", "per_message")]),
            coap(&[("max_age", "60min")]),
        ),
    ] {
        let mut spec = spec(readers_speak, fetched_by, 3);
        spec.events.push(crash("proxy", 30, 5));
        let simulated = run(&spec);
        let sums = counted(&simulated);
        assert_eq!(sums.misses, 2, "{sums:?}");
        let late = simulated
            .meter()
            .log()
            .records()
            .filter(|(_, number, record)| {
                *number > 45 && record.status() == MessageStatus::Delivered
            });
        assert_eq!(late.count(), 3 * 15, "{:?}", ends(&simulated));
    }
}

/// One of the readers' group that writes what the others read, every ten seconds.
fn with_a_writer(mut spec: RunSpec) -> RunSpec {
    let mut write = spec.flows[0].clone();
    write.name = "write".into();
    (write.kind, write.from, write.to) = (FlowKind::Report, "device".into(), "proxy".into());
    write.arrivals = ArrivalSpec::Periodic {
        every_ns: 10 * SECOND_NS,
    };
    write.start_ns += SECOND_NS / 2;
    write.spread_ns = 0;
    spec.flows.push(write);
    for flow in &mut spec.flows {
        flow.resource = Some("valve".into());
    }
    spec
}

#[test]
fn who_writes_is_answered_by_the_server_and_makes_the_cache_forget() {
    for readers_speak in [
        coap(&[]),
        coap(&[("type", "non")]),
        http(&[]),
        http(&[("version", "2")]),
    ] {
        for fetched_by in [coap(&[("max_age", "60min")]), http(&[("max_age", "60min")])] {
            let name = format!("{} {}", readers_speak.path(), fetched_by.path());
            let spec = with_a_writer(spec(readers_speak.clone(), fetched_by, 1));
            let sums = all_delivered(&spec, &name);
            assert_eq!(sums.written, 6, "{name}: {sums:?}");
            // Once at the beginning, and once behind each write.
            assert_eq!(sums.misses, 7, "{name}: {sums:?}");
        }
    }
}

#[test]
fn a_write_that_the_server_does_not_answer_has_failed_for_its_writer() {
    let impatient = [
        ("max_age", "60min"),
        ("ack_timeout", "1s"),
        ("max_retransmit", "1"),
    ];
    let mut spec = with_a_writer(spec(coap(&[]), coap(&impatient), 1));
    spec.events.push(outage(4, 30));
    let simulated = run(&spec);
    let (sums, it) = (counted(&simulated), simulated.summary());
    assert!((2..=4).contains(&sums.written), "{sums:?}");
    // A message that was lost on its way says so, whatever its writer was told.
    let missing = it.messages_offered - it.messages_delivered;
    assert_eq!(missing, sums.failed, "{:?}", ends(&simulated));
    assert!(missing > 2);
}

#[test]
fn a_constrained_server_behind_a_proxy_works_on_what_is_fetched_alone() {
    let mut spec = spec(coap(&[]), coap(&[("max_age", "5s")]), 50);
    spec.servers[1].device = Some(lasthop_world::DeviceSpec {
        message_ns: 87 * SECOND_NS / 1000,
        byte_ns: 0,
        watchdog_ns: None,
        reading: lasthop_world::ReadingSpec::All,
        ..esp8266()
    });
    let sums = all_delivered(&spec, "a device");
    assert!(sums.misses <= 13 && sums.given() == 3000, "{sums:?}");
    // 50 readers that all ask the device itself once a second are more than it can answer.
    let mut direct = spec.clone();
    direct.servers.remove(0);
    direct.groups.remove(0);
    direct.stacks.insert("device".into(), coap(&[]));
    direct.stacks.remove("uplink");
    direct.servers[0].services[0].stack = "device".into();
    direct.groups[0].clients[0].server = "origin".into();
    direct.flows[0].from = "origin".into();
    let direct = run(&direct).summary();
    assert!(
        direct.messages_delivered < 2500,
        "{}",
        direct.messages_delivered
    );
    assert!(direct.caches.is_none());
}

#[test]
fn a_proxy_over_lossy_paths_loses_nothing_from_the_books() {
    for (readers_speak, fetched_by) in [
        (coap(&[]), coap(&[("max_age", "2s"), ("changes", "7s")])),
        (http(&[]), coap(&[("max_age", "2s")])),
        (coap(&[]), http(&[("max_age", "2s"), ("changes", "7s")])),
    ] {
        let mut spec = spec(readers_speak, fetched_by, 10);
        loss(&mut spec, 0.1);
        let wan = spec.paths["path"].clone();
        *spec.paths.get_mut("wan").unwrap() = wan;
        spec.paths.get_mut("wan").unwrap().hops[0].name = "wan".into();
        let simulated = run(&spec);
        let sums = counted(&simulated);
        let delivered = simulated.summary().messages_delivered;
        assert!(
            delivered >= 560 && sums.given() >= delivered,
            "{delivered} {sums:?} {:?}",
            ends(&simulated)
        );
    }
}

#[test]
fn the_same_run_is_the_same() {
    let spec = with_a_writer(spec(
        coap(&[]),
        http(&[("max_age", "3s"), ("changes", "9s")]),
        4,
    ));
    is_the_same_again(&spec);
}

/// A run has the same tables when it is run again.
pub(crate) fn is_the_same_again(spec: &RunSpec) {
    let tables = || run(spec).tables("x");
    let (one, other) = (tables(), tables());
    assert_eq!(one.summary, other.summary);
    assert_eq!(one.messages, other.messages);
    assert_eq!(one.ledger, other.ledger);
}

/// A run is refused with a problem, where it is read or where it begins.
pub(crate) fn is_refused(spec: &RunSpec, problem: &str) {
    let parsed = RunSpec::parse(&serde_json::to_string(spec).unwrap());
    let error = match parsed {
        Err(error) => error.to_string(),
        Ok(spec) => {
            let run = Simulated::run(&spec, Observe::default(), &Default::default());
            run.err().unwrap().to_string()
        }
    };
    assert!(error.contains(problem), "{error}");
}

#[test]
fn the_time_line_says_how_a_reader_was_answered() {
    let spec = spec(coap(&[]), coap(&[("max_age", "10s")]), 2);
    let told = |number: u32| {
        let observe = Observe {
            message: Some(MessageName {
                device: 1,
                flow: None,
                number: number.try_into().unwrap(),
            }),
            ..Observe::default()
        };
        let simulated = Simulated::run(&spec, observe, &Default::default()).unwrap();
        let entries = simulated.meter().timeline().unwrap().entries().to_vec();
        let says = entries.iter().filter(|entry| entry.place == "gateway");
        says.map(|entry| entry.what.clone()).collect::<Vec<_>>()
    };
    let of_first = told(1);
    assert!(
        of_first.iter().any(|it| it.contains("as fetched for")),
        "{of_first:?}"
    );
    let of_second = told(2);
    let hit = of_second.iter().find(|it| it.contains("from the cache"));
    assert!(
        hit.is_some_and(|it| it.contains(" ms old")),
        "{of_second:?}"
    );
}

#[test]
fn a_hit_goes_by_the_readers_path_alone() {
    let spec = spec(coap(&[]), coap(&[("max_age", "60min")]), 3);
    let simulated = run(&spec);
    assert_eq!(packets(&simulated, "wan", Direction::Up), 1);
    assert_eq!(packets(&simulated, "wan", Direction::Down), 1);
    // What takes its time is acknowledged, and the answer to it as well.
    let waited = counted(&simulated).collapsed + 1;
    assert_eq!(packets(&simulated, "path", Direction::Up), 180 + waited);
    assert_eq!(packets(&simulated, "path", Direction::Down), 180 + waited);
}

#[test]
fn what_cannot_be_a_cache_is_told() {
    let good = spec(coap(&[]), coap(&[]), 2);
    let refused = |change: fn(&mut RunSpec), problem: &str| {
        let mut spec = good.clone();
        change(&mut spec);
        is_refused(&spec, problem);
    };
    refused(
        |it| {
            let forwards = it.servers[0].forwards.as_mut().unwrap();
            (forwards.batch, forwards.wait_ns) = (2, SECOND_NS);
        },
        "each request by itself",
    );
    refused(|it| it.flows[0].kind = FlowKind::Pull, "reports alone");
    refused(
        |it| it.servers[0].forwards.as_mut().unwrap().cache = None,
        "reports alone",
    );
    refused(
        |it| {
            it.servers[1].services[0].port = 1883;
            it.stacks.insert("uplink".into(), mqtt("1"));
        },
        "no names for resources",
    );
    refused(
        |it| {
            it.servers[0].services[0].port = 1883;
            it.stacks.insert("device".into(), mqtt("1"));
        },
        "no names for resources",
    );
}
