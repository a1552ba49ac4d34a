//! A translator with one address for many devices.

use lasthop_contract::DropReason;
use lasthop_measure::{CapturedHost, Fate, RunStatus};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_world::{
    ArrivalSpec, FlowKind, MediumSpec, NatSpec, RunSpec, ScopeSpec, Simulated, StackSpec,
};

use crate::captures::run_capturing;
use crate::events::{add_other_path, at, every_change, ten};
use crate::specs::{add_nat, assert_accounted, assert_never_set_up, hops_of, run, set_network};
use crate::stacks::{coap_con, every_stack, in_turns, raw_udp, speaks_dds};

const SECOND_NS: u64 = 1_000_000_000;

/// Ten devices behind one address with so many ports.
fn behind_one_address(stack: StackSpec, kind: FlowKind, ports: u32) -> RunSpec {
    let mut spec = ten(stack, kind);
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: 60 * SECOND_NS,
            tcp_timeout_ns: 60 * SECOND_NS,
            rebind_every_ns: None,
            ports,
        },
    );
    hops_of(&mut spec)[1].scope = ScopeSpec::All;
    spec
}

/// How many packets ended so.
fn dropped(simulated: &Simulated, reason: DropReason) -> u64 {
    let rows = simulated.meter().ledger().packet_rows();
    let rows = rows.iter().filter(|row| row.fate == Fate::Dropped(reason));
    rows.map(|row| row.packets).sum()
}

#[test]
fn every_stack_says_through_one_address_what_it_says_without() {
    for kind in [FlowKind::Report, FlowKind::RoundTrip, FlowKind::Command] {
        for stack in every_stack() {
            let speaks_dds = speaks_dds(&stack);
            let mut shared = behind_one_address(stack, kind, 64_512);
            shared.flows[0].duration_ns = 40 * SECOND_NS;
            let mut own = shared.clone();
            hops_of(&mut own)[1].scope = ScopeSpec::Own;
            let [shared, again, own] = [&shared, &shared, &own].map(run);
            if speaks_dds {
                assert_never_set_up(&shared);
                assert_never_set_up(&own);
                continue;
            }
            assert_accounted(&shared);
            assert_eq!(shared.summary().trace, again.summary().trace);
            assert_eq!(shared.summary().messages_offered, 400);
            let told = |it: &Simulated| {
                let summary = it.summary();
                let times = (summary.latency_mean, summary.latency_max);
                (summary.messages_delivered, summary.offered, times)
            };
            assert_eq!(told(&shared), told(&own));
        }
    }
}

#[test]
fn who_finds_no_port_gets_nothing_through_and_every_packet_says_so() {
    for stack in every_stack() {
        for kind in [FlowKind::Report, FlowKind::RoundTrip, FlowKind::Command] {
            let mut spec = behind_one_address(stack.clone(), kind, 4);
            spec.measure.set_up_ns = 60 * SECOND_NS;
            let simulated = run(&spec);
            let rows = simulated.meter().ledger().packet_rows();
            assert!(dropped(&simulated, DropReason::NoPort) > 0, "{stack:?}");
            assert!(simulated.status() != RunStatus::Invalid("ledger_not_balanced"));
            assert!(!rows.is_empty());
        }
    }
    // Datagrams of six devices of ten, each with a message a second: nobody is silent, so no port is free again.
    let simulated = run(&behind_one_address(raw_udp(None), FlowKind::Report, 4));
    assert_accounted(&simulated);
    assert_eq!(dropped(&simulated, DropReason::NoPort), 6 * 200);
    assert_eq!(simulated.summary().messages_delivered, 4 * 200);
}

#[test]
fn ports_of_those_who_are_silent_go_to_others() {
    let mut spec = behind_one_address(raw_udp(None), FlowKind::Report, 4);
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 100 * SECOND_NS,
    };
    spec.flows[0].duration_ns = 1000 * SECOND_NS;
    // Ten devices in 100 s, of which each holds a port for 60 s: six at a time want one of four.
    let simulated = run(&spec);
    assert_accounted(&simulated);
    let delivered = simulated.summary().messages_delivered;
    assert!((1..100).contains(&delivered), "{delivered}");
    assert_eq!(
        delivered + dropped(&simulated, DropReason::NoPort),
        simulated.summary().messages_offered
    );
}

#[test]
fn whatever_happens_behind_one_address_is_accounted_for() {
    for (stack, change, second) in in_turns(every_stack(), &every_change(), &[0, 30, 61]) {
        let mut spec = behind_one_address(stack, FlowKind::RoundTrip, 64_512);
        spec.flows[0].duration_ns = 60 * SECOND_NS;
        add_other_path(&mut spec);
        spec.events.push(at(second, change.clone()));
        spec.events.push(at(second, change.clone()));
        let mut own = spec.clone();
        for path in own.paths.values_mut() {
            path.hops[1].scope = ScopeSpec::Own;
        }
        let [one, other, own] = [&spec, &spec, &own].map(run);
        assert_eq!(one.summary().trace, other.summary().trace);
        // Who is asked to move while he sets up a connection may never get one, behind whatever address.
        assert_eq!(one.status(), own.status(), "{second} {change:?}");
        if one.status() == RunStatus::Completed {
            assert_accounted(&one);
        }
    }
}

#[test]
fn meters_behind_one_address_of_their_operator_are_reached_while_it_remembers_them() {
    let reached = |timeout_s: u64, scope| {
        let mut spec = behind_one_address(coap_con(1, "post"), FlowKind::Command, 64_512);
        let nat = hops_of(&mut spec)[1].clone();
        let mut network = NetworkConfig::single_device(120.0);
        network.idle.power_saving_mode = None;
        set_network(&mut spec, network);
        hops_of(&mut spec).push(nat);
        let nat = &mut hops_of(&mut spec)[1];
        nat.scope = scope;
        if let MediumSpec::Nat(nat) = &mut nat.medium {
            nat.udp_timeout_ns = timeout_s * SECOND_NS;
        }
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: 200 * SECOND_NS,
        };
        spec.flows[0].start_ns = 100 * SECOND_NS;
        spec.flows[0].duration_ns = 600 * SECOND_NS;
        let simulated = run(&spec);
        assert_accounted(&simulated);
        simulated.summary().messages_delivered
    };
    for scope in [ScopeSpec::All, ScopeSpec::Group] {
        assert_eq!(reached(3600, scope), 30);
        assert_eq!(reached(30, scope), reached(30, ScopeSpec::Own));
    }
}

#[test]
fn groups_that_share_a_translator_have_one_address_and_others_two() {
    let outside = |scope| {
        let mut spec = behind_one_address(raw_udp(None), FlowKind::Report, 64_512);
        hops_of(&mut spec)[1].scope = scope;
        let mut group = spec.groups[0].clone();
        group.name = "sensor".into();
        let mut flow = spec.flows[0].clone();
        flow.from = "sensor".into();
        spec.groups.push(group);
        spec.flows.push(flow);
        let (simulated, files) = run_capturing(&spec, &[CapturedHost::Server(0)]);
        assert_eq!(simulated.summary().messages_delivered, 4000);
        let mut sources: Vec<_> = files[0]
            .iter()
            .map(|packet| packet.bytes[12..16].to_vec())
            .collect();
        sources.sort();
        sources.dedup();
        sources
    };
    assert_eq!(outside(ScopeSpec::All), [[203, 0, 113, 1]]);
    let two = [[203, 0, 113, 1], [203, 0, 113, 2]];
    assert_eq!(outside(ScopeSpec::Group), two);
    assert_eq!(outside(ScopeSpec::Own).len(), 20);
}

#[test]
fn a_capture_knows_whose_packet_has_the_address_of_all() {
    let spec = behind_one_address(raw_udp(Some(4)), FlowKind::Report, 64_512);
    let hosts: Vec<CapturedHost> = (0..10).map(CapturedHost::Device).collect();
    let (_, files) = run_capturing(&spec, &[&hosts[..], &[CapturedHost::Server(0)]].concat());
    let [devices @ .., server] = &files[..] else {
        panic!("eleven hosts were captured");
    };
    let mut endpoints = Vec::new();
    for (number, device) in devices.iter().enumerate() {
        // The first comment of a packet is its number, at both ends.
        for sent in device.iter().filter(|packet| packet.is_outbound) {
            assert_eq!(sent.bytes[12..16], [10, 0, 0, number as u8 + 1]);
            let mut at_server = server.iter().filter(|packet| !packet.is_outbound);
            let there = at_server.find(|packet| packet.comments[0] == sent.comments[0]);
            let there = there.unwrap();
            assert_eq!(there.bytes[12..16], [203, 0, 113, 1]);
            endpoints.push((there.bytes[20..22].to_vec(), number));
        }
    }
    endpoints.sort();
    endpoints.dedup();
    // Each device has one port, and each port one device.
    assert_eq!(endpoints.len(), 10);
}

#[test]
fn what_no_translator_can_be_is_refused() {
    let refused = |change: fn(&mut RunSpec)| {
        let mut spec = behind_one_address(raw_udp(None), FlowKind::Report, 4);
        change(&mut spec);
        let json = serde_json::to_string(&spec).unwrap();
        RunSpec::parse(&json).unwrap_err().to_string()
    };
    let no_ports = refused(|spec| {
        if let MediumSpec::Nat(nat) = &mut hops_of(spec)[1].medium {
            nat.ports = 0;
        }
    });
    assert_eq!(
        no_ports,
        "paths.path.hops[1].nat.ports: must be from 1 to 64512"
    );
    let narrow = refused(|spec| {
        let link = hops_of(spec)[0].clone();
        hops_of(spec).push(link);
    });
    assert!(narrow.starts_with("paths.path.hops[2].scope: behind a translator"));
    let many = refused(|spec| {
        for number in 0..300 {
            let mut hop = hops_of(spec)[1].clone();
            hop.name = format!("nat{number}");
            hops_of(spec).push(hop);
        }
    });
    assert!(many.contains("254 translators"), "{many}");
}
