//! Runs that cannot be, and runs without a result.

use crate::specs::{base, loss, run, set_kind};
use crate::stacks::{json_udp, set_stack, stack};
use core::sync::atomic::AtomicBool;

use lasthop_engine::VirtualClock;
use lasthop_measure::RunStatus;
use lasthop_world::{EngineSpec, FlowKind, Observe, Registry, RunError, RunSpec, Simulated};

#[test]
fn a_session_that_is_never_set_up_fails_the_run() {
    let mut spec = base();
    set_stack(&mut spec, json_udp());
    loss(&mut spec, 1.0);
    set_kind(&mut spec, FlowKind::RoundTrip);
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Failed("session_not_set_up"));
    assert_eq!(simulated.summary().messages_offered, 0);
}

#[test]
fn a_run_with_more_packets_than_any_stack_needs_has_diverged() {
    let status = |interval: &str| {
        let mut spec = base();
        set_stack(
            &mut spec,
            stack("dds/udp", &[("announcement_interval", interval)]),
        );
        run(&spec).status()
    };
    assert_eq!(status("100ms"), RunStatus::Completed);
    assert_eq!(status("1ms"), RunStatus::Failed("diverged"));
}

#[test]
fn an_interrupt_ends_a_run() {
    let interrupt = AtomicBool::new(true);
    let outcome = Simulated::run(&base(), Observe::default(), &interrupt);
    assert!(matches!(outcome, Err(RunError::Interrupted)));
}

#[test]
fn a_run_of_the_wall_clock_is_not_run_in_virtual_time() {
    let mut spec = base();
    spec.engine = EngineSpec::WallClock;
    let error = Simulated::run(&spec, Observe::default(), &AtomicBool::new(false));
    let error = error.unwrap_err().to_string();
    assert_eq!(
        error,
        "engine: the run waits for the wall clock, and there is none here"
    );
}

#[test]
fn real_software_is_only_beside_a_live_run_and_has_its_place_there() {
    let mut spec = base();
    spec.engine = EngineSpec::Live;
    assert!(spec.outside_servers().is_empty());
    for stack in spec.stacks.values_mut() {
        stack.software = Some("mosquitto".into());
    }
    let told = spec.outside_servers();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].address.to_string(), "198.18.0.1");
    assert_eq!(told[0].software, "mosquitto");
    let virtual_time = |spec: &RunSpec| {
        let mut spec = serde_json::to_value(spec).unwrap();
        spec["engine"] = "virtual".into();
        RunSpec::parse(&spec.to_string()).unwrap_err().to_string()
    };
    assert!(virtual_time(&spec).contains("real software needs the live engine"));
    let never = AtomicBool::new(false);
    let registry = Registry::standard();
    let alone = Simulated::on(VirtualClock, &registry, &spec, Observe::default(), &never);
    let alone = alone.unwrap_err().to_string();
    assert_eq!(alone, "engine: mosquitto is to be started beside the run");
}

#[test]
fn a_field_that_is_unknown_or_missing_is_refused() {
    let json = include_str!("../specs/raw_udp.json");
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    assert!(RunSpec::parse(json).is_ok());
    let mut more = value.clone();
    more["speed"] = 1.into();
    assert!(RunSpec::parse(&more.to_string()).is_err());
    for field in [
        "seed", "engine", "stacks", "paths", "servers", "groups", "flows", "events", "measure",
    ] {
        let mut less = value.clone();
        less.as_object_mut().unwrap().remove(field);
        let error = RunSpec::parse(&less.to_string()).unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
    }
}

#[test]
fn values_that_cannot_be_are_refused_where_they_stand() {
    let json = include_str!("../specs/raw_udp.json");
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    for (pointer, bad) in [
        ("/format", serde_json::json!(1)),
        (
            "/groups/0/population/staying/devices",
            serde_json::json!(100_001),
        ),
        ("/flows/0/burst", serde_json::json!(0)),
        ("/flows/0/payload/text/bytes", serde_json::json!(7)),
        ("/flows/0/arrivals/periodic/every_ns", serde_json::json!(0)),
        (
            "/paths/path/hops/0/link/up/loss/bernoulli/probability",
            serde_json::json!(1.5),
        ),
        (
            "/paths/path/hops/0/link/up/rate/bits_per_second",
            serde_json::json!(0),
        ),
        ("/paths/path/hops/0/link/order/0", serde_json::json!("loss")),
        ("/paths/path/hops/0/link/shared", serde_json::json!("yes")),
        ("/groups/0/energy", energy("cr2032", 5.0, 0.0)),
        ("/groups/0/energy", energy("bg96", 0.0, 0.0)),
        ("/groups/0/energy", energy("tr_45_820", 5.0, 1.0)),
        ("/groups/0/energy", serde_json::json!({"profile": "bg96"})),
        (
            "/groups/0/energy",
            with(energy("bg96", 5.0, 0.0), "load_w", -1),
        ),
        (
            "/groups/0/energy",
            with(energy("bg96", 5.0, 0.0), "load_per_message_j", -1),
        ),
        (
            "/groups/0/energy",
            with(energy("bg96", 5.0, 0.0), "lifetime_years", 0),
        ),
        (
            "/groups/0/energy",
            with(energy("bg96", 5.0, 0.0), "profile", own_profile(-0.1, 0.5)),
        ),
        (
            "/groups/0/energy",
            with(energy("bg96", 5.0, 0.0), "profile", own_profile(0.1, 0.06)),
        ),
        ("/groups/0/path", serde_json::json!("cell")),
        ("/groups/0/clients/0/stack", serde_json::json!("mqtt")),
        ("/groups/0/clients/0/server", serde_json::json!("device")),
        ("/groups/0/weight", serde_json::json!(0)),
        ("/flows/0/from", serde_json::json!("meters")),
        ("/flows/0/to", serde_json::json!("head_end")),
        ("/flows/0/client", serde_json::json!(1)),
        ("/paths/path/hops", serde_json::json!([])),
        ("/servers/0/services", serde_json::json!([])),
        ("/servers/0/name", serde_json::json!("device")),
        ("/stacks/device/layers/0/name", serde_json::json!("tcp")),
        ("/stacks/device/application/name", serde_json::json!("mqtt")),
        (
            "/stacks/device/application/options/ack",
            serde_json::json!("on"),
        ),
        ("/stacks/device/application/options", serde_json::json!({})),
    ] {
        let mut spec = value.clone();
        *spec.pointer_mut(pointer).unwrap() = bad;
        let outcome = RunSpec::parse(&spec.to_string())
            .map_err(RunError::from)
            .and_then(|spec| Simulated::run(&spec, Observe::default(), &Default::default()));
        assert!(matches!(outcome, Err(RunError::Spec(_))), "{pointer}");
    }
}

fn with(
    mut energy: serde_json::Value,
    key: &str,
    value: impl Into<serde_json::Value>,
) -> serde_json::Value {
    energy[key] = value.into();
    energy
}

fn own_profile(receive_w: f64, transmit_w: f64) -> serde_json::Value {
    serde_json::json!({"own": {
        "deep_sleep_w": 1e-5,
        "light_sleep_w": 3e-3,
        "connected_sleep_w": 3e-3,
        "receive_w": receive_w,
        "transmit_floor_w": 0.06,
        "transmit_w": transmit_w,
    }})
}

fn energy(profile: &str, battery_wh: f64, self_discharge_per_year: f64) -> serde_json::Value {
    serde_json::json!({
        "profile": profile,
        "battery_wh": battery_wh,
        "self_discharge_per_year": self_discharge_per_year,
    })
}
