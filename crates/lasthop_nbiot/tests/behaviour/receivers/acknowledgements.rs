//! Acknowledgements (NPUSCH format 2) by the receiver that estimates the channel in each slot.

use lasthop_contract::RandomStream;
use lasthop_nbiot::channel::{BurstKind, Channel, Tones, UplinkBurst};
use lasthop_nbiot::config::SubcarrierSpacing::{self, Khz3_75, Khz15};
use lasthop_nbiot::config::{Fading, NetworkConfig};
use lasthop_nbiot::link_tables::BlockErrorRate;
use lasthop_nbiot::phy::signal_to_noise_db;
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

use super::required_snr_db;

const COUPLING_LOSS_DB: f64 = 140.0;
/// The deviate that noise exceeds in 1 % of cases: the rate of false alarms of TS 36.104 section 8.5.2.1.
const ONE_PERCENT: f64 = 2.326_35;

/// How the base station decides.
#[derive(Clone, Copy, Debug)]
enum Decision {
    /// As with the presets: over the window, by the sign, and knowing whether a device answers.
    Preset,
    /// By the sign, from an estimate in each slot.
    SlotBySign,
    /// With 1 % of false alarms, from an estimate in each slot.
    SlotAboveNoise,
}

/// What receives, and the channel before it.
#[derive(Clone, Copy, Debug)]
struct Case {
    spacing: SubcarrierSpacing,
    antennas: u8,
    doppler_hz: f64,
    decision: Decision,
}

/// The share of acknowledgements that are not understood at a mean SNR of each antenna.
fn missed_share(snr_db: f64, repetitions: u16, case: Case, acknowledgements: u64) -> f64 {
    let mut config = NetworkConfig::single_device(COUPLING_LOSS_DB);
    config.carrier.base_station_receive_antennas = case.antennas;
    config.channel.fading = Fading::Rayleigh {
        doppler_hz: case.doppler_hz,
    };
    let (bandwidth_hz, repetition_ms) = match case.spacing {
        Khz15 => (15_000.0, 2),
        Khz3_75 => (3_750.0, 8),
    };
    let by_sign = BlockErrorRate::npusch_format_2();
    let mut channel = Channel::new(&config, 7);
    let mut draws = RandomStream::named(7, "acknowledgements");
    let power = snr_db - signal_to_noise_db(0.0, COUPLING_LOSS_DB, bandwidth_hz, 3.0);
    let mut missed = 0;
    for number in 0..acknowledgements {
        channel.attach(0, number, None);
        let burst = UplinkBurst {
            from: Instant::ZERO,
            until: Instant::ZERO + Duration::from_millis(repetition_ms) * u64::from(repetitions),
            tones: Tones::new(case.spacing, 0, 1),
            power: DecibelMilliwatts::new(power),
            kind: BurstKind::Acknowledgement,
            repetitions,
        };
        let id = channel.uplink_starts(Instant::ZERO, 0, &burst);
        let threshold = match case.decision {
            Decision::Preset => {
                let error = by_sign.at(channel.uplink_ends(0, id).decibels());
                missed += u64::from(draws.unit() < error);
                continue;
            }
            Decision::SlotBySign => 0.0,
            Decision::SlotAboveNoise => ONE_PERCENT,
        };
        let noise = core::array::from_fn(|_| draws.standard_normal());
        let received = channel.acknowledgement_ends(0, id);
        missed += u64::from(received.level(true, noise) <= threshold);
    }
    missed as f64 / acknowledgements as f64
}

/// The SNR of an antenna at which so large a share is missed. The standard error of a share is a tenth of it: 0.2 dB and less.
fn found_db(share: f64, repetitions: u16, case: Case) -> f64 {
    let acknowledgements = (100.0 / share) as u64;
    required_snr_db(share, |snr_db| {
        missed_share(snr_db, repetitions, case, acknowledgements)
    })
}

/// TS 36.104 tables 8.5.2.2.1-1 and 8.5.2.2.1-2: two antennas, EPA 5 Hz, at most 1 % of acknowledgements missed with at most 1 % of
/// false alarms. Extended Pedestrian A is flat over a tone.
///
/// A requirement leaves room for an implementation. Ours is held to lie at most 2 dB below a row and at most 1.5 dB above.
#[test]
fn acknowledgements_are_missed_as_often_as_the_requirement_allows() {
    println!("\nNPUSCH format 2, 1 % missed with 1 % of false alarms, 2 antennas, 5 Hz:\n");
    println!("| spacing | repetitions | TS 36.104 | preset | by slot | off |");
    println!("|---|---|---|---|---|---|");
    for (spacing, rows) in [
        (Khz3_75, [(1, 7.0), (16, -5.3), (64, -10.9)]),
        (Khz15, [(1, 6.3), (16, -3.9), (64, -9.5)]),
    ] {
        for (repetitions, requirement_db) in rows {
            let [preset_db, slot_db] =
                [Decision::Preset, Decision::SlotAboveNoise].map(|decision| {
                    let case = Case {
                        spacing,
                        antennas: 2,
                        doppler_hz: 5.0,
                        decision,
                    };
                    found_db(0.01, repetitions, case)
                });
            let off = slot_db - requirement_db;
            println!(
                "| {spacing:?} | {repetitions} | {requirement_db:.1} dB | {preset_db:.1} dB | {slot_db:.1} dB | {off:+.1} dB |"
            );
            assert!((-2.0..1.5).contains(&off), "{repetitions}: {slot_db}");
        }
    }
}

/// The lowest SNR with at most 10 % of 100 acknowledgements missed, by repetitions: the table `clean_ACK_100_TRBlks.csv` of LENA-NB. Its
/// antennas, channel and decision are not stated.
const LENA_NB: [(SubcarrierSpacing, &[(u16, f64)]); 2] = [
    (
        Khz3_75,
        &[(1, 5.0), (2, 1.0), (4, -3.0), (8, -5.0), (32, -7.0)],
    ),
    (
        Khz15,
        &[
            (1, 7.0),
            (2, 3.0),
            (4, -4.0),
            (8, -7.0),
            (16, -9.0),
            (64, -12.0),
        ],
    ),
];

/// From four repetitions on, on tones of 15 kHz, two antennas and 1 % of false alarms come within 2 dB of the published simulation. What it
/// loses with one and two repetitions is not explained.
#[test]
fn acknowledgements_beside_a_published_link_simulation() {
    println!("\nNPUSCH format 2, 10 % missed:\n");
    println!(
        "| spacing, repetitions, antennas, Doppler | LENA-NB | preset | slot, by sign | slot, 1 % of false alarms |"
    );
    println!("|---|---|---|---|---|");
    for (spacing, rows) in LENA_NB {
        for &(repetitions, published_db) in rows {
            for (antennas, doppler_hz) in [(1, 1.0), (1, 5.0), (2, 1.0), (2, 5.0)] {
                let [preset_db, sign_db, noise_db] = [
                    Decision::Preset,
                    Decision::SlotBySign,
                    Decision::SlotAboveNoise,
                ]
                .map(|decision| {
                    let case = Case {
                        spacing,
                        antennas,
                        doppler_hz,
                        decision,
                    };
                    found_db(0.1, repetitions, case)
                });
                println!(
                    "| {spacing:?}, {repetitions}, {antennas}, {doppler_hz} Hz | {published_db:.0} dB | {preset_db:.1} dB | {sign_db:.1} dB | {noise_db:.1} dB |"
                );
                assert!(
                    preset_db < sign_db && sign_db < noise_db,
                    "each part costs something: {preset_db} {sign_db} {noise_db}"
                );
                if antennas == 2 && repetitions >= 4 && spacing == Khz15 {
                    assert!((noise_db - published_db).abs() < 2.0, "{noise_db}");
                }
            }
        }
    }
}
