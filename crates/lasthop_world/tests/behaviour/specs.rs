//! The base spec of these tests and its variations.

use lasthop_world::{
    AcknowledgementSpec, LossSpec, Observe, ProbabilitySpec, RunSpec, Simulated, StackSpec,
    TrafficKind,
};

/// 409 B reports at 4/s for 600 s over 100 ms, a serial line of 50 kbit/s and 10 % loss each way.
pub(crate) fn base() -> RunSpec {
    RunSpec::parse(include_str!("../specs/raw_udp.json")).unwrap()
}

pub(crate) fn raw_udp(spec: &mut RunSpec, max_retransmit: Option<u16>) {
    spec.stack = StackSpec::RawUdp {
        ip_version: 4,
        acknowledgement: max_retransmit.map(|max_retransmit| AcknowledgementSpec {
            timeout_ns: 2_000_000_000,
            random_factor: 1.5,
            max_retransmit,
        }),
    };
}

pub(crate) fn json_udp(spec: &mut RunSpec) {
    spec.stack = StackSpec::JsonUdp {
        ip_version: 4,
        subscribe_timeout_ns: 1_000_000_000,
    };
}

pub(crate) fn loss(spec: &mut RunSpec, probability: f64) {
    for direction in [&mut spec.path.up, &mut spec.path.down] {
        direction.loss = Some(LossSpec::Bernoulli { probability });
    }
}

/// A spec with every impairment that draws at random.
pub(crate) fn everything(mut spec: RunSpec) -> RunSpec {
    for direction in [&mut spec.path.up, &mut spec.path.down] {
        direction.duplicate = Some(ProbabilitySpec { probability: 0.05 });
        direction.corrupt = Some(ProbabilitySpec { probability: 0.05 });
    }
    spec
}

/// The base with each stack and each kind of traffic.
pub(crate) fn every_combination() -> Vec<RunSpec> {
    let mut specs = Vec::new();
    for kind in [
        TrafficKind::RoundTrip,
        TrafficKind::Report,
        TrafficKind::Command,
    ] {
        for stack in 0..3 {
            let mut spec = base();
            spec.traffic.kind = kind;
            match stack {
                0 => raw_udp(&mut spec, None),
                1 => raw_udp(&mut spec, Some(4)),
                _ => json_udp(&mut spec),
            }
            specs.push(spec);
        }
    }
    specs
}

pub(crate) fn run(spec: &RunSpec) -> Simulated {
    Simulated::run(spec, Observe::default(), &Default::default()).unwrap()
}
