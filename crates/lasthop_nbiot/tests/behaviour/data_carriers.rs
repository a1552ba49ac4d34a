//! Carriers for data alone: connections are on them, random access and pages on the anchor.

use lasthop_contract::Port;
use lasthop_nbiot::CellReport;
use lasthop_nbiot::config::{CarrierUse, NetworkConfig, NonAnchorCarriers, Placement};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, CORE, RADIO, at_ms};
use crate::city::City;

fn for_data(count: u8, anchor_sixteenths: u8) -> Option<NonAnchorCarriers> {
    Some(NonAnchorCarriers {
        count,
        anchor_sixteenths,
        serve: CarrierUse::Data,
    })
}

fn city(cells: u16, others: Option<NonAnchorCarriers>) -> NetworkConfig {
    let mut config = NetworkConfig::larmo_2019();
    if let Placement::Deployment(deployment) = &mut config.placement {
        deployment.cells = cells;
    }
    config.non_anchor_carriers = others;
    config
}

fn preambles(cells: &[CellReport]) -> u64 {
    (cells.iter().flat_map(|cell| &cell.levels))
        .map(|level| level.preambles)
        .sum()
}

/// Far above what an anchor carries, with answers, one HARQ process and two: what is conserved stays so.
#[test]
fn more_carriers_for_data_serve_more_devices_by_the_random_access_of_one() {
    for processes in [1, 2] {
        let served = |others: Option<NonAnchorCarriers>| {
            let mut config = city(3, others);
            config.connection.harq_processes = processes;
            if processes == 2 {
                config.connection.category = lasthop_nbiot::config::DeviceCategory::Nb2;
            }
            let mut city = City::new(&config, 5);
            city.answers = true;
            city.run(30, 120.0, Duration::from_secs(240));
            assert_eq!(city.devices_present(), 0);
            assert_eq!(city.told_ns, city.attached_ns, "radio time is conserved");
            assert_eq!(city.delivered + city.dropped, city.offered);
            assert_eq!(city.packet_time, city.packet_sojourn, "Little");
            let report = city.network.report();
            assert!(
                report
                    .cells
                    .iter()
                    .all(|cell| cell.half_duplex_conflicts == 0)
            );
            let sent_on: Vec<usize> = (city.network.take_downlink_record().iter())
                .map(|(cell, _)| cell.as_usize())
                .collect();
            (city.delivered, report.cells, sent_on)
        };
        let (alone, ..) = served(None);
        let (together, cells, sent_on) = served(for_data(3, 4));
        assert!(together * 10 > alone * 12, "{together} in place of {alone}");
        assert!(preambles(&cells[..3]) > 1000);
        assert_eq!(preambles(&cells[3..]), 0, "random access is on the anchor");
        for carrier in 0..12 {
            let sent = sent_on.iter().filter(|on| **on == carrier).count();
            assert!(sent > 100, "carrier {carrier} sent {sent}");
        }
    }
}

/// Without a device whose data are elsewhere nothing changes.
#[test]
fn a_device_that_stays_on_the_anchor_is_served_as_without_other_carriers() {
    let latencies = |others| {
        let mut config = NetworkConfig::single_device(140.0);
        config.non_anchor_carriers = others;
        let mut device = Alone::attached(&config);
        device.offer(at_ms(10_000), RADIO, 100, false);
        device.run_until(at_ms(60_000));
        device
            .deliveries
            .iter()
            .map(|(at, ..)| *at)
            .collect::<Vec<Instant>>()
    };
    let plain = latencies(None);
    assert_eq!(plain.len(), 1);
    // The one device draws a carrier with a number of its own: of these shares, one has it on the anchor and one has not.
    let (on_anchor, elsewhere) = (latencies(for_data(1, 15)), latencies(for_data(1, 0)));
    assert_eq!(on_anchor, plain);
    assert_ne!(elsewhere, plain);
}

/// A connected device asks for a grant on the anchor and goes on with it on its carrier; one that sleeps is paged on the anchor.
#[test]
fn random_access_for_a_grant_and_pages_are_on_the_anchor() {
    let mut config = NetworkConfig::single_device(140.0);
    config.idle.power_saving_mode = None;
    config.non_anchor_carriers = for_data(1, 0);
    let mut device = Alone::attached(&config);
    for (at, end) in [
        (10_000, RADIO),
        (14_000, RADIO),
        (90_000, CORE),
        (99_000, RADIO),
    ] {
        device.offer(at_ms(at), end, 100, false);
    }
    device.run_until(at_ms(300_000));
    assert_eq!(device.deliveries.len(), 4);
    let cells = device.report().cells;
    let asked: u64 = cells[0]
        .levels
        .iter()
        .map(|level| level.scheduling_requests)
        .sum();
    assert!(
        asked >= 1,
        "the second packet finds a connection without a grant"
    );
    assert!(cells[0].pages >= 1, "{:?}", cells[0]);
    assert_eq!((preambles(&cells[1..]), cells[1].events), (0, 0));
}

/// Everything that may end a connection, again and again: whoever is back on the anchor gets in again.
#[test]
fn after_whatever_ends_a_connection_a_device_is_on_the_anchor() {
    let mut config = city(3, for_data(2, 0));
    config.connection.inactivity_ms = 500;
    config.give_up_ms = 4_000;
    let mut city = City::new(&config, 9);
    for slot in 0..60 {
        city.stay(Port(2 * slot));
    }
    for round in 0..12_u64 {
        for slot in 0..60_u32 {
            let at = Duration::from_millis(round * 10_000 + 60 * u64::from(slot));
            city.run_until(Instant::ZERO + at);
            city.call(Port(2 * slot + u32::from(round % 2 == 1)));
        }
    }
    city.run_until(Instant::ZERO + Duration::from_secs(200));
    assert_eq!(city.offered, 720);
    assert_eq!(city.delivered + city.dropped, city.offered);
    assert!(city.delivered > 600, "{}", city.delivered);
    let cells = city.network.report().cells;
    assert_eq!(preambles(&cells[3..]), 0);
}
