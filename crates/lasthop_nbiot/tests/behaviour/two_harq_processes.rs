//! Two HARQ processes (Release 14): more goes through, and nothing breaks.

use lasthop_contract::{LinkInput, Port};
use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::{DeviceCategory, NetworkConfig, Procedure};

use crate::alone::{Alone, CORE, RADIO, at_ms};

fn config(coupling_loss_db: f64, harq_processes: u8) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.connection.procedure = Procedure::Resume;
    config.connection.category = DeviceCategory::Nb2;
    config.connection.harq_processes = harq_processes;
    config.idle.power_saving_mode = None;
    config.give_up_ms = 3_600_000;
    config
}

/// So many packets of 1280 bytes offered at one port at once: when the last has arrived, in seconds, and the counts.
fn transfer(config: &NetworkConfig, port: Port, packets: usize) -> (f64, LevelReport) {
    let mut device = Alone::attached(config);
    for _ in 0..packets {
        device.offer(at_ms(1000), port, 1280, false);
    }
    device.run_until(at_ms(3_000_000));
    assert_eq!(device.deliveries.len(), packets, "{:?}", device.drops);
    let last = device.deliveries[packets - 1].0;
    device.input(at_ms(3_000_000), LinkInput::Detach { port: RADIO });
    let report = device.report();
    assert_eq!(report.cells[0].half_duplex_conflicts, 0);
    let mut all = LevelReport::default();
    for level in report.levels() {
        all += level;
    }
    ((last - at_ms(1000)).as_secs_f64(), all)
}

#[test]
fn a_large_transfer_is_faster_with_two_processes() {
    for coupling_loss_db in [120.0, 138.0] {
        for port in [RADIO, CORE] {
            let rate =
                |processes| 40.0 / transfer(&config(coupling_loss_db, processes), port, 40).0;
            let gain = rate(2) / rate(1);
            assert!(gain > 1.02, "{coupling_loss_db} dB, {port:?}: {gain:.3}");
        }
    }
}

/// The delays of grants are too short for a second NPUSCH behind a long one.
#[test]
fn long_transmissions_gain_nothing() {
    let seconds = |processes| transfer(&config(158.0, processes), RADIO, 10).0;
    let gain = seconds(1) / seconds(2);
    assert!((gain - 1.0).abs() < 0.05, "{gain:.3}");
}

#[test]
fn packets_arrive_in_order_though_blocks_overtake_each_other() {
    let mut repeated = 0;
    for coupling_loss_db in [120.0, 146.0, 154.0, 162.0] {
        let mut config = config(coupling_loss_db, 2);
        // Blocks fail often.
        for level in &mut config.levels {
            if let lasthop_nbiot::config::LinkAdaptation::Adaptive(sets) =
                &mut level.link_adaptation
            {
                sets.target_block_error = 0.4;
            }
        }
        let mut device = Alone::new(&config, 3);
        device.input(at_ms(0), LinkInput::Attach { port: RADIO });
        let sizes: Vec<usize> = (0..30).map(|number| 600 + number * 17).collect();
        for (number, bytes) in sizes.iter().enumerate() {
            let now = 1000 + number as u64 * 100;
            device.offer(at_ms(now), RADIO, *bytes, false);
            device.offer(at_ms(now + 50), CORE, *bytes, false);
        }
        device.run_until(at_ms(3_000_000));
        for port in [CORE, RADIO] {
            let arrived: Vec<usize> = (device.deliveries.iter())
                .filter(|delivery| delivery.1 == port)
                .map(|delivery| delivery.2)
                .collect();
            assert_eq!(arrived, sizes, "{coupling_loss_db} dB: {:?}", device.drops);
        }
        device.input(at_ms(3_000_000), LinkInput::Detach { port: RADIO });
        let report = device.report();
        assert_eq!(
            report.cells[0].half_duplex_conflicts, 0,
            "{coupling_loss_db} dB"
        );
        repeated += (report.levels().iter())
            .map(|level| level.npusch_repeated.min(level.npdsch_repeated))
            .sum::<u64>();
    }
    assert!(repeated > 20, "{repeated}");
}
