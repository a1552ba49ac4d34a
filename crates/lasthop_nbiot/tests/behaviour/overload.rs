//! Too many at once: access barring, requests that are turned away, connections that are established again.

use lasthop_contract::DropReason;
use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::{
    AccessBarring, ConnectionReject, DedicatedFormats, LinkAdaptation, NetworkConfig, Procedure,
    Reestablishment,
};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, CORE, RADIO, at_ms};
use crate::city::City;

fn barred(barred_classes: u8) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(120.0);
    config.idle.power_saving_mode = None;
    config.random_access.access_barring = Some(AccessBarring {
        barred_classes,
        moves_on_ms: 10_000,
    });
    config
}

/// The first device has access class 0, which is the first that is barred, and the first that is free again.
#[test]
fn a_barred_device_sleeps_until_its_class_is_free_and_then_sends() {
    let report = |config: &NetworkConfig| {
        let mut device = Alone::attached(config);
        device.offer(at_ms(1000), RADIO, 73, true);
        device.tell_radio_time(at_ms(120_000));
        (
            device.deliveries[0].0,
            device.report().levels()[0],
            device.radio,
        )
    };
    let (free_at, free, _) = report(&barred(0));
    let (at, level, radio) = report(&barred(5));
    assert_eq!((free.barred, level.barred), (0, 1));
    assert!(free_at < at_ms(2000), "{free_at:?}");
    let late = at - at_ms(10_000);
    assert!(late < Duration::from_secs(1), "{late:?}");
    let told: Duration = radio.iter().map(|span| span.duration).sum();
    assert_eq!(told, Duration::from_secs(120), "radio time is conserved");
}

#[test]
fn where_all_are_barred_the_device_gives_its_packet_up_and_one_that_is_called_comes() {
    let mut config = barred(10);
    config.give_up_ms = 30_000;
    let mut device = Alone::attached(&config);
    device.offer(at_ms(1000), RADIO, 73, true);
    device.run_until(at_ms(40_000));
    assert_eq!(device.drops, [(at_ms(31_000), RADIO, DropReason::GaveUp)]);
    assert_eq!(device.report().levels()[0].preambles, 0);
    device.offer(at_ms(50_000), CORE, 60, true);
    device.run_until(at_ms(60_000));
    assert_eq!(
        device.deliveries.len(),
        1,
        "access barring is not for calls"
    );
}

/// Barring costs a look before each access: a block of NPBCH and a window of system information.
#[test]
fn a_device_reads_who_is_barred_before_it_begins() {
    let latency = |config: &NetworkConfig| {
        let mut device = Alone::attached(config);
        device.offer(at_ms(1000), RADIO, 73, true);
        device.run_until(at_ms(20_000));
        device.deliveries[0].0
    };
    let mut without = barred(0);
    without.random_access.access_barring = None;
    let more = latency(&barred(0)) - latency(&without);
    assert!(
        (more.as_secs_f64() - 0.24).abs() < 0.17,
        "{more:?}, to the next opportunity"
    );
}

/// Of many that come at once, few are let in, and the others keep away as long as they are told.
#[test]
fn a_base_station_turns_away_whom_it_cannot_serve_and_all_are_served_in_the_end() {
    let crowd = |reject| {
        let mut config = NetworkConfig::single_device(140.0);
        config.levels.truncate(1);
        config.rsrp_thresholds_dbm.clear();
        config.levels[0].nprach.tones = 48;
        config.levels[0].nprach.tone_offset = 0;
        config.random_access.reject = reject;
        config.random_access.preamble_attempts = 200;
        let mut city = City::new(&config, 3);
        for number in 0..300 {
            city.come(Instant::ZERO + Duration::from_millis(1 + number * 20));
        }
        city.run_until(Instant::ZERO + Duration::from_secs(19));
        let early = city.delivered;
        city.run_until(Instant::ZERO + Duration::from_secs(200));
        let report = city.network.report();
        assert_eq!((city.offered, city.dropped), (300, 0));
        (
            early,
            city.delivered,
            report.levels()[0],
            report.cells[0].longest_queue,
        )
    };
    let (_, all, level, queue) = crowd(None);
    assert_eq!((all, level.rejected), (300, 0));
    let (early, all, turned, shorter) = crowd(Some(ConnectionReject {
        above_waiting: 2,
        wait_s: 20,
    }));
    assert!(queue > 12, "too few for a crowd: {queue}");
    assert!(shorter < queue, "{shorter} of {queue} wait");
    assert!(turned.rejected > 30, "{turned:?}");
    assert!(
        early + turned.rejected / 2 < 300,
        "who was turned away keeps away: {early}"
    );
    assert_eq!(all, 300);
    assert_eq!(
        turned.releases, 300,
        "a request that is turned away is no connection"
    );
}

/// Blocks of data that a device in this coverage often misses: HARQ and RLC are at their limit soon.
fn fragile(coupling_loss_db: f64, procedure: Procedure, again: bool) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.rsrp_thresholds_dbm = [157.0, 161.0]
        .map(|loss| config.carrier.rsrp_dbm(loss))
        .to_vec();
    config.connection.procedure = procedure;
    config.connection.harq_transmissions = 1;
    config.connection.rlc.maximum_retransmissions = 1;
    config.connection.reestablishment = again.then_some(Reestablishment {
        t311_ms: 10_000,
        t301_ms: 25_000,
    });
    config.levels[0].link_adaptation = LinkAdaptation::Fixed(DedicatedFormats {
        dci_repetitions: 2,
        npdsch_i_tbs: 8,
        npdsch_repetitions: 1,
        npusch_tones: 1,
        npusch_i_tbs: 7,
        npusch_repetitions: 1,
        ack_repetitions: 1,
    });
    config
}

#[test]
fn a_connection_whose_radio_link_failed_is_established_again_with_what_it_held() {
    for (procedure, failures) in [(Procedure::ServiceRequest, 10), (Procedure::Resume, 2)] {
        let served = |again| {
            let mut sum = LevelReport::default();
            let mut delivered = 0;
            for seed in 0..8 {
                let config = fragile(149.0, procedure, again);
                let mut city = City::new(&config, seed);
                city.answers = true;
                city.run(60, 0.5, Duration::from_secs(900));
                assert_eq!(city.devices_present(), 0, "{procedure:?}");
                assert_eq!(city.told_ns, city.attached_ns, "{procedure:?}");
                assert_eq!(city.delivered + city.dropped, city.offered, "{procedure:?}");
                sum += city.network.report().levels()[0];
                delivered += city.delivered;
            }
            (sum, delivered)
        };
        let (lost, before) = served(false);
        let (kept, after) = served(true);
        let name = format!("{procedure:?}: {lost:?} {kept:?}");
        assert!(lost.packets_radio_link_failure > failures, "{name}");
        assert_eq!(lost.re_establishments, 0);
        assert!(kept.re_establishments >= failures / 2, "{name}");
        assert!(
            kept.packets_radio_link_failure * 3 <= lost.packets_radio_link_failure * 2,
            "{name}"
        );
        assert!(after > before, "{after} of {before}: {name}");
    }
}

/// TS 36.321 section 5.1.4: after `maxNumPreambleAttemptCE` attempts a device goes to the next coverage level.
#[test]
fn a_device_that_is_not_heard_goes_to_the_next_coverage_level() {
    // With 14 dBm its preambles reach no farther than 148 dB there.
    let mut config = NetworkConfig::single_device(155.0);
    config.device_power.maximum_dbm = 14.0;
    config.rsrp_thresholds_dbm = [157.0, 161.0]
        .map(|loss| config.carrier.rsrp_dbm(loss))
        .to_vec();
    let mut device = Alone::attached(&config);
    device.offer(at_ms(1000), RADIO, 73, true);
    device.run_until(at_ms(60_000));
    let levels = device.report().levels();
    assert_eq!(
        levels[0].preambles,
        u64::from(config.levels[0].nprach.attempts)
    );
    assert_eq!((levels[0].accesses, levels[1].accesses), (0, 1));
    assert_eq!(device.deliveries.len(), 1);
}
