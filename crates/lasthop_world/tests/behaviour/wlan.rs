//! Devices that share a WLAN.

use lasthop_link::rate::QueueLimit;
use lasthop_link::wlan::{CellConfig, Modulation, QueueConfig, StationConfig};
use lasthop_units::Probability;
use lasthop_world::{FlowKind, HopSpec, MediumSpec, RunSpec, ScopeSpec, StackSpec, WlanSpec};

use crate::events::{add_other_path, at, every_change, ten};
use crate::specs::{assert_accounted, every_kind, hops_of, run};
use crate::stacks::{every_stack, raw_udp, speaks_dds};

const SECOND_NS: u64 = 1_000_000_000;

/// 802.11b at 11 Mbit/s, frames of which 2 % are not read.
fn wlan() -> WlanSpec {
    let side = QueueConfig {
        cw_min: 31,
        cw_max: 1023,
        queue: QueueLimit::Packets(100),
    };
    let dsss = |bits_per_second| Modulation::Dsss {
        preamble_ns: 192_000,
        bits_per_second,
    };
    WlanSpec {
        cell: CellConfig {
            slot_ns: 20_000,
            sifs_ns: 10_000,
            difs_ns: 50_000,
            eifs_ns: 364_000,
            overhead_bytes: 36,
            ack_bytes: 14,
            retry_limit: 7,
            station: side,
            access_point: side,
        },
        station: StationConfig {
            data: dsss(11_000_000),
            ack: dsss(2_000_000),
            frame_loss: Probability::new(0.02).unwrap(),
        },
    }
}

/// Ten devices on it.
fn on_wlan(stack: StackSpec, kind: FlowKind, scope: ScopeSpec) -> RunSpec {
    let mut spec = ten(stack, kind);
    *hops_of(&mut spec) = vec![HopSpec {
        name: "path".into(),
        scope,
        medium: MediumSpec::Wlan(Box::new(wlan())),
    }];
    spec
}

#[test]
fn every_stack_is_carried_and_every_packet_accounted_for() {
    for kind in every_kind() {
        for stack in every_stack() {
            let mut spec = on_wlan(stack.clone(), kind, ScopeSpec::All);
            spec.flows[0].duration_ns = 5 * SECOND_NS;
            let [one, other] = [run(&spec), run(&spec)];
            if speaks_dds(&stack) && one.summary().messages_delivered == 0 {
                continue;
            }
            assert_accounted(&one);
            assert_eq!(one.summary().trace, other.summary().trace);
            let told = |column| one.summary().of_medium(column).unwrap();
            let busy = told("wlan_busy_s");
            assert!(busy > 0.0 && busy < 60.0, "{busy}");
            assert!(told("wlan_station_airtime_max_s") >= told("wlan_station_airtime_mean_s"));
            assert!(told("wlan_retransmission_ratio") > 0.0);
        }
    }
}

#[test]
fn whatever_happens_every_packet_ends() {
    for change in every_change() {
        let mut spec = on_wlan(raw_udp(Some(4)), FlowKind::RoundTrip, ScopeSpec::All);
        spec.flows[0].duration_ns = 60 * SECOND_NS;
        add_other_path(&mut spec);
        spec.events.push(at(30, change));
        assert_accounted(&run(&spec));
    }
}

#[test]
fn who_has_a_cell_of_his_own_meets_nobody_but_his_access_point() {
    // All devices speak at one moment.
    let spec = |scope| {
        let mut spec = on_wlan(raw_udp(None), FlowKind::Report, scope);
        spec.flows[0].spread_ns = 0;
        spec
    };
    let collisions = |scope| {
        run(&spec(scope))
            .summary()
            .of_medium("wlan_collision_ratio")
    };
    assert_eq!(collisions(ScopeSpec::Own), Some(0.0));
    assert!(collisions(ScopeSpec::All) > Some(0.0));
    assert!(collisions(ScopeSpec::Group) > Some(0.0));
    let without = run(&ten(raw_udp(None), FlowKind::Report)).summary();
    assert_eq!(without.of_medium("wlan_busy_s"), None);
}

#[test]
fn what_describes_no_wlan_is_refused() {
    let spec = on_wlan(raw_udp(None), FlowKind::Report, ScopeSpec::All);
    let fault = |change: fn(&mut serde_json::Value)| {
        let mut json = serde_json::to_value(&spec).unwrap();
        change(&mut json["paths"]["path"]["hops"][0]["wlan"]);
        RunSpec::parse(&json.to_string()).unwrap_err().to_string()
    };
    assert!(fault(|it| it["cell"]["slot_ns"] = 0.into()).contains("a slot must take time"));
    assert!(fault(|it| it["cell"]["eifs_ns"] = 1.into()).contains("SIFS is at most DIFS"));
    assert!(fault(|it| it["cell"]["retry_limit"] = 0.into()).contains("at least 1"));
    assert!(fault(|it| it["cell"]["station"]["cw_min"] = 30.into()).contains("powers of two"));
    let last = |it: &mut serde_json::Value| it["cell"]["access_point"]["cw_max"] = 15.into();
    assert!(fault(last).contains("the first at most"));
    let empty = |it: &mut serde_json::Value| it["cell"]["station"]["queue"]["packets"] = 0.into();
    assert!(fault(empty).contains("room"));
    assert!(fault(|it| it["cell"]["hidden"] = 1.into()).contains("unknown field"));
}

#[test]
fn hops_of_one_name_are_one_cell_with_stations_of_several_rates() {
    let mut spec = on_wlan(raw_udp(None), FlowKind::Report, ScopeSpec::All);
    let mut slow = spec.paths["path"].clone();
    let slower = |path: &mut lasthop_world::PathSpec, change: fn(&mut WlanSpec)| {
        let MediumSpec::Wlan(wlan) = &mut path.hops[0].medium else {
            panic!("it is a WLAN");
        };
        change(wlan);
    };
    slower(&mut slow, |it| it.station.data = it.station.ack);
    spec.paths.insert("slow".into(), slow.clone());
    let mut group = spec.groups[0].clone();
    (group.name, group.path) = ("slow".into(), "slow".into());
    let mut flow = spec.flows[0].clone();
    flow.from = "slow".into();
    spec.groups.push(group);
    spec.flows.push(flow);
    let told = run(&spec).summary();
    let [longest, mean] = ["wlan_station_airtime_max_s", "wlan_station_airtime_mean_s"]
        .map(|column| told.of_medium(column).unwrap());
    assert!(longest > 1.2 * mean);

    slower(&mut slow, |it| it.cell.slot_ns += 1);
    spec.paths.insert("slow".into(), slow);
    let json = serde_json::to_string(&spec).unwrap();
    let fault = RunSpec::parse(&json).unwrap_err().to_string();
    assert!(
        fault.contains("path is one WLAN, and has different settings"),
        "{fault}"
    );
}
