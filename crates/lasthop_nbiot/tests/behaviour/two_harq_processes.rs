//! Two HARQ processes (Release 14): more goes through, and nothing breaks.

#![expect(clippy::print_stdout, reason = "the gains are stated in MODEL.md")]

use lasthop_contract::{LinkInput, Port};
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

/// How long forty packets of 1280 bytes take that are offered at one port at once, in seconds.
fn transfer_s(coupling_loss_db: f64, harq_processes: u8, port: Port, seed: u64) -> f64 {
    let mut device = Alone::new(&config(coupling_loss_db, harq_processes), seed);
    device.input(at_ms(0), LinkInput::Attach { port: RADIO });
    for _ in 0..40 {
        device.offer(at_ms(1000), port, 1280, false);
    }
    device.run_until(at_ms(3_000_000));
    assert_eq!(device.deliveries.len(), 40, "{:?}", device.drops);
    let last = device.deliveries[39].0;
    device.input(at_ms(3_000_000), LinkInput::Detach { port: RADIO });
    assert_eq!(device.report().cells[0].half_duplex_conflicts, 0);
    (last - at_ms(1000)).as_secs_f64()
}

/// The gain in rate, the mean of ten seeds, by coupling loss and direction: the delays of grants and acknowledgements are too
/// short for a second block behind a long first one.
#[test]
fn two_processes_gain_where_transmissions_are_short_and_lose_nowhere() {
    const SEEDS: u64 = 10;
    for (coupling_loss_db, gains) in [
        (120.0, [1.35..1.45, 1.22..1.32]),
        (134.0, [1.30..1.50, 1.22..1.32]),
        (138.0, [1.05..1.50, 1.22..1.32]),
        (142.0, [0.97..1.10, 1.22..1.32]),
        (146.0, [0.97..1.10, 1.10..1.30]),
        (150.0, [0.97..1.10, 1.10..1.30]),
        (158.0, [0.97..1.05, 0.97..1.10]),
    ] {
        for (port, expected) in [RADIO, CORE].into_iter().zip(gains) {
            let gain = |seed| {
                let [one, two] =
                    [1, 2].map(|count| transfer_s(coupling_loss_db, count, port, seed));
                one / two
            };
            let mean = (1..=SEEDS).map(gain).sum::<f64>() / SEEDS as f64;
            let way = if port == RADIO { "up" } else { "down" };
            println!("{coupling_loss_db} dB {way}: {mean:.3}");
            assert!(
                expected.contains(&mean),
                "{coupling_loss_db} dB {way}: {mean:.3}"
            );
        }
    }
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
