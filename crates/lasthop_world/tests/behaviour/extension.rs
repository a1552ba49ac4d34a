//! The example that `lasthop init --extension` writes, compiled and run in place: its own tests, and a run with it.

use core::sync::atomic::AtomicBool;
use std::sync::Arc;

use lasthop_contract::Transport;
use lasthop_measure::RunStatus;
use lasthop_transport::tcp::{CongestionControl, Tcp, TcpProfile};
use lasthop_world::{
    ArrivalSpec, Below, Carriage, HostEnd, LayerBuilder, LayerEntry, LayerKind, MediumSpec,
    PayloadSpec, PopulationSpec, Registry, Role, RunSpec, ScopeSpec, Simulated,
};

#[allow(unreachable_pub, reason = "a crate of its own once it is written")]
#[path = "../../../../python/lasthop/extensions/template/src/congestion.rs"]
mod congestion;
#[allow(unreachable_pub, reason = "a crate of its own once it is written")]
#[path = "../../../../python/lasthop/extensions/template/src/link.rs"]
mod link;
#[allow(unreachable_pub, reason = "a crate of its own once it is written")]
#[path = "../../../../python/lasthop/extensions/template/src/protocol.rs"]
mod protocol;
#[path = "../../../../python/lasthop/extensions/template/src/tests.rs"]
mod tests;

const SPEC: &str = include_str!("../specs/raw_udp.json");

fn delivered(copies: &str) -> u64 {
    let registry = Registry::standard().with_application(protocol::ENTRY);
    let mut spec = RunSpec::parse(SPEC).unwrap();
    let stack = registry
        .stack("toy_protocol/udp", &[("copies", copies)])
        .unwrap();
    spec.stacks.insert("device".into(), stack);
    spec.servers[0].services[0].port = protocol::ENTRY.port;
    let never = AtomicBool::new(false);
    let simulated = Simulated::run_with(&registry, &spec, Default::default(), &never).unwrap();
    assert_eq!(simulated.status(), RunStatus::Completed);
    simulated.summary().messages_delivered
}

#[test]
fn an_own_protocol_runs_in_the_world_and_its_copies_carry_over_losses() {
    let [once, twice, thrice] = ["1", "2", "3"].map(delivered);
    assert!(once < twice && twice < thrice, "{once} {twice} {thrice}");
}

#[test]
fn a_run_of_an_own_protocol_is_refused_where_nobody_knows_it() {
    let registry = Registry::standard().with_application(protocol::ENTRY);
    let mut spec = RunSpec::parse(SPEC).unwrap();
    let stack = registry.stack("toy_protocol/udp", &[]).unwrap();
    spec.stacks.insert("device".into(), stack);
    let never = AtomicBool::new(false);
    let error = Simulated::run(&spec, Default::default(), &never).unwrap_err();
    assert_eq!(error.to_string(), "stack: toy_protocol is not built");
}

/// TCP as lasthop has it, with a window of one segment at the start and no HyStart.
const CAUTIOUS_TCP: LayerEntry = LayerEntry {
    name: "cautious_tcp",
    summary: "a stream of bytes that starts with one segment",
    carries: &[Carriage::Stream],
    over: &[Carriage::Packets],
    options: &[],
    kind: LayerKind::Transport(|_, _| Box::new(CautiousTcp)),
};

struct CautiousTcp;

impl LayerBuilder for CautiousTcp {
    fn build(&self, host: &HostEnd<'_>, _role: Role, below: Below) -> Box<dyn Transport> {
        let profile = TcpProfile {
            congestion: CongestionControl::Reno,
            hystart: false,
            initial_window: 1,
            ..TcpProfile::linux()
        };
        let (place, _) = below.into_ip();
        Box::new(Tcp::at(place, Arc::new(profile), host.stream("tcp")))
    }
}

#[test]
fn a_known_application_runs_on_an_own_layer() {
    let registry = Registry::standard().with_layer(CAUTIOUS_TCP);
    let port = registry.application("raw_tcp").unwrap().port;
    // 8 kB after a pause: several segments, of which one may leave at first.
    let latency = |layers: &str| {
        let perfect = SPEC.replace("\"probability\": 0.1", "\"probability\": 0.0");
        let mut spec = RunSpec::parse(&perfect).unwrap();
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: 20_000_000_000,
        };
        spec.flows[0].payload = PayloadSpec::Text { bytes: 8000 };
        spec.servers[0].services[0].port = port;
        let stack = registry.stack(layers, &[]).unwrap();
        spec.stacks.insert("device".into(), stack);
        let never = AtomicBool::new(false);
        let simulated = Simulated::run_with(&registry, &spec, Default::default(), &never).unwrap();
        assert_eq!(simulated.status(), RunStatus::Completed);
        simulated.summary().latency_mean.unwrap()
    };
    assert!(latency("raw_tcp/cautious_tcp") > latency("raw_tcp/tcp"));
}

#[test]
fn tcp_runs_by_an_own_congestion_law() {
    let registry = congestion::added_to(Registry::standard());
    let port = registry.application("raw_tcp").unwrap().port;
    // 60 kB at once and 2 % loss: who halves at each loss takes longer.
    let median = |layers: &str, options: &[(&str, &str)]| {
        let lossy = SPEC
            .replace("\"probability\": 0.1", "\"probability\": 0.02")
            .replace(
                "\"bits_per_second\": 50000",
                "\"bits_per_second\": 50000000",
            );
        let mut spec = RunSpec::parse(&lossy).unwrap();
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: 30_000_000_000,
        };
        spec.flows[0].payload = PayloadSpec::Text { bytes: 60_000 };
        spec.servers[0].services[0].port = port;
        let stack = registry.stack(layers, options).unwrap();
        spec.stacks.insert("device".into(), stack);
        let never = AtomicBool::new(false);
        let simulated = Simulated::run_with(&registry, &spec, Default::default(), &never).unwrap();
        assert_eq!(simulated.status(), RunStatus::Completed);
        simulated.summary().latency_mean.unwrap()
    };
    let reno = median("raw_tcp/tcp", &[("tcp.congestion", "reno")]);
    let timid = [("tcp.congestion", "reno"), ("tcp.beta", "0.1")];
    assert!(median("raw_tcp/toy_protocol_tcp", &[]) < reno);
    assert!(median("raw_tcp/tcp", &timid) > reno);
    let halved = [("tcp.congestion", "reno"), ("tcp.beta", "0.5")];
    assert_eq!(median("raw_tcp/tcp", &halved), reno);
}

/// A run of ten devices whose reports pass an own link, shared by these.
fn over_own_link(options: &[(&str, &str)], scope: ScopeSpec) -> Simulated {
    let registry = Registry::standard().with_link(link::ENTRY);
    let mut spec = RunSpec::parse(SPEC).unwrap();
    spec.groups[0].population = PopulationSpec::Staying { devices: 10 };
    let hop = &mut spec.paths.get_mut("path").unwrap().hops[0];
    hop.medium = registry.medium(link::ENTRY.name, options).unwrap();
    hop.scope = scope;
    // What is written and read again is the same.
    let spec = RunSpec::parse(&serde_json::to_string(&spec).unwrap()).unwrap();
    let never = AtomicBool::new(false);
    Simulated::run_with(&registry, &spec, Default::default(), &never).unwrap()
}

#[test]
fn packets_pass_an_own_link_and_each_ends_somewhere() {
    for scope in [ScopeSpec::Own, ScopeSpec::Group, ScopeSpec::All] {
        let once = over_own_link(&[("tries", "1"), ("loss", "0.2")], scope);
        let often = over_own_link(&[("tries", "9"), ("loss", "0.2")], scope);
        assert_eq!(once.status(), RunStatus::Completed);
        assert_eq!(often.status(), RunStatus::Completed);
        // 10 devices, 2,400 reports each: a fifth of them is lost, within five sigma (310).
        let delivered = once.summary().messages_delivered;
        assert!((18_890..=19_510).contains(&delivered), "{delivered}");
        assert_eq!(often.summary().messages_delivered, 24_000);
    }
}

#[test]
fn an_own_link_is_refused_where_nobody_knows_it_or_its_options() {
    let registry = Registry::standard().with_link(link::ENTRY);
    let refused = |link: &str, options: &[(&str, &str)]| {
        let told = registry.medium(link, options).unwrap_err();
        told.to_string()
    };
    assert_eq!(refused("none", &[]), "paths: there is no link none");
    let own = link::ENTRY.name;
    assert_eq!(
        refused(own, &[("hops", "1")]),
        "paths: there is no option hops"
    );
    let mut spec = RunSpec::parse(SPEC).unwrap();
    let medium = registry.medium(own, &[]).unwrap();
    spec.paths.get_mut("path").unwrap().hops[0].medium = medium;
    let never = AtomicBool::new(false);
    let error = Simulated::run(&spec, Default::default(), &never).unwrap_err();
    assert_eq!(error.to_string(), format!("paths: there is no link {own}"));
    let MediumSpec::Registered(link) = &mut spec.paths.get_mut("path").unwrap().hops[0].medium
    else {
        unreachable!("it was set")
    };
    link.options.insert("tries".into(), 0.into());
    let error = Simulated::run_with(&registry, &spec, Default::default(), &never).unwrap_err();
    let complaint = format!("paths.{own}.tries: must be a whole number from 1 to 100");
    assert_eq!(error.to_string(), complaint);
}
