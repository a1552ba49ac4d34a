//! T3412: a device in power saving mode tells the network that it is still there.

use lasthop_contract::{LinkInput, Port, RadioCause, RadioState};
use lasthop_nbiot::config::{NetworkConfig, PowerSavingMode, Procedure};
use lasthop_nbiot::{LevelReport, NetworkReport};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, CORE, RADIO};

const HOUR: u64 = 3_600;

fn at(seconds: u64) -> Instant {
    Instant::ZERO + Duration::from_secs(seconds)
}

fn config(procedure: Procedure, t3412_ms: u64) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(144.0);
    config.connection.procedure = procedure;
    config.connection.inactivity_ms = 20_000;
    config.give_up_ms = 7_200_000;
    config.idle.power_saving_mode = Some(PowerSavingMode {
        t3324_ms: 4_000,
        t3412_ms,
    });
    config
}

fn level(report: &NetworkReport) -> LevelReport {
    report.levels()[0]
}

#[test]
fn it_runs_from_the_attachment_and_from_each_release() {
    let mut device = Alone::attached(&config(Procedure::ServiceRequest, HOUR * 1000));
    device.run_until(at(10 * HOUR - 100));
    assert_eq!(level(&device.report()).tracking_area_updates, 9);
    // Reports every 25 minutes leave it no time.
    let mut device = Alone::attached(&config(Procedure::ServiceRequest, HOUR * 1000));
    for number in 0..24 {
        device.offer(at(60 + number * 1500), RADIO, 73, false);
    }
    device.run_until(at(10 * HOUR));
    assert_eq!(level(&device.report()).tracking_area_updates, 0);
    assert_eq!(level(&device.report()).accesses, 24);
    // Each connection lasts 20 s longer than its report; then the hour begins.
    device.run_until(at(60 + 23 * 1500 + 20 + HOUR - 10));
    assert_eq!(level(&device.report()).tracking_area_updates, 0);
    device.run_until(at(60 + 23 * 1500 + 30 + HOUR + 10));
    assert_eq!(level(&device.report()).tracking_area_updates, 1);
}

#[test]
fn without_power_saving_mode_there_is_none() {
    let mut config = config(Procedure::ServiceRequest, HOUR * 1000);
    config.idle.power_saving_mode = None;
    let mut device = Alone::attached(&config);
    device.offer(at(10), RADIO, 73, false);
    device.run_until(at(100 * HOUR));
    assert_eq!(level(&device.report()).tracking_area_updates, 0);
    assert_eq!(level(&device.report()).accesses, 1);
}

/// No security, no bearer, no inactivity timer: less than a service request with its data, whatever the procedure.
#[test]
fn an_update_is_short_and_is_signalling() {
    for procedure in [
        Procedure::ServiceRequest,
        Procedure::Resume,
        Procedure::ControlPlane,
    ] {
        let mut device = Alone::attached(&config(procedure, HOUR * 1000));
        device.input(at(HOUR + 100), LinkInput::Detach { port: RADIO });
        let report = device.report();
        let counted = level(&report);
        assert_eq!(counted.tracking_area_updates, 1, "{procedure:?}");
        assert_eq!(counted.releases, 1, "{procedure:?}");
        assert!(counted.connected_ms < 500, "{procedure:?}: {counted:?}");
        // Msg4, the acceptance, the release; the request and STATUS PDUs.
        let cell = &report.cells[0];
        assert!((5..=9).contains(&cell.dcis), "{procedure:?}: {}", cell.dcis);
        let spent = |wanted: RadioCause| -> f64 {
            let spans = device.radio.iter().filter(|span| span.cause == wanted);
            let awake = spans.filter(|span| span.state != RadioState::DeepSleep);
            awake.map(|span| span.duration.as_secs_f64()).sum()
        };
        assert!(spent(RadioCause::Signalling) > 0.02, "{procedure:?}");
        assert_eq!(spent(RadioCause::Payload), 0.0, "{procedure:?}");
    }
}

/// What waits at the network for a sleeping device is paged for after an update, while T3324 runs.
#[test]
fn an_update_makes_a_device_reachable() {
    let mut device = Alone::attached(&config(Procedure::ServiceRequest, HOUR * 1000));
    device.offer(at(600), CORE, 50, false);
    device.run_until(at(HOUR - 10));
    assert!(device.deliveries.is_empty(), "it sleeps");
    device.run_until(at(HOUR + 30));
    let ports: Vec<Port> = device.deliveries.iter().map(|(_, port, _)| *port).collect();
    assert_eq!(ports, [RADIO]);
    assert_eq!(level(&device.report()).tracking_area_updates, 1);
}

/// Data that come while an update is under way wait for its end, at whatever moment they come.
#[test]
fn data_wait_for_the_end_of_an_update() {
    for procedure in [
        Procedure::ServiceRequest,
        Procedure::Resume,
        Procedure::ControlPlane,
    ] {
        for millis in (0..800).step_by(20) {
            let mut device = Alone::attached(&config(procedure, HOUR * 1000));
            let when = at(HOUR) + Duration::from_millis(millis);
            device.offer(when, RADIO, 73, false);
            device.offer(when, CORE, 40, false);
            device.run_until(at(HOUR + 60));
            let mut ports: Vec<Port> = device.deliveries.iter().map(|(_, port, _)| *port).collect();
            ports.sort();
            assert_eq!(ports, [RADIO, CORE], "{procedure:?}, {millis} ms");
            assert!(device.drops.is_empty(), "{procedure:?}, {millis} ms");
        }
    }
}

#[test]
fn an_update_out_of_coverage_is_tried_again_after_the_next_period() {
    let mut config = config(Procedure::ServiceRequest, HOUR * 1000);
    config.placement = lasthop_nbiot::config::Placement::StatedCouplingLoss {
        cells: 1,
        coupling_loss_db: 180.0,
    };
    let mut device = Alone::attached(&config);
    device.run_until(at(3 * HOUR + 300));
    let failed: u64 = device
        .report()
        .levels()
        .iter()
        .map(|level| level.accesses_failed)
        .sum();
    assert_eq!(failed, 3);
    assert!(device.drops.is_empty(), "nothing was lost with it");
}
