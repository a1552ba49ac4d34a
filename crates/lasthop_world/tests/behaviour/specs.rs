//! The base spec of these tests and its variations.

use lasthop_world::{
    DirectionSpec, LinkSpec, LossSpec, Observe, PathSpec, ProbabilitySpec, RunSpec, Simulated,
    TrafficKind,
};

use crate::stacks::every_stack;

/// 409 B reports at 4/s for 600 s over 100 ms, a serial line of 50 kbit/s and 10 % loss each way.
pub(crate) fn base() -> RunSpec {
    RunSpec::parse(include_str!("../specs/raw_udp.json")).unwrap()
}

/// The link that the path of a spec is.
pub(crate) fn link_of(spec: &mut RunSpec) -> &mut LinkSpec {
    match &mut spec.path {
        PathSpec::Link(link) => link,
        PathSpec::Nbiot(_) => panic!("the path is a network"),
    }
}

pub(crate) fn both_ways(spec: &mut RunSpec) -> [&mut DirectionSpec; 2] {
    let link = link_of(spec);
    [&mut link.up, &mut link.down]
}

pub(crate) fn loss(spec: &mut RunSpec, probability: f64) {
    for direction in both_ways(spec) {
        direction.loss = Some(LossSpec::Bernoulli { probability });
    }
}

/// A spec with every impairment that draws at random.
pub(crate) fn everything(mut spec: RunSpec) -> RunSpec {
    for direction in both_ways(&mut spec) {
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
        for stack in every_stack() {
            let mut spec = base();
            spec.traffic.kind = kind;
            spec.stack = stack;
            specs.push(spec);
        }
    }
    specs
}

pub(crate) fn run(spec: &RunSpec) -> Simulated {
    Simulated::run(spec, Observe::default(), &Default::default()).unwrap()
}
