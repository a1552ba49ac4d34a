//! What holds whatever happens: nothing used twice, nothing lost, no more than there is.

use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::{
    AccessBarring, ConnectedDrx, ConnectionReject, DeviceCategory, Fading, IndoorLoss,
    NetworkConfig, NetworkTime, Placement, Procedure, Reestablishment, ReleaseAssistance,
};
use lasthop_units::{Duration, Instant};

use crate::city::City;
use crate::downlink_map::walk;

fn city(cells: u16) -> NetworkConfig {
    let mut config = NetworkConfig::larmo_2019();
    if let Placement::Deployment(deployment) = &mut config.placement {
        deployment.cells = cells;
    }
    config
}

/// All that a network can have: six taps of fading, devices in every coverage level, compressed headers, connected DRX,
/// system information to be read, release by assistance.
fn with_everything(mut config: NetworkConfig) -> NetworkConfig {
    if let Placement::Deployment(deployment) = &mut config.placement {
        deployment.indoor_loss = IndoorLoss::Tr45820;
    }
    config.channel.fading = Fading::TypicalUrban { doppler_hz: 1.0 };
    config.connection.rohc = true;
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    config.idle.system_information_known = false;
    config.network = NetworkTime::MOST;
    for level in &mut config.levels {
        level.connected_drx = Some(ConnectedDrx {
            on_duration_pp: 8,
            inactivity_pp: 8,
            cycle_subframes: 2048,
        });
    }
    config
}

fn set_harq_processes(config: &mut NetworkConfig, processes: u8) {
    config.connection.harq_processes = processes;
    config.connection.category = if processes > 1 {
        DeviceCategory::Nb2
    } else {
        DeviceCategory::Nb1
    };
}

fn run(config: &NetworkConfig, seconds: u64, per_second: f64, answers: bool, name: &str) -> City {
    let mut city = City::new(config, 7);
    city.answers = answers;
    city.run(seconds, per_second, Duration::from_secs(180));
    no_downlink_subframe_is_used_twice(config, &mut city, name);
    city
}

/// By what was sent, not by what was booked, and by the words of the standard: no two transmissions of a cell share a
/// subframe, nor does one with NPSS, NSSS, NPBCH and system information.
fn no_downlink_subframe_is_used_twice(config: &NetworkConfig, city: &mut City, name: &str) {
    let sent = city.network.take_downlink_record();
    let subframe = |at: Instant| (at.as_nanos() / 1_000_000) as usize;
    let end = sent.iter().map(|(_, burst)| subframe(burst.until)).max();
    let end = end.expect("something was sent");
    // Nothing pauses in downlink gaps: no search space has the Rmax from which on there are some.
    let free = walk(config, None, end as u64);
    let report = city.network.report();
    let mut taken = vec![vec![false; end]; report.cells.len()];
    for (cell, burst) in &sent {
        let taken = &mut taken[cell.as_usize()];
        let mut subframes = 0;
        for at in (subframe(burst.from)..subframe(burst.until)).filter(|at| free[*at]) {
            assert!(
                !core::mem::replace(&mut taken[at], true),
                "{name}: subframe {at} of {cell:?} is used twice, then by {burst:?}"
            );
            subframes += 1;
        }
        assert_eq!(subframes, burst.subframes, "{name}: {burst:?} of {cell:?}");
    }
    for (cell, taken) in report.cells.iter().zip(&taken) {
        let sent = taken.iter().filter(|taken| **taken).count() as u64;
        assert_eq!(
            sent,
            cell.npdcch_subframes + cell.npdsch_subframes,
            "{name}"
        );
    }
}

/// Loads below, around and far above what three cells carry, by each procedure; 21 cells with everything on.
fn runs() -> Vec<(String, NetworkConfig, City)> {
    let mut runs = Vec::new();
    for (procedure, early_data_bits, harq_processes) in [
        (Procedure::ServiceRequest, None, 1),
        (Procedure::ServiceRequest, None, 2),
        (Procedure::Resume, None, 1),
        (Procedure::ControlPlane, None, 1),
        (Procedure::Resume, Some(1000), 1),
        (Procedure::ControlPlane, Some(1000), 2),
    ] {
        for per_second in [3.0, 30.0, 120.0] {
            let mut config = city(3);
            config.connection.procedure = procedure;
            config.connection.early_data_bits = early_data_bits;
            set_harq_processes(&mut config, harq_processes);
            let name = format!(
                "{procedure:?} at {per_second}/s, early data {early_data_bits:?}, {harq_processes} HARQ"
            );
            let run_of_it = run(&config, 40, per_second, false, &name);
            runs.push((name, config, run_of_it));
        }
    }
    for procedure in [Procedure::Resume, Procedure::ControlPlane] {
        let mut config = city(3);
        config.connection.procedure = procedure;
        config.connection.early_data_bits = Some(1000);
        config.network = NetworkTime::MOST;
        let name = format!("{procedure:?}, early data, a slow network");
        let run_of_it = run(&config, 40, 12.0, true, &name);
        runs.push((name, config, run_of_it));
    }
    for (procedure, per_second) in [(Procedure::ServiceRequest, 12.0), (Procedure::Resume, 12.0)] {
        let mut config = with_everything(city(3));
        config.connection.procedure = procedure;
        config.connection.harq_transmissions = 1;
        config.connection.rlc.maximum_retransmissions = 1;
        config.connection.early_data_bits = (procedure == Procedure::Resume).then_some(1000);
        config.connection.reestablishment = Some(Reestablishment {
            t311_ms: 3000,
            t301_ms: 25_000,
        });
        config.random_access.reject = Some(ConnectionReject {
            above_waiting: 1,
            wait_s: 7,
        });
        config.random_access.access_barring = Some(AccessBarring {
            barred_classes: 4,
            moves_on_ms: 3000,
        });
        let name = format!("{procedure:?}, held back and turned away");
        let run_of_it = run(&config, 40, per_second, true, &name);
        let levels = run_of_it.network.report().levels();
        let sum = |count: fn(&LevelReport) -> u64| levels.iter().map(count).sum::<u64>();
        assert!(sum(|level| level.barred) > 20, "{name}");
        assert!(sum(|level| level.rejected) > 20, "{name}");
        assert!(
            sum(|level| level.re_establishments) > 0 || procedure == Procedure::Resume,
            "{name}"
        );
        runs.push((name, config, run_of_it));
    }
    for (cells, seconds, per_second, harq_processes) in
        [(3, 40, 12.0, 1), (3, 40, 12.0, 2), (21, 20, 84.0, 1)]
    {
        let mut config = with_everything(city(cells));
        set_harq_processes(&mut config, harq_processes);
        let name = format!("{cells} cells, everything, {harq_processes} HARQ");
        let loaded = run(&config, seconds, per_second, true, &name);
        runs.push((name, config, loaded));
    }
    runs
}

#[test]
fn invariants_hold_below_and_above_capacity() {
    for (name, config, city) in runs() {
        let report = city.network.report();
        assert!(city.offered > 100, "{name}");
        assert_eq!(report.packets_offered, city.offered, "{name}");
        assert_eq!(
            report.packets_delivered + report.packets_dropped + report.packets_queued,
            report.packets_offered,
            "packets are conserved: {name}"
        );
        assert_eq!(city.devices_present(), 0, "everybody has left: {name}");
        assert_eq!(
            city.told_ns, city.attached_ns,
            "radio time is conserved: {name}"
        );
        let subframes = city.now.as_nanos() as f64 / 1e6;
        let preambles = reserved_for_preambles(&config) * subframes;
        for cell in &report.cells {
            assert_eq!(cell.half_duplex_conflicts, 0, "{name}");
            let downlink = (cell.npdcch_subframes + cell.npdsch_subframes) as f64;
            assert!(downlink <= subframes * 0.725 + 40.0, "{name}: {downlink}");
            assert!(cell.held_tone_ms <= 12.0 * subframes, "{name}");
            assert!(
                cell.npusch_tone_ms + cell.acknowledgement_tone_ms <= cell.held_tone_ms,
                "{name}"
            );
            let sent = cell.npusch_tone_ms + cell.acknowledgement_tone_ms;
            assert!(sent + preambles <= 12.0 * subframes + 40.0, "{name}");
        }
        for level in report.levels() {
            assert!(level.preambles_collided <= level.preambles, "{name}");
            assert!(level.msg3_lost <= level.msg3_sent, "{name}");
            assert!(level.set_ups <= level.accesses, "{name}");
            let ended = level.releases + level.early_data + level.radio_link_failures;
            assert!(ended <= level.accesses, "{name}");
        }
        // Little: the packets that the network says it holds, summed over time, are the times that each was in it.
        assert_eq!(city.packet_time, city.packet_sojourn, "{name}");
        // Who waits for resources is there.
        let waited_ms: u64 = report.cells.iter().map(|cell| cell.queue_device_ms).sum();
        assert!(waited_ms <= city.attached_ns / 1_000_000, "{name}");
    }
}

/// The tones of 15 kHz that preambles take of the uplink, in the mean.
fn reserved_for_preambles(config: &NetworkConfig) -> f64 {
    let of_level = |nprach: &lasthop_nbiot::config::Nprach| {
        let repetitions = f64::from(nprach.repetitions);
        f64::from(nprach.tones) / 4.0 * 5.6 * repetitions / f64::from(nprach.period_ms)
    };
    config
        .levels
        .iter()
        .map(|level| of_level(&level.nprach))
        .sum()
}

#[test]
fn a_run_is_a_function_of_its_seed() {
    let config = city(3);
    let report = |seed| {
        let mut city = City::new(&config, seed);
        city.run(30, 12.0, Duration::from_secs(90));
        format!("{:?}", city.network.report())
    };
    assert_eq!(report(1), report(1));
    assert_ne!(report(1), report(2));
}

#[test]
fn a_network_without_devices_reports_nothing() {
    let mut city = City::new(&city(21), 1);
    city.run(60, 1e-6, Duration::ZERO);
    let report = city.network.report();
    assert_eq!((report.devices_attached, report.events()), (0, 0));
}

#[test]
fn nobody_in_coverage_is_a_report_that_says_so() {
    let mut config = city(1);
    config.placement = Placement::StatedCouplingLoss {
        cells: 1,
        coupling_loss_db: 180.0,
    };
    let mut city = City::new(&config, 1);
    city.run(60, 2.0, Duration::from_secs(90));
    let report = city.network.report();
    assert_eq!(report.packets_delivered, 0);
    assert_eq!(report.packets_dropped, city.offered);
    let failed: u64 = report
        .levels()
        .iter()
        .map(|level| level.accesses_failed)
        .sum();
    assert_eq!(failed, city.offered, "each says that it got no access");
    assert_eq!(city.devices_present(), 0);
}
