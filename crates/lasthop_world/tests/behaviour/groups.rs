//! Runs with several groups, and paths of several hops.

use lasthop_contract::{Direction, DropReason};
use lasthop_measure::{Fate, GroupResult, RunStatus};
use lasthop_nbiot::config::{NetworkConfig, Placement};
use lasthop_world::{
    ArrivalSpec, EnergySpec, FlowKind, GroupSpec, MediumSpec, NatSpec, PathSpec, PayloadSpec,
    PopulationSpec, PowerProfileSpec, RunSpec, ScopeSpec, ServiceSpec, StratumSpec,
};

use crate::specs::{
    add_nat, assert_accounted, assert_never_set_up, base, hops_of, loss, run, set_kind, set_network,
};
use crate::stacks::{every_stack, set_stack, speaks_dds, stack};

const SECOND_NS: u64 = 1_000_000_000;

/// The base with a second group beside the first, of so many devices each.
fn two_groups(devices: u32) -> RunSpec {
    let mut spec = base();
    loss(&mut spec, 0.0);
    spec.groups[0].population = PopulationSpec::Staying { devices };
    let mut group: GroupSpec = spec.groups[0].clone();
    group.name = "sensor".into();
    group.path = "other".into();
    let mut flow = spec.flows[0].clone();
    flow.from = "sensor".into();
    flow.payload = PayloadSpec::Text { bytes: 100 };
    let path = spec.paths["path"].clone();
    spec.paths.insert("other".into(), path);
    spec.groups.push(group);
    spec.flows.push(flow);
    spec
}

#[test]
fn each_group_has_its_messages_and_its_row() {
    let simulated = run(&two_groups(3));
    assert_eq!(simulated.status(), RunStatus::Completed);
    let rows = simulated.meter().group_results();
    let told = |row: &GroupResult| {
        let counts = (row.devices, row.messages_offered, row.messages_delivered);
        (row.group.to_string(), counts)
    };
    assert_eq!(
        rows.iter().map(told).collect::<Vec<_>>(),
        [
            ("device".to_string(), (3, 7200, 7200)),
            ("sensor".to_string(), (3, 7200, 7200))
        ]
    );
    // The larger payload takes longer on the line of 50 kbit/s.
    let [device, sensor] = [0, 1].map(|row: usize| rows[row].latency_mean.unwrap());
    assert!(device > sensor, "{device:?} {sensor:?}");
}

#[test]
fn a_link_that_all_share_is_a_bottleneck_for_all() {
    // 4 x 437 B a second take 28 % of 50 kbit/s; of six devices it carries less than 60 %.
    let mut own = base();
    loss(&mut own, 0.0);
    own.groups[0].population = PopulationSpec::Staying { devices: 6 };
    let mut shared = own.clone();
    hops_of(&mut shared)[0].scope = ScopeSpec::All;
    let [own, shared] = [own, shared].map(|spec| run(&spec).summary());
    assert_eq!(own.messages_delivered, own.messages_offered);
    let carried = shared.delivery_ratio().unwrap();
    assert!((0.55..0.65).contains(&carried), "{carried}");
}

#[test]
fn a_link_that_a_group_shares_is_no_bottleneck_for_another() {
    let mut spec = two_groups(3);
    let path = spec.paths.get_mut("path").unwrap();
    path.hops[0].scope = ScopeSpec::Group;
    let rows = run(&spec).meter().group_results();
    let ratio = |row: usize| {
        let row = &rows[row];
        row.messages_delivered as f64 / row.messages_offered as f64
    };
    // Three devices offer 84 % of what the line carries; a round of them waits for each other.
    assert!(ratio(0) > 0.99 && ratio(1) > 0.99);
    assert!(rows[0].latency_max.unwrap() > rows[1].latency_max.unwrap());
}

/// Meters in a network, behind a translator of their operator that forgets a mapping after this time.
fn meters(nat_timeout_s: u64) -> RunSpec {
    let mut spec = base();
    set_network(&mut spec, NetworkConfig::single_device(144.0));
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: nat_timeout_s * SECOND_NS,
            tcp_timeout_ns: nat_timeout_s * SECOND_NS,
            rebind_every_ns: None,
            ports: 64_512,
        },
    );
    spec.groups[0].population = PopulationSpec::Staying { devices: 10 };
    let stratum = |name: &str, devices, coupling_loss_db| StratumSpec {
        name: name.into(),
        devices,
        weight: 10.0,
        coupling_loss_db,
    };
    spec.groups[0].strata = vec![stratum("near", 8, 120.0), stratum("far", 2, 158.0)];
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 60 * SECOND_NS,
    };
    spec.flows[0].spread_ns = 60 * SECOND_NS;
    spec.flows[0].payload = PayloadSpec::Text { bytes: 25 };
    spec
}

#[test]
fn meters_of_two_strata_report_through_a_network_and_a_translator() {
    let simulated = run(&meters(120));
    assert_eq!(simulated.status(), RunStatus::Completed);
    let rows = simulated.meter().group_results();
    let names: Vec<_> = rows.iter().map(|row| row.stratum.as_deref()).collect();
    assert_eq!(names, [Some("near"), Some("far")]);
    assert_eq!([rows[0].devices, rows[1].devices], [8, 2]);
    assert_eq!(rows[0].messages_delivered, 80);
    assert!(rows[1].messages_delivered >= 18);
    // Repetitions take time.
    assert!(rows[1].latency_mean.unwrap() > rows[0].latency_mean.unwrap() * 2);
}

#[test]
fn a_translator_that_has_forgotten_a_device_lets_no_command_in() {
    let turned_away = |timeout_s| {
        let mut spec = meters(timeout_s);
        set_kind(&mut spec, FlowKind::Command);
        // A device says once who it is; the first command comes a minute later or more.
        spec.flows[0].start_ns = 61 * SECOND_NS;
        let simulated = run(&spec);
        let rows = simulated.meter().ledger().packet_rows();
        let mut rows = rows.iter();
        rows.find(|row| row.fate == Fate::Dropped(DropReason::NoMapping))
            .map_or(0, |row| row.packets)
    };
    assert_eq!(turned_away(30), 100);
    assert_eq!(turned_away(3600), 0);
}

#[test]
fn a_server_offers_several_stacks_to_several_groups() {
    let mut spec = two_groups(2);
    for (place, (stack, port)) in [
        (stack("mqtt/tcp", &[]), 1883),
        (stack("mqtt/tls/tcp", &[]), 8883),
        (stack("coap/tcp", &[]), 5684),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("other{place}");
        spec.stacks.insert(name.clone(), stack);
        let mut group = spec.groups[1].clone();
        group.name = format!("sensor{place}");
        group.path = "other".into();
        group.clients[0].stack = name.clone();
        spec.servers[0].services.push(ServiceSpec {
            stack: name,
            port,
            at: None,
        });
        let mut flow = spec.flows[1].clone();
        flow.kind = FlowKind::RoundTrip;
        flow.from = group.name.clone();
        spec.groups.push(group);
        spec.flows.push(flow);
    }
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Completed);
    let rows = simulated.meter().group_results();
    let delivered: Vec<u64> = rows.iter().map(|row| row.messages_delivered).collect();
    assert_eq!(delivered, [4800; 5]);
}

#[test]
fn a_server_listens_where_it_is_told() {
    let mut spec = two_groups(1);
    spec.servers[0].services[0].port = 4444;
    assert_eq!(run(&spec).summary().messages_delivered, 4800);
}

#[test]
fn a_server_that_offers_nothing_is_nowhere() {
    let mut spec = two_groups(1);
    let mut archive = spec.servers[0].clone();
    archive.name = "archive".into();
    archive.services.clear();
    spec.servers.insert(0, archive);
    assert_eq!(run(&spec).summary().messages_delivered, 4800);
}

#[test]
fn energy_is_told_of_devices_with_a_radio_beside_others_without() {
    let mut spec = meters(120);
    let wired = two_groups(2);
    spec.paths
        .insert("other".into(), wired.paths["other"].clone());
    let mut group = wired.groups[1].clone();
    group.population = PopulationSpec::Staying { devices: 2 };
    spec.groups.push(group);
    spec.flows.push(wired.flows[1].clone());
    spec.groups[0].energy = Some(EnergySpec {
        profile: PowerProfileSpec::Tr45820,
        battery_wh: 5.0,
        self_discharge_per_year: 0.0,
        load_w: 0.0,
        load_per_message_j: 0.0,
        lifetime_years: None,
    });
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Completed);
    let rows = simulated.meter().group_results();
    assert!(rows[0].energy.is_some() && rows[1].energy.is_some());
    assert!(rows[2].energy.is_none());
}

#[test]
fn a_second_path_through_the_network_is_the_same_network() {
    let mut spec = meters(120);
    let path = spec.paths["path"].clone();
    spec.paths.insert("again".into(), path);
    let mut group = spec.groups[0].clone();
    group.name = "more".into();
    group.path = "again".into();
    spec.groups.push(group);
    let mut flow = spec.flows[0].clone();
    flow.from = "more".into();
    spec.flows.push(flow);
    let simulated = run(&spec);
    assert_eq!(simulated.network().unwrap().devices_attached, 20);
    assert_eq!(simulated.meter().group_results().len(), 4);
}

/// Meters in a network, and others in another one with three cells.
fn two_networks() -> RunSpec {
    let mut spec = meters(120);
    let mut hops = spec.paths["path"].hops.clone();
    let mut network = NetworkConfig::larmo_2019();
    if let Placement::Deployment(deployment) = &mut network.placement {
        deployment.cells = 3;
    }
    hops[0].name = "other".into();
    hops[0].medium = MediumSpec::Nbiot(Box::new(network));
    spec.paths.insert("other".into(), PathSpec { hops });
    let mut group = spec.groups[0].clone();
    (group.name, group.path) = ("more".into(), "other".into());
    group.strata.clear();
    let mut flow = spec.flows[0].clone();
    flow.from = "more".into();
    spec.groups.push(group);
    spec.flows.push(flow);
    spec
}

#[test]
fn a_second_network_moves_nothing_of_the_first() {
    let mut alone = two_networks();
    alone.groups.pop();
    alone.flows.pop();
    let [alone, both] = [alone, two_networks()].map(|spec| run(&spec));
    assert_accounted(&both);
    let [alone_told, told] = [&alone, &both].map(|it| it.network().unwrap().clone());
    assert_eq!((alone_told.cells.len(), told.cells.len()), (1, 4));
    assert_eq!(alone_told.cells[0].levels, told.cells[0].levels);
    assert_eq!(told.devices_attached, 20);
    let [alone_rows, rows] = [&alone, &both].map(|it| it.meter().group_results());
    let told = |row: &GroupResult| (row.messages_delivered, row.latency_mean, row.latency_max);
    for (alone, beside) in alone_rows.iter().zip(&rows) {
        assert_eq!(told(alone), told(beside));
    }
    assert_eq!(rows.len(), 3);
    assert!(rows[2].messages_delivered >= 60);
}

#[test]
fn two_networks_that_are_alike_have_chances_of_their_own() {
    let mut spec = two_networks();
    let mut hops = spec.paths["path"].hops.clone();
    hops[0].name = "other".into();
    spec.paths.get_mut("other").unwrap().hops = hops;
    spec.groups[1].strata = spec.groups[0].strata.clone();
    let rows = run(&spec).meter().group_results();
    let [first, second] = [1, 3].map(|row: usize| rows[row].latency_mean.unwrap());
    assert_ne!(first, second);
    assert_eq!(run(&spec).summary().trace, run(&spec).summary().trace);
}

#[test]
fn every_stack_crosses_both_networks() {
    for stack in every_stack() {
        let mut spec = two_networks();
        set_stack(&mut spec, stack);
        let speaks_dds = speaks_dds(&spec.stacks["device"]);
        let simulated = run(&spec);
        if speaks_dds {
            assert_never_set_up(&simulated);
            continue;
        }
        assert_accounted(&simulated);
        let network = simulated.network().unwrap();
        assert_eq!(network.cells.len(), 4);
        let counted = |column| simulated.summary().of_medium(column).unwrap();
        let accesses: u64 = network.levels().iter().map(|level| level.preambles).sum();
        assert_eq!(counted("random_access_preambles"), accesses as f64);
        assert!(counted("occupancy_nprach_ratio") < 1.0);
    }
}

#[test]
fn energy_is_told_of_the_devices_of_each_network() {
    let mut spec = two_networks();
    for group in &mut spec.groups {
        group.energy = Some(EnergySpec {
            profile: PowerProfileSpec::Tr45820,
            battery_wh: 5.0,
            self_discharge_per_year: 0.0,
            load_w: 0.0,
            load_per_message_j: 0.0,
            lifetime_years: None,
        });
    }
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Completed);
    let rows = simulated.meter().group_results();
    assert!(rows.iter().all(|row| row.energy.is_some()));
}

#[test]
fn one_network_has_one_set_of_settings() {
    let mut spec = two_networks();
    spec.paths.get_mut("other").unwrap().hops[0].name = "path".into();
    let json = serde_json::to_string(&spec).unwrap();
    let said = RunSpec::parse(&json).unwrap_err().to_string();
    assert_eq!(
        said,
        "paths: path is one radio network, and has different settings"
    );
}

#[test]
fn quic_takes_patience_or_a_guess_where_a_round_trip_takes_seconds() {
    let carried = |options: &[(&str, &str)]| {
        let mut spec = two_networks();
        set_stack(&mut spec, stack("mqtt/quic/udp", options));
        let simulated = run(&spec);
        let rows = simulated.meter().ledger().packet_rows();
        let upward = rows.iter().filter(|row| row.direction == Direction::Up);
        let offered = upward.filter(|row| row.fate == Fate::Offered);
        let bytes: u64 = offered.map(|row| row.bytes).sum();
        (simulated.summary().messages_delivered, bytes / 1000)
    };
    let patient = ("connect_timeout", "5min");
    let guess = ("quic.initial_rtt", "5s");
    let all = [&[][..], &[patient], &[patient, guess]].map(carried);
    let [hasty, patient, guessing] = all;
    assert!(hasty.0 < 50, "{all:?}");
    assert_eq!((patient.0, guessing.0), (200, 200));
    // 606, 315 and 214 kB.
    assert!(
        hasty.1 * 2 > patient.1 * 3 && patient.1 * 3 > guessing.1 * 4,
        "{all:?}"
    );
}
