//! Runs that cannot be, and runs without a result.

use core::sync::atomic::AtomicBool;

use crate::specs::{base, loss, run};
use crate::stacks::json_udp;
use lasthop_measure::RunStatus;
use lasthop_world::{Observe, RunError, RunSpec, Simulated, TrafficKind};

#[test]
fn a_session_that_is_never_set_up_fails_the_run() {
    let mut spec = base();
    spec.stack = json_udp();
    loss(&mut spec, 1.0);
    spec.traffic.kind = TrafficKind::RoundTrip;
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Failed("session_not_set_up"));
    assert_eq!(simulated.summary().messages_offered, 0);
}

#[test]
fn an_interrupt_ends_a_run() {
    let interrupt = AtomicBool::new(true);
    let outcome = Simulated::run(&base(), Observe::default(), &interrupt);
    assert!(matches!(outcome, Err(RunError::Interrupted)));
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
        "seed",
        "population",
        "server",
        "stack",
        "traffic",
        "measure",
        "path",
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
        ("/format", serde_json::json!(2)),
        ("/population/fixed/devices", serde_json::json!(100_001)),
        ("/traffic/burst", serde_json::json!(0)),
        ("/traffic/payload/text/bytes", serde_json::json!(7)),
        ("/traffic/arrivals/periodic/every_ns", serde_json::json!(0)),
        (
            "/path/link/up/loss/bernoulli/probability",
            serde_json::json!(1.5),
        ),
        ("/path/link/up/rate/bits_per_second", serde_json::json!(0)),
        ("/path/link/order/0", serde_json::json!("loss")),
        ("/path/link/shared", serde_json::json!("yes")),
        ("/energy", energy("cr2032", 5.0, 0.0)),
        ("/energy", energy("bg96", 0.0, 0.0)),
        ("/energy", energy("tr_45_820", 5.0, 1.0)),
        ("/energy", serde_json::json!({"profile": "bg96"})),
    ] {
        let mut spec = value.clone();
        *spec.pointer_mut(pointer).unwrap() = bad;
        let outcome = RunSpec::parse(&spec.to_string())
            .map_err(RunError::from)
            .and_then(|spec| Simulated::run(&spec, Observe::default(), &Default::default()));
        assert!(matches!(outcome, Err(RunError::Spec(_))), "{pointer}");
    }
}

fn energy(profile: &str, battery_wh: f64, self_discharge_per_year: f64) -> serde_json::Value {
    serde_json::json!({
        "profile": profile,
        "battery_wh": battery_wh,
        "self_discharge_per_year": self_discharge_per_year,
    })
}
