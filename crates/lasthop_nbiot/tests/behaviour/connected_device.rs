//! A device with a connection: packets both ways, asking for grants, release.

use lasthop_contract::{DropReason, LinkInput};
use lasthop_nbiot::config::{NetworkConfig, Procedure};

use crate::alone::{Alone, CORE, RADIO, at_ms};

fn config(procedure: Procedure, coupling_loss_db: f64) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.connection.procedure = procedure;
    config.connection.inactivity_ms = 20_000;
    config.idle.power_saving_mode = None;
    config
}

const PROCEDURES: [Procedure; 3] = [
    Procedure::ServiceRequest,
    Procedure::Resume,
    Procedure::ControlPlane,
];

#[test]
fn packets_of_every_size_arrive_in_order_both_ways_in_every_coverage() {
    let sizes = [1, 40, 73, 128, 448, 1280, 1600];
    for procedure in PROCEDURES {
        for coupling_loss_db in [120.0, 144.0, 154.0, 162.0] {
            let mut network = config(procedure, coupling_loss_db);
            network.give_up_ms = 3_600_000;
            let mut device = Alone::attached(&network);
            for (number, bytes) in sizes.into_iter().enumerate() {
                let now = 1000 + number as u64 * 200;
                device.offer(at_ms(now), RADIO, bytes, false);
                device.offer(at_ms(now + 50), CORE, bytes, false);
            }
            device.run_until(at_ms(3_000_000));
            for port in [CORE, RADIO] {
                let arrived: Vec<usize> = (device.deliveries.iter())
                    .filter(|delivery| delivery.1 == port)
                    .map(|delivery| delivery.2)
                    .collect();
                assert_eq!(
                    arrived, sizes,
                    "{procedure:?} at {coupling_loss_db} dB: {:?}",
                    device.drops
                );
            }
        }
    }
}

#[test]
fn new_data_while_connected_asks_for_a_grant_by_random_access() {
    for procedure in PROCEDURES {
        let mut device = Alone::attached(&config(procedure, 130.0));
        device.offer(at_ms(1000), RADIO, 73, false);
        device.offer(at_ms(6000), RADIO, 73, false);
        device.run_until(at_ms(10_000));
        assert_eq!(device.deliveries.len(), 2);
        let level = device.report().levels()[0];
        assert_eq!(
            (level.accesses, level.scheduling_requests),
            (1, 1),
            "{procedure:?}"
        );
    }
}

#[test]
fn an_answer_to_the_core_rides_on_the_unasked_grant() {
    for (unasked, requests) in [(true, 0), (false, 1)] {
        let mut network = config(Procedure::ServiceRequest, 130.0);
        network.connection.grant_after_downlink = unasked;
        network.switches.rlc_status = false;
        let mut device = Alone::attached(&network);
        device.offer(at_ms(1000), RADIO, 73, false);
        device.run_until(at_ms(5000));
        device.offer(at_ms(5000), CORE, 60, false);
        device.run_until(at_ms(5030));
        assert_eq!(device.deliveries.len(), 2, "the request is at the device");
        device.offer(at_ms(5030), RADIO, 60, false);
        device.run_until(at_ms(8000));
        assert_eq!(device.deliveries.len(), 3);
        assert_eq!(device.report().levels()[0].scheduling_requests, requests);
    }
}

#[test]
fn inactivity_releases_and_the_next_packet_connects_anew() {
    let mut device = Alone::attached(&config(Procedure::Resume, 130.0));
    device.offer(at_ms(1000), RADIO, 73, false);
    device.run_until(at_ms(40_000));
    let level = device.report().levels()[0];
    assert_eq!((level.accesses, level.releases), (1, 1));
    assert!(
        (20_000..21_000).contains(&level.connected_ms),
        "{}",
        level.connected_ms
    );
    device.offer(at_ms(50_000), RADIO, 73, false);
    device.run_until(at_ms(60_000));
    assert_eq!(device.report().levels()[0].accesses, 2);
}

#[test]
fn release_assistance_ends_the_connection_with_the_data() {
    for procedure in PROCEDURES {
        let mut network = config(procedure, 130.0);
        network.connection.release_assistance = true;
        let mut device = Alone::attached(&network);
        device.offer(at_ms(1000), RADIO, 73, true);
        device.run_until(at_ms(3000));
        let level = device.report().levels()[0];
        assert_eq!(level.releases, 1, "{procedure:?}");
        assert!(
            level.connected_ms < 1000,
            "{procedure:?}: {}",
            level.connected_ms
        );
    }
}

#[test]
fn what_is_too_large_is_dropped_with_its_reason() {
    let mut device = Alone::attached(&config(Procedure::Resume, 130.0));
    device.offer(at_ms(1000), RADIO, 1601, false);
    device.offer(at_ms(1000), CORE, 1601, false);
    device.run_until(at_ms(3000));
    let drops: Vec<_> = device
        .drops
        .iter()
        .map(|(_, port, reason)| (*port, *reason))
        .collect();
    assert_eq!(
        drops,
        [(RADIO, DropReason::TooBig), (CORE, DropReason::TooBig)]
    );
}

#[test]
fn a_device_that_is_taken_away_takes_its_packets_with_it() {
    for milliseconds in (1001..1600).step_by(13) {
        let mut device = Alone::attached(&config(Procedure::ServiceRequest, 144.0));
        device.offer(at_ms(1000), RADIO, 448, false);
        device.offer(at_ms(1000), CORE, 448, false);
        device.input(at_ms(milliseconds), LinkInput::Detach { port: RADIO });
        device.run_until(at_ms(100_000));
        let report = device.report();
        assert_eq!(report.packets_queued, 0, "at {milliseconds} ms");
        assert_eq!(report.packets_delivered + report.packets_dropped, 2);
        device.input(at_ms(100_000), LinkInput::Attach { port: RADIO });
        device.offer(at_ms(100_000), RADIO, 73, false);
        device.run_until(at_ms(110_000));
        assert_eq!(device.deliveries.last().map(|last| last.2), Some(73));
    }
}

#[test]
fn a_port_without_a_device_drops_what_is_offered() {
    let mut device = Alone::new(&config(Procedure::Resume, 130.0), 1);
    device.offer(at_ms(5), RADIO, 73, false);
    device.offer(at_ms(5), CORE, 73, false);
    let reasons: Vec<_> = device.drops.iter().map(|drop| drop.2).collect();
    assert_eq!(reasons, [DropReason::NotAttached; 2]);
}
