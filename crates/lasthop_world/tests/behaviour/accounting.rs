//! Every packet, byte and message is accounted for.

use crate::specs::{base, both_ways, every_combination, everything, link_of, loss, run, set_kind};
use crate::stacks::{json_udp, raw_udp, set_stack};
use lasthop_contract::{Cause, Direction, Layer};
use lasthop_link::delay::Uniform;
use lasthop_measure::{Fate, RunStatus};
use lasthop_units::Duration;
use lasthop_world::{
    EnergySpec, FlowKind, MessageName, Observe, PowerProfileSpec, SessionSpec, Simulated,
};

#[test]
fn packets_and_bytes_that_enter_leave_or_are_dropped_or_on_their_way() {
    for mut spec in every_combination().into_iter().map(everything) {
        // The run ends while packets are on their way.
        spec.measure.drain_ns = 0;
        let simulated = run(&spec);
        assert_eq!(simulated.status(), RunStatus::Completed);
        let rows = simulated.meter().ledger().packet_rows();
        for direction in Direction::ALL {
            let total = |wanted: fn(&Fate) -> bool| -> (u64, u64) {
                rows.iter()
                    .filter(|row| row.direction == direction && wanted(&row.fate))
                    .fold((0, 0), |sum, row| (sum.0 + row.packets, sum.1 + row.bytes))
            };
            let came = total(|fate| matches!(fate, Fate::Offered | Fate::Duplicated));
            let went =
                total(|fate| matches!(fate, Fate::Delivered | Fate::Dropped(_) | Fate::InFlight));
            assert_eq!(came, went, "{direction:?} of {spec:?}");
        }
    }
}

#[test]
fn the_ledger_sums_to_the_bytes_of_the_summary() {
    for spec in every_combination().into_iter().map(everything) {
        let simulated = run(&spec);
        for direction in Direction::ALL {
            let rows = simulated.meter().ledger().rows().into_iter();
            let ledger: u64 = rows
                .filter(|row| row.direction == direction && row.fate == Fate::Offered)
                .map(|row| row.bytes)
                .sum();
            assert_eq!(ledger, simulated.summary().offered[direction as usize].1);
        }
    }
}

#[test]
fn following_a_message_changes_nothing() {
    let mut spec = everything(base());
    set_stack(&mut spec, json_udp());
    set_kind(&mut spec, FlowKind::RoundTrip);
    let observe = Observe {
        message: Some(MessageName {
            device: 0,
            flow: None,
            number: core::num::NonZeroU32::MIN,
        }),
        ..Observe::default()
    };
    let watched = Simulated::run(&spec, observe, &Default::default()).unwrap();
    let alone = run(&spec);
    assert_eq!(watched.tables("x").messages, alone.tables("x").messages);
}

#[test]
fn every_message_ends_delivered_failed_or_unfinished() {
    for mut spec in every_combination().into_iter().map(everything) {
        spec.measure.drain_ns = 1_000_000_000;
        let summary = run(&spec).summary();
        let ended =
            summary.messages_delivered + summary.messages_failed + summary.messages_unfinished;
        assert_eq!(ended, summary.messages_offered);
        assert_eq!(summary.latency.count(), summary.messages_offered);
    }
}

#[test]
fn payload_is_counted_once_a_leg_and_the_rest_is_control() {
    let mut spec = base();
    set_kind(&mut spec, FlowKind::RoundTrip);
    link_of(&mut spec).up.loss = None;
    link_of(&mut spec).down.loss = None;
    let summary = run(&spec).summary();
    assert_eq!(summary.payload_bytes_first_sent, 2 * 2400 * 409);
    // 28 B of headers for 409 B of payload, and 14 B more on Ethernet.
    let (ip, ethernet) = summary.control_bytes_per_100().unwrap();
    assert!((ip - 100.0 * 28.0 / 409.0).abs() < 1e-9, "{ip}");
    assert!((ethernet - 100.0 * 42.0 / 409.0).abs() < 1e-9, "{ethernet}");
}

#[test]
fn a_further_copy_is_a_retransmission_and_no_payload() {
    let mut spec = base();
    set_stack(&mut spec, raw_udp(Some(4)));
    let simulated = run(&spec);
    let summary = simulated.summary();
    assert_eq!(summary.payload_bytes_first_sent, 2400 * 409);
    let retransmitted: u64 = simulated
        .meter()
        .ledger()
        .rows()
        .iter()
        .filter(|row| row.fate == Fate::Offered && row.cause == Cause::Retransmission)
        .inspect(|row| assert_eq!(row.layer, Layer::Application))
        .map(|row| row.bytes)
        .sum();
    assert_eq!(retransmitted, summary.retransmissions_application * 409);
    assert!(summary.retransmissions_application > 0);
    assert_eq!(summary.retransmissions_transport, 0);
}

#[test]
fn tcp_keeps_nothing_alive_that_is_not_idle() {
    let mut with_tcp = 0;
    let mut specs = every_combination();
    for spec in &mut specs {
        // Connections end, too.
        spec.flows[0].session = SessionSpec::PerMessage;
    }
    for mut spec in specs.into_iter().chain(every_combination()).map(everything) {
        loss(&mut spec, 0.1);
        for direction in both_ways(&mut spec) {
            let bounds = [10, 400].map(Duration::from_millis);
            direction.delay = Some(Uniform::new(bounds[0], bounds[1]).unwrap().into());
        }
        let simulated = run(&spec);
        let rows = simulated.meter().ledger().rows();
        with_tcp += u32::from(rows.iter().any(|row| row.layer == Layer::Tcp));
        let probes = rows
            .iter()
            .find(|row| row.layer == Layer::Tcp && row.cause == Cause::KeepAlive);
        assert_eq!(probes.map(|row| row.bytes), None, "{spec:?}");
    }
    assert!(with_tcp > 30, "{with_tcp}");
}

#[test]
fn a_path_without_a_radio_has_no_energy() {
    let mut spec = base();
    spec.groups[0].energy = Some(EnergySpec {
        profile: PowerProfileSpec::Bg96,
        battery_wh: 5.0,
        self_discharge_per_year: 0.01,
        load_w: 0.0,
        load_per_message_j: 0.0,
        lifetime_years: None,
    });
    let simulated = run(&spec);
    assert_eq!(simulated.status(), RunStatus::Completed);
    assert!(simulated.summary().messages_delivered > 0);
    assert!(simulated.summary().energy.is_none());
}
