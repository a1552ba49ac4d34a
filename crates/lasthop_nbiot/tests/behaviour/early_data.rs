//! Early data (Release 15): the report in Msg3, the answer in Msg4, and what happens where they do not fit.

use lasthop_contract::{Expectation, LinkInput, RadioCause, RadioState};
use lasthop_nbiot::config::{
    GoldenCarrier, NetworkConfig, Placement, Procedure, ReleaseAssistance,
};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, CORE, RADIO, at_ms};
use crate::city::City;
use crate::golden_timeline::mean_outcome;

const PROCEDURES: [Procedure; 2] = [Procedure::Resume, Procedure::ControlPlane];

/// The time line of the hand calculation, with early data up to so many bits.
fn by_hand(level: usize, procedure: Procedure, bits: Option<u16>) -> NetworkConfig {
    let mut config = NetworkConfig::golden_timeline(GoldenCarrier::Standalone46, level, procedure);
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    config.connection.early_data_bits = bits;
    config.core_delay_ms = 0.0;
    config
}

fn real(procedure: Procedure, coupling_loss_db: f64, bits: Option<u16>) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.connection.procedure = procedure;
    config.connection.early_data_bits = bits;
    config.connection.inactivity_ms = 20_000;
    config.idle.power_saving_mode = None;
    config
}

/// When the device sends, its gaps for synchronisation included, in milliseconds from the start, and for what.
fn transmissions(device: &Alone) -> Vec<(f64, f64, RadioCause)> {
    let ms = |at: Instant| (at - Instant::ZERO).as_secs_f64() * 1000.0;
    (device.radio.iter().enumerate())
        .filter(|(_, span)| matches!(span.state, RadioState::Transmit(_)))
        .map(|(place, span)| {
            let gaps = (device.radio.get(place + 1))
                .filter(|next| next.cause == RadioCause::Synchronisation)
                .map_or(Duration::ZERO, |next| next.duration);
            (
                ms(span.from),
                ms(span.from + span.duration + gaps),
                span.cause,
            )
        })
        .collect()
}

/// One report of 60 bytes, to its end.
fn one_report(config: &NetworkConfig) -> (f64, Vec<(f64, f64, RadioCause)>, Alone) {
    let mut device = Alone::attached(config);
    device.offer(at_ms(0), RADIO, 60, true);
    device.tell_radio_time(at_ms(60_000));
    let arrived = (device.deliveries[0].0 - at_ms(0)).as_secs_f64() * 1000.0;
    let sent = transmissions(&device);
    (arrived, sent, device)
}

#[test]
fn the_report_arrives_with_msg3_and_the_messages_behind_it_fall_away() {
    for procedure in PROCEDURES {
        for level in 0..3 {
            let usual = by_hand(level, procedure, None);
            let mut early = by_hand(level, procedure, Some(1000));
            // The early preamble has the place that the other one has.
            let place = usual.levels[level].nprach.start_ms;
            early.levels[level].nprach.start_ms = usual.levels[level]
                .early_data
                .as_ref()
                .unwrap()
                .nprach
                .start_ms;
            early.levels[level]
                .early_data
                .as_mut()
                .unwrap()
                .nprach
                .start_ms = place;
            let name = format!("{procedure:?} at level {level}");

            let (usual_ms, usual_sent, usual) = one_report(&usual);
            let (early_ms, early_sent, early) = one_report(&early);
            // Preamble and Msg3 begin when they do otherwise; the report has arrived when Msg3 ends.
            assert_eq!(early_sent[..1], usual_sent[..1], "{name}");
            assert_eq!(early_sent[1].0, usual_sent[1].0, "{name}");
            assert_eq!(early_ms, early_sent[1].1, "{name}");
            assert!(
                usual_ms > usual_sent[2].1,
                "{name}: after the acknowledgement of Msg4"
            );
            // The response and Msg4; the others take a grant, or more, and a release besides.
            let (early, usual) = (early.report(), usual.report());
            assert_eq!(early.cells[0].dcis, 2, "{name}");
            assert!(usual.cells[0].dcis >= 4, "{name}");
            assert_eq!(
                early_sent.len(),
                3,
                "{name}: preamble, Msg3, acknowledgement"
            );
            let causes: Vec<_> = early_sent.iter().map(|sent| sent.2).collect();
            assert_eq!(
                causes,
                [
                    RadioCause::RandomAccess,
                    RadioCause::Payload,
                    RadioCause::Acknowledgement
                ]
            );
            let counts = early.levels()[level];
            assert_eq!((counts.early_data, counts.accesses), (1, 1), "{name}");
            assert_eq!((counts.set_ups, counts.releases), (0, 0), "{name}");
        }
    }
}

#[test]
fn an_answer_goes_with_msg4() {
    for procedure in PROCEDURES {
        for coupling_loss_db in [130.0, 148.0, 158.0] {
            let mut device = Alone::attached(&real(procedure, coupling_loss_db, Some(1000)));
            device.offer(at_ms(1000), RADIO, 60, false);
            let mut now = 1000;
            while device.deliveries.is_empty() {
                now += 10;
                device.run_until(at_ms(now));
            }
            device.offer(at_ms(now), CORE, 40, false);
            device.run_until(at_ms(60_000));
            let name = format!("{procedure:?} at {coupling_loss_db} dB");
            let arrived: Vec<_> = device.deliveries.iter().map(|one| (one.1, one.2)).collect();
            assert_eq!(arrived, [(CORE, 60), (RADIO, 40)], "{name}");
            let sum = |count: fn(&lasthop_nbiot::LevelReport) -> u64| {
                device.report().levels().iter().map(count).sum::<u64>()
            };
            assert_eq!(sum(|level| level.early_data), 1, "{name}");
            assert_eq!(
                sum(|level| level.set_ups + level.early_data_fallbacks),
                0,
                "{name}"
            );
            assert_eq!(sum(|level| level.npusch_granted), 0, "{name}");
        }
    }
}

#[test]
fn data_that_do_not_fit_go_by_a_usual_connection() {
    for procedure in PROCEDURES {
        for level in 0..3 {
            let outcome = |bits| {
                let config = by_hand(level, procedure, bits);
                let outcome = Alone::new(&config, 1).report_at(at_ms(0), 448);
                format!("{outcome:?}")
            };
            assert_eq!(
                outcome(Some(1000)),
                outcome(None),
                "{procedure:?} at level {level}"
            );
        }
    }
}

#[test]
fn the_largest_report_that_fits_fills_the_block() {
    // Msg3 has the report of data volume (1), the message on SRB0 with its subheader, and on the data bearer a subheader,
    // RLC (2) and PDCP (1); the last SDU needs no length field.
    for (procedure, largest) in [
        (Procedure::Resume, 125 - 1 - (2 + 9) - (1 + 2 + 1)),
        (Procedure::ControlPlane, 125 - 1 - 1 - 8 - 18),
    ] {
        for (bytes, early_data) in [(largest, 1), (largest + 1, 0)] {
            let mut device = Alone::attached(&real(procedure, 130.0, Some(1000)));
            device.offer(at_ms(1000), RADIO, bytes, true);
            device.run_until(at_ms(60_000));
            let level = device.report().levels()[0];
            assert_eq!(level.early_data, early_data, "{procedure:?}, {bytes} B");
            assert_eq!(level.set_ups, 1 - early_data, "{procedure:?}, {bytes} B");
            assert_eq!(device.deliveries[0].2, bytes);
        }
    }
}

#[test]
fn an_answer_that_does_not_fit_msg4_gets_a_connection() {
    for procedure in PROCEDURES {
        let mut device = Alone::attached(&real(procedure, 130.0, Some(1000)));
        device.offer(at_ms(1000), RADIO, 60, false);
        device.run_until(at_ms(1210));
        device.offer(at_ms(1210), CORE, 400, false);
        device.run_until(at_ms(60_000));
        let arrived: Vec<_> = device.deliveries.iter().map(|one| (one.1, one.2)).collect();
        assert_eq!(arrived, [(CORE, 60), (RADIO, 400)], "{procedure:?}");
        let level = device.report().levels()[0];
        assert_eq!(
            (level.early_data, level.early_data_fallbacks),
            (0, 1),
            "{procedure:?}"
        );
        assert_eq!(
            (level.accesses, level.set_ups, level.releases),
            (1, 1, 1),
            "{procedure:?}"
        );
    }
}

#[test]
fn more_data_behind_msg3_get_a_connection() {
    for procedure in PROCEDURES {
        let mut device = Alone::attached(&real(procedure, 130.0, Some(1000)));
        device.offer(at_ms(1000), RADIO, 60, false);
        // While Msg3 is on the air.
        device.offer(at_ms(1170), RADIO, 70, false);
        device.run_until(at_ms(60_000));
        let arrived: Vec<_> = device.deliveries.iter().map(|one| one.2).collect();
        assert_eq!(arrived, [60, 70], "{procedure:?}");
        let level = device.report().levels()[0];
        assert_eq!(
            (level.early_data_fallbacks, level.set_ups),
            (1, 1),
            "{procedure:?}"
        );
    }
}

#[test]
fn a_device_that_expects_no_more_need_not_wait_for_msg4() {
    let energy_ms = |release_assistance| {
        let mut config = real(Procedure::Resume, 130.0, Some(1000));
        config.connection.release_assistance = if release_assistance {
            ReleaseAssistance::AfterReply
        } else {
            ReleaseAssistance::Off
        };
        let mut device = Alone::attached(&config);
        device.offer(at_ms(1000), RADIO, 60, true);
        device.tell_radio_time(at_ms(60_000));
        let awake = device
            .radio
            .iter()
            .filter(|span| span.cause != RadioCause::Sleep);
        awake
            .map(|span| span.duration.as_secs_f64() * 1000.0)
            .sum::<f64>()
    };
    let (assisted, not) = (energy_ms(true), energy_ms(false));
    // Half of the contention timer: 32 periods of 16 subframes.
    assert!(
        (not - assisted - 256.0).abs() < 40.0,
        "{assisted} and {not} ms"
    );
}

/// On the user plane by a control element of two bytes beside the data.
#[test]
fn what_a_device_expects_is_told_in_msg3() {
    for (procedure, told_bytes) in [(Procedure::Resume, 2), (Procedure::ControlPlane, 0)] {
        let ends_early = |assists, bytes| {
            let mut config = real(procedure, 130.0, Some(1000));
            config.connection.release_assistance = if assists {
                ReleaseAssistance::AfterReply
            } else {
                ReleaseAssistance::Off
            };
            let mut device = Alone::attached(&config);
            device.offer_expecting(at_ms(1000), RADIO, bytes, Some(Expectation::OneAnswer));
            device.run_until(at_ms(60_000));
            assert_eq!(device.deliveries.len(), 1);
            device.report().levels()[0].early_data == 1
        };
        let largest = |assists| (60..125).rev().find(|bytes| ends_early(assists, *bytes));
        let (Some(with), Some(without)) = (largest(true), largest(false)) else {
            panic!("{procedure:?}: none goes early");
        };
        assert_eq!(without - with, told_bytes, "{procedure:?}");
    }
}

#[test]
fn collisions_on_an_early_preamble_end_well() {
    for procedure in PROCEDURES {
        let mut config = real(procedure, 130.0, Some(1000));
        config.placement = Placement::StatedCouplingLoss {
            cells: 1,
            coupling_loss_db: 130.0,
        };
        config.connection.release_assistance = ReleaseAssistance::AfterReply;
        let mut city = City::new(&config, 3);
        for slot in 0..24 {
            assert_eq!(city.come(Instant::ZERO), slot);
        }
        city.run_until(at_ms(60_000));
        let report = city.network.report();
        let level = report.levels()[0];
        assert!(level.preambles_collided >= 2, "{level:?}");
        assert!(level.msg3_lost + level.contentions_lost > 0, "{level:?}");
        assert_eq!(
            (city.delivered, city.dropped, level.early_data),
            (24, 0, 24),
            "{level:?}"
        );
        assert_eq!(level.set_ups, 0, "{level:?}");
        assert_eq!(report.packets_queued, 0);
    }
}

/// At the edge of coverage Msg3, Msg4 and acknowledgements are lost again and again.
#[test]
fn nothing_is_lost_or_doubled_where_msg4_is() {
    for procedure in PROCEDURES {
        for seed in 0..20 {
            let mut config = real(procedure, 163.0, Some(1000));
            config.give_up_ms = 3_600_000;
            let mut device = Alone::new(&config, seed);
            device.input(at_ms(0), LinkInput::Attach { port: RADIO });
            for number in 0..10 {
                device.offer(
                    at_ms(1000 + number * 90_000),
                    RADIO,
                    50 + number as usize,
                    false,
                );
                device.offer(
                    at_ms(8000 + number * 90_000),
                    CORE,
                    30 + number as usize,
                    false,
                );
            }
            device.run_until(at_ms(2_000_000));
            let report = device.report();
            assert_eq!(report.packets_queued, 0, "{procedure:?}, seed {seed}");
            assert_eq!(
                report.packets_delivered + report.packets_dropped,
                20,
                "{procedure:?}, seed {seed}"
            );
            for port in [CORE, RADIO] {
                let arrived = device.deliveries.iter().filter(|one| one.1 == port);
                let sizes: Vec<_> = arrived.map(|one| one.2).collect();
                assert!(sizes.is_sorted_by(|a, b| a < b), "{sizes:?}");
            }
        }
    }
}

#[test]
fn every_transport_block_of_early_data_is_as_robust_as_msg3_in_every_preset() {
    let presets = [
        NetworkConfig::larmo_2019(),
        NetworkConfig::single_device(150.0),
        by_hand(0, Procedure::Resume, None),
    ];
    for mut config in presets {
        config.connection.procedure = Procedure::Resume;
        for bits in [328, 408, 504, 584, 680, 808, 936, 1000] {
            config.connection.early_data_bits = Some(bits);
            assert_eq!(config.check(), Ok(()), "{bits} bit");
        }
    }
}

/// Of a report of 60 bytes: mean latency in milliseconds, DCIs, NPDSCH subframes and milliseconds of an uplink tone, as usual and
/// with early data of up to 1000 bits; `MODEL.md` has the figures.
#[test]
fn early_data_has_its_effect() {
    let effects: Vec<_> = PROCEDURES
        .into_iter()
        .flat_map(|procedure| (0..3).map(move |level| (procedure, level)))
        .flat_map(|(procedure, level)| {
            [None, Some(1000)].map(|bits| {
                let of = mean_outcome(&by_hand(level, procedure, bits), 60);
                [of.latency_ms, of.dcis, of.npdsch, of.tone_ms].map(|mean| mean.round() as u64)
            })
        })
        .collect();
    assert_eq!(effects, EFFECTS);
}

#[rustfmt::skip]
const EFFECTS: [[u64; 4]; 12] = [
    [195, 4, 5, 53], [175, 2, 3, 83],
    [950, 5, 16, 443], [641, 2, 8, 275],
    [6112, 6, 128, 3949], [7418, 2, 64, 5197],
    [203, 4, 4, 61], [175, 2, 2, 83],
    [957, 5, 10, 475], [641, 2, 6, 275],
    [6388, 6, 80, 4205], [7418, 2, 48, 5197],
];
