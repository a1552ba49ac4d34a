//! The base spec of these tests and its variations.

use lasthop_contract::Direction;
use lasthop_link::loss::Bernoulli;
use lasthop_link::{Corrupt, DirectionConfig, Duplicate, LinkConfig};
use lasthop_measure::{Fate, RunStatus};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_units::Probability;
use lasthop_world::{
    FlowKind, HopSpec, MediumSpec, NatSpec, Observe, RunSpec, ScopeSpec, Simulated,
};

use crate::stacks::{every_stack, set_stack};

/// 409 B reports at 4/s for 600 s over 100 ms, a serial line of 50 kbit/s and 10 % loss each way.
pub(crate) fn base() -> RunSpec {
    RunSpec::parse(include_str!("../specs/raw_udp.json")).unwrap()
}

/// The hops of a spec.
pub(crate) fn hops_of(spec: &mut RunSpec) -> &mut Vec<HopSpec> {
    &mut spec.paths.get_mut("path").unwrap().hops
}

/// The link that the path of a spec begins with.
pub(crate) fn link_of(spec: &mut RunSpec) -> &mut LinkConfig {
    match &mut hops_of(spec)[0].medium {
        MediumSpec::Link(link) => link,
        _ => panic!("the path begins with no link"),
    }
}

/// Puts a translator behind the path of a spec.
pub(crate) fn add_nat(spec: &mut RunSpec, nat: NatSpec) {
    hops_of(spec).push(HopSpec {
        name: "path".into(),
        scope: ScopeSpec::Own,
        medium: MediumSpec::Nat(nat),
    });
}

/// Makes a network the path of a spec.
pub(crate) fn set_network(spec: &mut RunSpec, network: NetworkConfig) {
    *hops_of(spec) = vec![HopSpec {
        name: "path".into(),
        scope: ScopeSpec::All,
        medium: MediumSpec::Nbiot(Box::new(network)),
    }];
}

/// Makes the messages of a spec go from there to there.
pub(crate) fn set_kind(spec: &mut RunSpec, kind: FlowKind) {
    let (from, to) = match kind {
        FlowKind::Report | FlowKind::RoundTrip | FlowKind::Relay | FlowKind::RelayToAll => {
            ("device", "server")
        }
        FlowKind::Command | FlowKind::Pull | FlowKind::Download => ("server", "device"),
    };
    let flow = &mut spec.flows[0];
    (flow.kind, flow.from, flow.to) = (kind, from.into(), to.into());
}

pub(crate) fn both_ways(spec: &mut RunSpec) -> [&mut DirectionConfig; 2] {
    let link = link_of(spec);
    [&mut link.up, &mut link.down]
}

pub(crate) fn loss(spec: &mut RunSpec, probability: f64) {
    for direction in both_ways(spec) {
        let probability = Probability::new(probability).unwrap();
        direction.loss = Some(Bernoulli { probability }.into());
    }
}

/// A spec with every impairment that draws at random.
pub(crate) fn everything(mut spec: RunSpec) -> RunSpec {
    let probability = Probability::new(0.05).unwrap();
    for direction in both_ways(&mut spec) {
        direction.duplicate = Some(Duplicate { probability });
        direction.corrupt = Some(Corrupt { probability });
    }
    spec
}

/// Every kind of traffic.
pub(crate) const fn every_kind() -> [FlowKind; 5] {
    use FlowKind::{Command, Download, Pull, Report, RoundTrip};
    [RoundTrip, Report, Command, Pull, Download]
}

/// 240 messages of the base with each stack and each kind of traffic.
pub(crate) fn every_combination() -> Vec<RunSpec> {
    let mut base = base();
    base.flows[0].duration_ns = 60_000_000_000;
    let mut specs = Vec::new();
    for kind in every_kind() {
        for stack in every_stack() {
            let mut spec = base.clone();
            set_kind(&mut spec, kind);
            set_stack(&mut spec, stack);
            specs.push(spec);
        }
    }
    specs
}

pub(crate) fn run(spec: &RunSpec) -> Simulated {
    Simulated::run(spec, Observe::default(), &Default::default()).unwrap()
}

/// No session came about, and no packet is missing.
pub(crate) fn assert_never_set_up(simulated: &Simulated) {
    assert_eq!(simulated.status(), RunStatus::Failed("session_not_set_up"));
    assert_packets_accounted(simulated);
}

/// Every packet and every message of a run ended somewhere.
pub(crate) fn assert_accounted(simulated: &Simulated) {
    assert_eq!(simulated.status(), RunStatus::Completed);
    let summary = simulated.summary();
    let ended = summary.messages_delivered + summary.messages_failed + summary.messages_unfinished;
    assert_eq!(ended, summary.messages_offered);
    assert_packets_accounted(simulated);
}

fn assert_packets_accounted(simulated: &Simulated) {
    let rows = simulated.meter().ledger().packet_rows();
    for direction in Direction::ALL {
        let total = |wanted: fn(&Fate) -> bool| -> u64 {
            let rows = rows.iter().filter(|row| row.direction == direction);
            rows.filter(|row| wanted(&row.fate))
                .map(|row| row.packets)
                .sum()
        };
        let came = total(|fate| matches!(fate, Fate::Offered | Fate::Duplicated));
        let went =
            total(|fate| matches!(fate, Fate::Delivered | Fate::Dropped(_) | Fate::InFlight));
        assert_eq!(came, went, "{direction:?}");
    }
}
