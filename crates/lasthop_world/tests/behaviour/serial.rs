//! Paths over a serial line: each device's own, or one bus for many.

use lasthop_link::rate::QueueLimit;
use lasthop_link::serial::{Duplex, Framing, SerialConfig};
use lasthop_measure::RunStatus;
use lasthop_units::BitRate;
use lasthop_world::{FlowKind, HopSpec, MediumSpec, RunSpec, ScopeSpec, StackSpec};

use crate::events::{add_other_path, at, every_change, ten};
use crate::specs::{assert_accounted, every_kind, hops_of, run};
use crate::stacks::{every_stack, raw_udp, speaks_dds};

const SECOND_NS: u64 = 1_000_000_000;

/// RS-485 at 115,200 Bd.
fn line() -> SerialConfig {
    SerialConfig {
        bits_per_second: BitRate::from_bits_per_second(115_200).unwrap(),
        bits_per_byte: 10,
        framing: Framing::Ppp,
        duplex: Duplex::Half,
        turnaround_ns: 1_000_000,
        queue: QueueLimit::Packets(100),
    }
}

fn on_line(stack: StackSpec, kind: FlowKind, scope: ScopeSpec) -> RunSpec {
    let mut spec = ten(stack, kind);
    *hops_of(&mut spec) = vec![HopSpec {
        name: "path".into(),
        scope,
        medium: MediumSpec::Serial(line()),
    }];
    spec
}

#[test]
fn every_stack_is_carried_and_every_packet_accounted_for() {
    for kind in every_kind() {
        for stack in every_stack() {
            let mut spec = on_line(stack, kind, ScopeSpec::All);
            spec.flows[0].duration_ns = 5 * SECOND_NS;
            let [one, other] = [run(&spec), run(&spec)];
            // Discovery of ten participants takes longer than the run.
            if speaks_dds(&spec.stacks["device"]) && one.status() != RunStatus::Completed {
                continue;
            }
            assert_accounted(&one);
            assert_eq!(one.summary().trace, other.summary().trace);
            assert!(one.summary().of_medium("serial_busy_s").unwrap() > 0.0);
        }
    }
}

#[test]
fn whatever_happens_every_packet_ends() {
    for change in every_change() {
        let mut spec = on_line(raw_udp(Some(4)), FlowKind::RoundTrip, ScopeSpec::All);
        spec.flows[0].duration_ns = 60 * SECOND_NS;
        add_other_path(&mut spec);
        spec.events.push(at(30, change));
        assert_accounted(&run(&spec));
    }
}

#[test]
fn devices_on_one_bus_wait_for_each_other() {
    let latency = |scope| {
        let mut spec = on_line(raw_udp(None), FlowKind::Report, scope);
        spec.flows[0].spread_ns = 0;
        run(&spec).summary().latency_max.unwrap()
    };
    let own = latency(ScopeSpec::Own);
    // Ten speak at one moment: the last waits for nine frames and nine turnarounds.
    let shared = latency(ScopeSpec::All);
    let frame = own.as_secs_f64();
    let expected = 10.0 * frame + 9.0 * 0.001;
    assert!(
        (shared.as_secs_f64() - expected).abs() < 0.2 * frame,
        "{shared:?} {expected}"
    );
    assert_eq!(latency(ScopeSpec::Group), shared);
}

#[test]
fn one_line_has_one_rate() {
    let mut spec = on_line(raw_udp(None), FlowKind::Report, ScopeSpec::All);
    let mut other = spec.paths["path"].clone();
    let MediumSpec::Serial(slow) = &mut other.hops[0].medium else {
        unreachable!()
    };
    slow.bits_per_byte = 11;
    spec.paths.insert("other".into(), other);
    let json = serde_json::to_string(&spec).unwrap();
    let fault = RunSpec::parse(&json).unwrap_err().to_string();
    assert!(
        fault.contains("path is one serial line, and has different settings"),
        "{fault}"
    );
}

#[test]
fn nine_bits_are_no_byte_on_a_line() {
    let spec = on_line(raw_udp(None), FlowKind::Report, ScopeSpec::All);
    let json = serde_json::to_string(&spec).unwrap();
    let json = json.replace(r#""bits_per_byte":10"#, r#""bits_per_byte":9"#);
    let fault = RunSpec::parse(&json).unwrap_err().to_string();
    assert!(fault.contains("from 10 to 12 bits"), "{fault}");
}
