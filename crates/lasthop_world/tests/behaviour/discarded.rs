//! What a server has no use for is counted by the reason, and so are the peers that it evicts.

use lasthop_contract::{Direction, DiscardReason};
use lasthop_link::Duplicate;
use lasthop_measure::Fate;
use lasthop_units::Probability;
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, FlowKind, PopulationSpec, RestartOfSpec, RunSpec, Simulated,
    SurvivesSpec,
};

use crate::events::{SECOND_NS, at, server_outage, ten};
use crate::explain::time_line;
use crate::specs::{assert_accounted, both_ways, run};
use crate::stacks::stack;

const CERTIFIED_1_3: &[(&str, &str)] = &[("dtls.auth", "certificate"), ("dtls.version", "1.3")];
const BY_CONNECTION_ID: &[(&str, &str)] = &[("dtls.cid", "8B")];

fn reporting(options: &[(&str, &str)]) -> RunSpec {
    ten(stack("coap/dtls/udp", options), FlowKind::Report)
}

/// How many packets the servers discarded for a reason.
fn discarded(simulated: &Simulated, reason: DiscardReason) -> u64 {
    assert_accounted(simulated);
    let rows = simulated.meter().ledger().packet_rows().into_iter();
    let of_reason = |fate| fate == Fate::Discarded(reason);
    rows.filter(|row| row.direction == Direction::Up && of_reason(row.fate))
        .map(|row| row.packets)
        .sum()
}

#[test]
fn records_that_come_twice_are_discarded_as_replayed() {
    for options in [&[][..], BY_CONNECTION_ID, CERTIFIED_1_3] {
        let mut spec = reporting(options);
        let once = run(&spec);
        assert_eq!(discarded(&once, DiscardReason::Replayed), 0, "{options:?}");
        let probability = Probability::new(0.2).expect("it is one");
        for direction in both_ways(&mut spec) {
            direction.duplicate = Some(Duplicate { probability });
        }
        let twice = run(&spec);
        // A fifth of 2,000 reports, whose records alone are sealed in a session.
        let replayed = discarded(&twice, DiscardReason::Replayed);
        assert!((300..500).contains(&replayed), "{options:?}: {replayed}");
        let summary = twice.summary();
        assert_eq!(summary.messages_delivered, summary.messages_offered);
    }
}

#[test]
fn the_time_line_of_a_message_says_why_a_copy_was_discarded() {
    let mut spec = reporting(&[]);
    let always = Duplicate {
        probability: Probability::ALWAYS,
    };
    for direction in both_ways(&mut spec) {
        direction.duplicate = Some(always);
    }
    let entries = time_line(&spec, 3);
    let said = entries
        .iter()
        .any(|it| it.what.ends_with("is of no use: replayed"));
    assert!(said, "{entries:#?}");
}

#[test]
fn records_of_sessions_that_a_restart_forgot_are_discarded_as_such() {
    for (options, reason) in [
        (&[][..], DiscardReason::NoSession),
        (BY_CONNECTION_ID, DiscardReason::UnknownConnectionId),
        (CERTIFIED_1_3, DiscardReason::NoSession),
    ] {
        let mut spec = reporting(options);
        let restart = ChangeSpec::Restart {
            of: RestartOfSpec::Server("server".into()),
            back: BackSpec {
                duration_ns: SECOND_NS,
                spread_ns: 0,
                survives: SurvivesSpec::Nothing,
            },
        };
        // Nobody hears that the sessions end.
        spec.events = vec![at(99, server_outage()), at(100, restart)];
        let simulated = run(&spec);
        // At least one of each device.
        assert!(discarded(&simulated, reason) >= 10, "{options:?}");
    }
}

#[test]
fn a_server_counts_the_peers_that_it_evicts() {
    for (options, is_full) in [(&[("peers", "1")][..], true), (&[("peers", "2")], false)] {
        for layers in ["coap/udp", "coap/dtls/udp"] {
            let mut spec = ten(stack(layers, options), FlowKind::Report);
            spec.groups[0].population = PopulationSpec::Staying { devices: 2 };
            let flow = &mut spec.flows[0];
            // Of two that take turns, one waits for longer than 247 s (RFC 7252 section 4.8.2), and gives way then.
            flow.arrivals = ArrivalSpec::Periodic {
                every_ns: 2_000 * SECOND_NS,
            };
            flow.spread_ns = 2_000 * SECOND_NS;
            flow.duration_ns = 20_000 * SECOND_NS;
            let evicted = run(&spec).summary().peers_evicted;
            assert_eq!(evicted > 0, is_full, "{layers}: {evicted}");
        }
    }
}
