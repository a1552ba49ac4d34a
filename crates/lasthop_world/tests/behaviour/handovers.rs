//! Addresses that change, and handovers: who is told of them, and what every stack makes of it.

use lasthop_measure::MessageStatus;
use lasthop_world::{
    AddressSpec, ChangeSpec, EventSpec, FlowKind, NotifySpec, OutageOfSpec, PopulationSpec,
    RecurrenceSpec, RunSpec, Simulated, StackSpec,
};

use crate::events::{SECOND_NS, at, share, ten};
use crate::specs::{assert_accounted, run};
use crate::stacks::{coap_con, coap_tcp, every_stack, json_udp, mqtt, raw_tcp, raw_udp, stack};

/// Three devices, each with a message a second for 200 s.
fn three(stack: StackSpec, kind: FlowKind) -> RunSpec {
    let mut spec = ten(stack, kind);
    spec.groups[0].population = PopulationSpec::Staying { devices: 3 };
    spec
}

fn moves(notify: NotifySpec) -> ChangeSpec {
    ChangeSpec::NewAddress {
        of: share(1.0),
        notify,
    }
}

fn handover(address: AddressSpec, notify: NotifySpec) -> ChangeSpec {
    ChangeSpec::Handover {
        of: share(1.0),
        gap_ns: 2 * SECOND_NS,
        address,
        notify,
    }
}

fn run_with(mut spec: RunSpec, change: ChangeSpec) -> Simulated {
    spec.events = vec![at(50, change)];
    let it = run(&spec);
    assert_accounted(&it);
    it
}

fn longest(it: &Simulated) -> f64 {
    it.summary().latency_max.unwrap().as_secs_f64()
}

/// Every stack that devices report by, with what it is told apart by.
fn stacks() -> Vec<StackSpec> {
    let more = [
        stack("dds/udp", &[]),
        stack("coap/dtls/udp", &[]),
        stack("raw_udp/dtls/udp", &[]),
        stack("http/quic/udp", &[]),
    ];
    every_stack().into_iter().chain(more).collect()
}

#[test]
fn who_is_told_of_its_address_is_back_within_seconds_by_every_stack() {
    for stack in stacks() {
        let mut spec = three(stack.clone(), FlowKind::Report);
        spec.flows[0].duration_ns = 120 * SECOND_NS;
        let told = run_with(spec.clone(), moves(NotifySpec::Application)).summary();
        // What was under way by a connection that is closed is not said again by all of them.
        let missing = told.messages_offered - told.messages_delivered;
        assert!(missing <= 45, "{missing} {stack:?}");
        let untold = run_with(spec, moves(NotifySpec::None)).summary();
        assert_eq!(told.messages_offered, untold.messages_offered);
        assert!(
            told.messages_delivered + 9 >= untold.messages_delivered,
            "{} {} {stack:?}",
            told.messages_delivered,
            untold.messages_delivered
        );
    }
}

#[test]
fn a_connection_that_is_known_to_be_dead_is_replaced_and_one_that_is_not_waits() {
    for stack in [
        raw_tcp(),
        mqtt("1"),
        coap_tcp("post"),
        stack("mqtt/tls/tcp", &[("qos", "1")]),
        stack("mqtt/ws/tcp", &[("qos", "1")]),
        // With more connections than one the next message goes by another.
        stack("http/tls/tcp", &[("connections", "1")]),
    ] {
        let spec = three(stack.clone(), FlowKind::Report);
        let [told, untold] = [NotifySpec::Application, NotifySpec::None].map(|notify| {
            let it = run_with(spec.clone(), moves(notify));
            let summary = it.summary();
            let lost = summary.messages_offered - summary.messages_delivered;
            (longest(&it), lost)
        });
        assert!(told.0 < 5.0 && told.1 <= 9, "{told:?} {stack:?}");
        // Who says each message again until it is acknowledged is late, and who does not loses it.
        assert!(untold.0 > 10.0 || untold.1 > 30, "{untold:?} {stack:?}");
    }
}

#[test]
fn commands_reach_who_was_told_of_its_address() {
    for stack in [
        raw_udp(None),
        json_udp(),
        coap_con(8, "put"),
        coap_con(8, "observe"),
        stack("coap/dtls/udp", &[]),
        stack("raw_udp/dtls/udp", &[]),
        stack("dds/udp", &[]),
        stack("mqtt/quic/udp", &[]),
        mqtt("1"),
    ] {
        let spec = three(stack.clone(), FlowKind::Command);
        let told = run_with(spec, moves(NotifySpec::Application)).summary();
        let missing = told.messages_offered - told.messages_delivered;
        assert!(missing <= 12, "{missing} {stack:?}");
    }
    let untold = run_with(
        three(coap_con(8, "put"), FlowKind::Command),
        moves(NotifySpec::None),
    );
    assert!(untold.summary().messages_delivered < 200);
}

#[test]
fn nothing_passes_in_the_gap_of_a_handover() {
    for address in [AddressSpec::New, AddressSpec::Kept] {
        let spec = three(raw_udp(None), FlowKind::Report);
        let it = run_with(spec, handover(address, NotifySpec::None)).summary();
        // Three devices, a message a second, two seconds.
        assert_eq!(it.messages_offered - it.messages_delivered, 6);
    }
    let spec = three(mqtt("1"), FlowKind::Report);
    let kept = run_with(spec.clone(), handover(AddressSpec::Kept, NotifySpec::None));
    let new = run_with(spec.clone(), handover(AddressSpec::New, NotifySpec::None));
    let told = handover(AddressSpec::New, NotifySpec::Application);
    let told = run_with(spec, told);
    assert!(longest(&kept) < 6.0, "{}", longest(&kept));
    assert!(longest(&told) < 7.0, "{}", longest(&told));
    assert!(longest(&new) > 10.0, "{}", longest(&new));
}

/// Which devices still hear commands at the end, behind some events and one that a third is drawn for.
fn still_reached(events: Vec<EventSpec>) -> Vec<u32> {
    let mut spec = three(raw_udp(None), FlowKind::Command);
    spec.events = events;
    spec.events.push(at(150, moves_of(0.34)));
    let it = run(&spec);
    assert_accounted(&it);
    let records = it.meter().log().records();
    let last = records.filter(|(.., it)| {
        it.status() == MessageStatus::Delivered && it.intended.as_nanos() > 180 * SECOND_NS
    });
    let mut devices: Vec<u32> = last.map(|(flow, ..)| flow.device().0).collect();
    devices.sort_unstable();
    devices.dedup();
    devices
}

fn moves_of(of: f64) -> ChangeSpec {
    ChangeSpec::NewAddress {
        of: share(of),
        notify: NotifySpec::None,
    }
}

fn outage_of_a_second() -> ChangeSpec {
    ChangeSpec::Outage {
        of: OutageOfSpec::Server("server".into()),
        duration_ns: SECOND_NS,
    }
}

fn periodic(every: u64, until: u64) -> Option<RecurrenceSpec> {
    Some(RecurrenceSpec::Periodic {
        every_ns: every * SECOND_NS,
        until_ns: until * SECOND_NS,
        own: false,
    })
}

fn poisson(mean: u64, until: u64) -> Option<RecurrenceSpec> {
    Some(RecurrenceSpec::Poisson {
        mean_ns: mean * SECOND_NS,
        until_ns: until * SECOND_NS,
        own: false,
    })
}

fn again(second: u64, change: ChangeSpec, again: Option<RecurrenceSpec>) -> EventSpec {
    EventSpec {
        again,
        ..at(second, change)
    }
}

#[test]
fn an_event_that_comes_again_leaves_alone_who_is_drawn_for_another() {
    let alone = still_reached(vec![]);
    assert_eq!(alone.len(), 2);
    for again_of in [periodic(5, 150), periodic(50, 100), poisson(20, 150)] {
        let others = vec![again(10, outage_of_a_second(), again_of)];
        assert_eq!(still_reached(others), alone);
    }
}

#[test]
fn an_event_comes_again_on_the_beat_until_its_end() {
    let mut spec = three(raw_udp(None), FlowKind::Report);
    spec.events = vec![again(20, outage_of_a_second(), periodic(30, 141))];
    let it = run(&spec);
    assert_accounted(&it);
    // At 20, 50, 80, 110 and 140 s, each for three devices with a message a second.
    let lost = it.summary().messages_offered - it.summary().messages_delivered;
    assert_eq!(lost, 15);
}

#[test]
fn an_event_comes_again_at_random_by_the_seed_and_with_its_mean() {
    let spec_of = |seed| {
        let mut spec = three(raw_udp(None), FlowKind::Report);
        spec.seed = seed;
        spec.events = vec![again(0, outage_of_a_second(), poisson(10, 200))];
        spec
    };
    let lost = |spec: &RunSpec| {
        let it = run(spec);
        assert_accounted(&it);
        it.summary().messages_offered - it.summary().messages_delivered
    };
    let all: Vec<u64> = (0..20).map(|seed| lost(&spec_of(seed))).collect();
    assert_eq!(lost(&spec_of(3)), all[3]);
    assert!(all.iter().any(|it| *it != all[0]));
    // 20 outages of 200 s on average, of which some overlap: 1 - exp(-1/10) of the time is out.
    let mean = all.iter().sum::<u64>() as f64 / 20.0;
    let expected = 600.0 * 0.095_16;
    assert!((mean - expected).abs() < 10.0, "{mean} {expected}");
}

#[test]
fn an_event_that_never_or_hardly_ever_ends_is_refused() {
    let refused = |again_of, change: ChangeSpec| {
        let mut spec = three(raw_udp(None), FlowKind::Report);
        spec.events = vec![again(50, change, again_of)];
        let json = serde_json::to_string(&spec).unwrap();
        RunSpec::parse(&json).map_or_else(|error| error.to_string(), |_| "runs".into())
    };
    let tiny = |every_ns| {
        Some(RecurrenceSpec::Periodic {
            every_ns,
            until_ns: 150 * SECOND_NS,
            own: false,
        })
    };
    for (again_of, why) in [
        (periodic(1, 150), "runs"),
        (poisson(1, 150), "runs"),
        (periodic(0, 150), "above 0"),
        (poisson(0, 150), "above 0"),
        (periodic(10, 50), "ends before it begins"),
        (periodic(10, 100_000), "after the end of the run"),
        (tiny(SECOND_NS / 100), "more than 10000 times"),
    ] {
        let said = refused(again_of, outage_of_a_second());
        assert!(said.contains(why), "{said}, not {why}");
    }
}

#[test]
fn a_handover_without_a_gap_or_of_nobody_is_refused() {
    let refused = |change| {
        let mut spec = three(raw_udp(None), FlowKind::Report);
        spec.events = vec![at(50, change)];
        let json = serde_json::to_string(&spec).unwrap();
        RunSpec::parse(&json).unwrap_err().to_string()
    };
    let handover = |gap_ns, group: &str| {
        let mut of = share(1.0);
        of.group = group.into();
        ChangeSpec::Handover {
            of,
            gap_ns,
            address: AddressSpec::Kept,
            notify: NotifySpec::None,
        }
    };
    assert!(refused(handover(0, "device")).contains("a handover has a gap"));
    assert!(refused(handover(1, "nobody")).contains("its group is not there"));
}
