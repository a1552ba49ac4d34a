//! What happens to devices in radio networks, and to the networks, in the middle of a run.

use lasthop_contract::DropReason;
use lasthop_measure::{Fate, RunStatus};
use lasthop_nbiot::config::{NetworkConfig, PowerSavingMode};
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, EnergySpec, EventSpec, FlowKind, NotifySpec, OutageOfSpec,
    PopulationSpec, PowerProfileSpec, RunSpec, Simulated, StackSpec,
};

use crate::events::{BACK, at, count_of, due_of, outage, power_cut, share, ten};
use crate::network::city;
use crate::specs::{assert_accounted, run, set_network};
use crate::stacks::{coap_con, every_stack, in_turns, mqtt, raw_udp, speaks_dds};

const SECOND_NS: u64 = 1_000_000_000;

/// Ten devices in a network, each with a message in 20 s for 200 s, and another path without a radio.
fn in_a_network(stack: StackSpec, kind: FlowKind) -> RunSpec {
    let mut spec = ten(stack, kind);
    let wired = spec.paths["path"].clone();
    let mut network = NetworkConfig::single_device(120.0);
    network.idle.power_saving_mode = None;
    network.give_up_ms = 20_000;
    set_network(&mut spec, network);
    spec.paths.insert("wired".into(), wired);
    spec.paths.get_mut("wired").unwrap().hops[0].name = "wired".into();
    let mut second = spec.paths["path"].clone();
    second.hops[0].name = "second".into();
    spec.paths.insert("second".into(), second);
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 20 * SECOND_NS,
    };
    spec.flows[0].spread_ns = 20 * SECOND_NS;
    spec.groups[0].energy = Some(EnergySpec {
        profile: PowerProfileSpec::Tr45820,
        battery_wh: 5.0,
        self_discharge_per_year: 0.0,
        load_w: 0.0,
        load_per_message_j: 0.0,
        lifetime_years: None,
    });
    spec
}

fn to(path: &str, of: f64) -> ChangeSpec {
    ChangeSpec::ChangePath {
        of: share(of),
        to: path.into(),
        notify: NotifySpec::None,
    }
}

fn network_outage() -> ChangeSpec {
    outage(OutageOfSpec::Path("path".into()))
}

fn run_with(mut spec: RunSpec, events: Vec<EventSpec>) -> Simulated {
    spec.events = events;
    run(&spec)
}

fn registrations(simulated: &Simulated) -> u64 {
    let levels = simulated.network().unwrap().levels();
    levels.iter().map(|level| level.registrations).sum()
}

fn dropped(simulated: &Simulated, reason: DropReason) -> u64 {
    let rows = simulated.meter().ledger().packet_rows();
    let rows = rows.iter().filter(|row| row.fate == Fate::Dropped(reason));
    rows.map(|row| row.packets).sum()
}

#[test]
fn whatever_happens_to_a_radio_is_accounted_for_and_a_seed_gives_the_same() {
    let changes = [
        network_outage(),
        outage(OutageOfSpec::Hop("path".into())),
        power_cut(0.5),
        power_cut(1.0),
        to("wired", 0.5),
        to("second", 1.0),
    ];
    let kinds = [FlowKind::Report, FlowKind::RoundTrip, FlowKind::Command];
    for (stack, change, kind) in in_turns(every_stack(), &changes, &kinds) {
        let mut spec = in_a_network(stack.clone(), kind);
        if speaks_dds(&stack) {
            // What participants tell of each other grows with the square of their number: that of ten never ends here.
            spec.groups[0].population = PopulationSpec::Staying { devices: 2 };
        }
        spec.flows[0].duration_ns = 100 * SECOND_NS;
        spec.events.push(at(41, change));
        let [one, other] = [run(&spec), run(&spec)];
        assert_accounted(&one);
        assert_eq!(one.summary().trace, other.summary().trace);
    }
}

#[test]
fn radios_bear_all_at_once_at_the_start_in_the_middle_and_at_the_end() {
    for stack in every_stack() {
        for second in [0, 50, 201] {
            let all = vec![
                power_cut(1.0),
                power_cut(0.5),
                network_outage(),
                to("wired", 0.5),
                network_outage(),
                to("second", 1.0),
                to("path", 0.3),
                to("path", 1.0),
            ];
            let spec = in_a_network(stack.clone(), FlowKind::Report);
            let events: Vec<EventSpec> = all.into_iter().map(|it| at(second, it)).collect();
            let it = run_with(spec, events);
            // Who is asked to move while he sets up a connection may never get one.
            if second > 0 || it.status() == RunStatus::Completed {
                assert_accounted(&it);
            }
            assert_ne!(it.status(), RunStatus::Invalid("energy_not_conserved"));
            assert_ne!(it.status(), RunStatus::Invalid("ledger_not_balanced"));
        }
    }
}

#[test]
fn who_lost_power_registers_anew_and_pays_for_it() {
    let spec = in_a_network(raw_udp(None), FlowKind::Report);
    let plain = run(&spec);
    let cut = run_with(spec, vec![at(50, power_cut(0.5))]);
    assert_accounted(&cut);
    assert_eq!((registrations(&plain), registrations(&cut)), (0, 5));
    let summary = cut.summary();
    // Five devices, off for 30 to 40 s each: a message or two of each.
    let unsaid = 100 - summary.messages_offered;
    assert!((5..=10).contains(&unsaid), "{unsaid}");
    assert!(summary.messages_delivered + 2 >= summary.messages_offered);
    // Broadcasts are read and messages exchanged for it, and fewer messages are sent.
    let energy = |it: &Simulated, cause: usize| {
        let energy = it.summary().energy.unwrap();
        energy.by_cause[cause].as_joules()
    };
    let synchronisation = lasthop_contract::RadioCause::Synchronisation as usize;
    assert!(energy(&cut, synchronisation) > energy(&plain, synchronisation));
    assert!(cut.summary().energy.unwrap().battery_years.is_some());
}

#[test]
fn who_is_off_draws_next_to_nothing() {
    let mut spec = in_a_network(raw_udp(None), FlowKind::Report);
    spec.flows[0].duration_ns = 1000 * SECOND_NS;
    let joules = |events| {
        let it = run_with(spec.clone(), events);
        assert_accounted(&it);
        it.summary().energy.unwrap().total.as_joules()
    };
    let back = BackSpec {
        duration_ns: 500 * SECOND_NS,
        ..BACK
    };
    let of = share(1.0);
    let half = joules(vec![at(400, ChangeSpec::PowerCut { of, back })]);
    let (whole, share) = (joules(Vec::new()), half / joules(Vec::new()));
    assert!((0.4..0.65).contains(&share), "{half} J of {whole} J");
}

#[test]
fn a_network_that_is_out_carries_nothing_and_then_goes_on() {
    let lossy = run_with(
        in_a_network(raw_udp(None), FlowKind::Report),
        vec![at(50, network_outage())],
    );
    assert_accounted(&lossy);
    let lost = count_of(&lossy, "outage");
    // Thirty seconds of ten devices, and what was on its way.
    assert!((13..=20).contains(&lost), "{lost}");
    let (first, last) = due_of(&lossy, "outage").unwrap();
    assert!(first > 40 * SECOND_NS && last < 80 * SECOND_NS);
    assert_eq!(lossy.summary().messages_delivered + lost as u64, 100);
    assert_eq!(registrations(&lossy), 0);
    for stack in [mqtt("1"), coap_con(1, "post")] {
        let it = run_with(
            in_a_network(stack, FlowKind::Report),
            vec![at(50, network_outage())],
        );
        assert_accounted(&it);
        assert!(dropped(&it, DropReason::Outage) > 0);
        assert!(it.summary().messages_delivered >= 99);
    }
}

#[test]
fn a_power_cut_in_an_outage_registers_when_the_network_is_back() {
    let events = vec![
        at(50, network_outage()),
        at(55, power_cut(1.0)),
        at(70, network_outage()),
    ];
    let it = run_with(in_a_network(raw_udp(None), FlowKind::Report), events);
    assert_accounted(&it);
    assert_eq!(registrations(&it), 10);
    let (first, last) = due_of(&it, "outage").unwrap();
    assert!(first > 40 * SECOND_NS && last < 100 * SECOND_NS);
}

#[test]
fn an_update_that_was_due_in_an_outage_comes_after_it() {
    let mut spec = in_a_network(raw_udp(None), FlowKind::Report);
    let mut network = NetworkConfig::single_device(120.0);
    network.idle.power_saving_mode = Some(PowerSavingMode {
        t3324_ms: 2_000,
        t3412_ms: 40_000,
    });
    set_network(&mut spec, network);
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 150 * SECOND_NS,
    };
    let updates = |it: &Simulated| {
        let levels = it.network().unwrap().levels();
        let sum: u64 = levels.iter().map(|level| level.tracking_area_updates).sum();
        sum
    };
    let plain = run(&spec);
    let out = run_with(spec, vec![at(50, network_outage())]);
    assert_accounted(&out);
    assert!(updates(&plain) >= 20);
    assert!(updates(&out) + 10 >= updates(&plain) && updates(&out) < updates(&plain) + 10);
}

#[test]
fn a_device_that_comes_to_a_network_registers_there_and_is_reached() {
    // From a wire to a network, to another one, and back.
    let mut spec = in_a_network(coap_con(1, "post"), FlowKind::RoundTrip);
    spec.groups[0].path = "wired".into();
    spec.groups[0].energy = None;
    let events = vec![
        at(50, to("path", 1.0)),
        at(100, to("second", 0.5)),
        at(150, to("wired", 1.0)),
        at(170, to("path", 0.5)),
    ];
    let it = run_with(spec, events);
    assert_accounted(&it);
    assert_eq!(registrations(&it), 10 + 5 + 5);
    let delivered = it.summary().messages_delivered;
    assert!(delivered >= 98, "{delivered}");
}

#[test]
fn a_device_with_radios_in_two_networks_lives_on_one_battery() {
    let years = |events| {
        let mut spec = in_a_network(raw_udp(None), FlowKind::Report);
        spec.flows[0].duration_ns = 2000 * SECOND_NS;
        let it = run_with(spec, events);
        assert_accounted(&it);
        it.summary().energy.unwrap().battery_years.unwrap()
    };
    let (one, both) = (years(Vec::new()), years(vec![at(1000, to("second", 1.0))]));
    assert!((0.9..1.05).contains(&(both / one)), "{both} of {one} years");
}

#[test]
fn devices_that_come_and_go_meet_an_outage_of_their_network() {
    for second in [0, 100, 290] {
        let mut spec = city(crate::network::raw_udp(), 1.0);
        spec.measure.warm_up_ns = 0;
        let whole = run(&spec).summary().messages_delivered;
        spec.events.push(at(second, network_outage()));
        let [one, other] = [&spec, &spec].map(run);
        assert_accounted(&one);
        assert_eq!(one.summary().trace, other.summary().trace);
        // Thirty seconds of three hundred.
        let share = one.summary().messages_delivered as f64 / whole as f64;
        assert!((0.85..0.97).contains(&share), "{share} at {second}");
    }
}

#[test]
fn who_comes_in_an_outage_is_no_overload() {
    let mut spec = city(crate::network::raw_udp(), 1.0);
    spec.measure.warm_up_ns = 0;
    let silence = ChangeSpec::Outage {
        of: OutageOfSpec::Path("path".into()),
        duration_ns: 200 * SECOND_NS,
    };
    spec.events.push(at(100, silence));
    let it = run(&spec);
    assert_accounted(&it);
    let summary = it.summary();
    assert!(summary.delivery_ratio().unwrap() < 0.6);
    assert!(summary.uncarried_share.unwrap() < 0.1, "{summary:?}");
}

#[test]
fn a_second_outage_of_everything_ends_with_the_last() {
    let mut spec = in_a_network(raw_udp(None), FlowKind::Report);
    spec.groups[0].population = PopulationSpec::Staying { devices: 1 };
    let events = vec![
        at(50, network_outage()),
        at(60, outage(OutageOfSpec::Hop("path".into()))),
    ];
    let it = run_with(spec, events);
    assert_accounted(&it);
    assert_eq!(count_of(&it, "outage"), 2);
}
