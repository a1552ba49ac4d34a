//! More carriers than one, and many devices that are called.
#![expect(clippy::print_stdout, reason = "the rows are stated in MODEL.md")]

use lasthop_contract::{Port, RadioCause, RadioState};
use lasthop_nbiot::config::{
    CarrierUse, NetworkConfig, NonAnchorCarriers, Placement, ReleaseAssistance, WakeUpSignal,
};
use lasthop_nbiot::phy::{DownlinkMap, Subframe};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, CORE, at_ms};
use crate::city::City;

fn city(cells: u16, non_anchor_carriers: Option<NonAnchorCarriers>) -> NetworkConfig {
    let mut config = NetworkConfig::larmo_2019();
    if let Placement::Deployment(deployment) = &mut config.placement {
        deployment.cells = cells;
    }
    config.non_anchor_carriers = non_anchor_carriers;
    config
}

#[test]
fn a_carrier_that_is_no_anchor_has_every_subframe() {
    let map = DownlinkMap::of_non_anchor(None);
    assert_eq!(map.usable_before(Subframe(12_345)), 12_345);
    let config = NetworkConfig::single_device(144.0);
    let gap = config.subframes.downlink_gap.expect("the preset has gaps");
    let map = DownlinkMap::of_non_anchor(Some(&gap));
    assert_eq!(
        map.usable_before(Subframe(25_600)),
        12_800,
        "half of each 256"
    );
}

/// Far above what an anchor carries, three more carriers serve most; what is conserved stays so.
#[test]
fn more_carriers_serve_more_devices() {
    let served = |carriers: Option<NonAnchorCarriers>| {
        let count = carriers
            .as_ref()
            .map_or(1, |others| 1 + usize::from(others.count));
        let mut city = City::new(&city(3, carriers), 5);
        city.run(40, 90.0, Duration::from_secs(180));
        assert_eq!(city.devices_present(), 0);
        assert_eq!(city.told_ns, city.attached_ns, "radio time is conserved");
        assert_eq!(city.delivered + city.dropped, city.offered);
        assert_eq!(city.packet_time, city.packet_sojourn, "Little");
        let report = city.network.report();
        assert_eq!(report.cells.len(), 3 * count);
        for cell in &report.cells {
            assert!(cell.levels[0].preambles > 20, "every carrier is used");
            assert_eq!(cell.half_duplex_conflicts, 0);
        }
        let collided: u64 = report
            .levels()
            .iter()
            .map(|level| level.preambles_collided)
            .sum();
        (city.delivered, city.offered, collided)
    };
    let (alone, offered, crowded) = served(None);
    let (together, as_many, fewer) = served(Some(NonAnchorCarriers {
        count: 3,
        anchor_sixteenths: 4,
        serve: CarrierUse::Everything,
    }));
    assert_eq!(offered, as_many);
    assert!(
        alone < offered * 9 / 10,
        "no overload: {alone} of {offered}"
    );
    assert!(together > offered * 99 / 100, "{together} of {offered}");
    assert!(
        fewer * 2 < crowded,
        "{fewer} of {crowded} preambles collide"
    );
}

/// As many carriers as lasthop counts: each has somebody.
#[test]
fn each_of_two_hundred_and_fifty_two_carriers_serves() {
    let carriers = NonAnchorCarriers {
        count: 11,
        anchor_sixteenths: 1,
        serve: CarrierUse::Everything,
    };
    let mut city = City::new(&city(21, Some(carriers)), 5);
    city.run(20, 100.0, Duration::from_secs(120));
    let cells = city.network.report().cells;
    assert_eq!(cells.len(), 252);
    let used = (cells.iter()).filter(|cell| cell.events > 0).count();
    assert!(used > 240, "{used}");
    assert_eq!(city.delivered, city.offered);
}

#[test]
fn the_anchor_takes_none_where_its_probability_is_zero() {
    let carriers = NonAnchorCarriers {
        count: 1,
        anchor_sixteenths: 0,
        serve: CarrierUse::Everything,
    };
    let mut city = City::new(&city(3, Some(carriers)), 5);
    city.run(30, 9.0, Duration::from_secs(120));
    let report = city.network.report();
    let preambles = |cells: &[lasthop_nbiot::CellReport]| -> u64 {
        (cells.iter().flat_map(|cell| &cell.levels))
            .map(|level| level.preambles)
            .sum()
    };
    assert_eq!(preambles(&report.cells[..3]), 0);
    assert!(preambles(&report.cells[3..]) > 200);
    assert_eq!(city.delivered, city.offered);
}

fn called(wake_up_signal: Option<WakeUpSignal>) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(130.0);
    config.idle.power_saving_mode = None;
    config.idle.wake_up_signal = wake_up_signal;
    config
}

const SIGNAL: WakeUpSignal = WakeUpSignal {
    duration_divisor: 64,
    time_offset_ms: 80,
};

/// An occasion every 2.56 s: 6 ms to get in step and 32 of 64 repetitions, or one subframe of the wake-up signal.
#[test]
fn a_wake_up_signal_saves_what_a_device_listens_for_a_page_that_does_not_come() {
    for (signal, occasion_ms) in [(None, 38), (Some(SIGNAL), 7)] {
        let mut device = Alone::attached(&called(signal));
        device.tell_radio_time(at_ms(2_560_000));
        let listened: Duration = (device.radio.iter())
            .filter(|span| (span.state, span.cause) == (RadioState::Receive, RadioCause::Paging))
            .map(|span| span.duration)
            .sum();
        assert_eq!(listened, Duration::from_millis(1000 * occasion_ms));
    }
}

#[test]
fn a_device_with_a_wake_up_signal_is_paged_in_the_occasion_behind_it() {
    let latency = |signal| {
        let mut device = Alone::attached(&called(signal));
        device.offer(at_ms(10_000), CORE, 60, false);
        device.run_until(at_ms(60_000));
        assert_eq!(device.deliveries.len(), 1);
        device.deliveries[0].0 - at_ms(10_000)
    };
    let (without, with) = (latency(None), latency(Some(SIGNAL)));
    assert!(with >= without, "{with:?} {without:?}");
    assert!(
        with <= without + Duration::from_millis(2560),
        "no more than a cycle later"
    );
}

/// Devices that are called at once by the hundred: each is paged in an occasion of its own.
#[test]
fn a_crowd_is_paged_until_all_have_what_waits_for_them() {
    println!("| called in 10 s | carriers | pages | delivered in 10 s | in 60 s |");
    println!("|---|---|---|---|---|");
    let mut early = Vec::new();
    for (devices, others) in [(50, 0), (200, 0), (600, 0), (600, 3)] {
        let mut config = called(None);
        config.connection.release_assistance = ReleaseAssistance::AfterReply;
        config.connection.inactivity_ms = 500;
        config.non_anchor_carriers = (others > 0).then_some(NonAnchorCarriers {
            count: others,
            anchor_sixteenths: 4,
            serve: CarrierUse::Everything,
        });
        let mut city = City::new(&config, 1);
        for slot in 0..devices {
            city.stay(Port(2 * slot));
        }
        for slot in 0..devices {
            let at = Duration::from_millis(u64::from(slot) * 10_000 / u64::from(devices));
            city.run_until(Instant::ZERO + at);
            city.call(Port(2 * slot + 1));
        }
        city.run_until(Instant::ZERO + Duration::from_secs(10));
        let soon = city.delivered;
        city.run_until(Instant::ZERO + Duration::from_secs(60));
        let report = city.network.report();
        let pages: u64 = report.cells.iter().map(|cell| cell.pages).sum();
        println!(
            "| {devices} | {} | {pages} | {soon} | {} |",
            1 + others,
            city.delivered
        );
        assert_eq!(
            report.packets_offered,
            report.packets_delivered + report.packets_queued + report.packets_dropped
        );
        assert!(pages >= u64::from(devices), "{pages} of {devices}");
        early.push((soon, city.delivered));
    }
    assert_eq!(early[0].1, 50, "all are found");
    assert!(
        early[3].0 > early[2].0,
        "more carriers, more room: {early:?}"
    );
}
