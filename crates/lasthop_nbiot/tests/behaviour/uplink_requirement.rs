//! Channel, estimation loss and link tables together, against the requirement A16-1 of TS 36.104 section 8.5.1: 32 bits in two
//! resource units of pi/2-BPSK on a tone of 3.75 kHz, two antennas, 1 Hz; the SNR at which 70 % of what four
//! transmissions of HARQ can carry arrives.
//!
//! What arrives is delivered blocks over transmissions. The reference does not say whether its recomputation combined
//! retransmissions; both readings are here. A retransmission follows 16 ms after its predecessor.
#![expect(clippy::print_stdout, reason = "the rows are stated in MODEL.md")]

use lasthop_contract::RandomStream;
use lasthop_nbiot::channel::{BurstKind, Channel, EsN0, Tones, UplinkBurst};
use lasthop_nbiot::config::SubcarrierSpacing::Khz3_75;
use lasthop_nbiot::config::{CombiningWeights, NetworkConfig};
use lasthop_nbiot::link_tables::{self, BlockErrorRate, Combining};
use lasthop_nbiot::phy::signal_to_noise_db;
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

const COUPLING_LOSS_DB: f64 = 140.0;
/// Two resource units of 32 ms.
const BLOCK_MS: u64 = 64;
const DEVICES: u64 = 1500;

/// What a receiver does with reference symbols.
#[derive(Clone, Copy)]
enum Estimation {
    Real,
    /// The channel is known: as if the reference symbols were without noise.
    Ideal,
}

/// How a block is sent.
#[derive(Clone, Copy)]
struct Sending {
    repetitions: u16,
    /// At most, all combined.
    transmissions: u8,
    estimation: Estimation,
    weights: CombiningWeights,
}

/// Delivered blocks over transmissions at a mean SNR of each antenna.
fn throughput(snr_db: f64, sending: Sending) -> f64 {
    let mut config = NetworkConfig::single_device(COUPLING_LOSS_DB);
    config.channel.combining = sending.weights;
    assert_eq!(config.channel.estimation_window_ms, 16);
    let rate = BlockErrorRate::npusch(link_tables::Tones::Single, 0, 1, Combining::Chase)
        .expect("the format has a table");
    assert_eq!(rate.payload_bits(), 32);
    let mut channel = Channel::new(&config, 7);
    let mut draws = RandomStream::named(7, "blocks");
    let power = snr_db - signal_to_noise_db(0.0, COUPLING_LOSS_DB, 3_750.0, 3.0);
    let duration = Duration::from_millis(BLOCK_MS) * u64::from(sending.repetitions);
    let (mut delivered, mut sent) = (0, 0);
    for number in 0..DEVICES {
        channel.attach(0, number, None);
        let mut from = Instant::ZERO;
        let mut combined = EsN0::NOTHING;
        for _ in 0..sending.transmissions {
            let burst = UplinkBurst {
                from,
                until: from + duration,
                tones: Tones::new(Khz3_75, 0, 1),
                power: DecibelMilliwatts::new(power),
                kind: match sending.estimation {
                    Estimation::Real => BurstKind::Data,
                    Estimation::Ideal => BurstKind::Preamble,
                },
                repetitions: sending.repetitions,
            };
            let id = channel.uplink_starts(from, 0, &burst);
            combined += channel.uplink_ends(0, id);
            sent += 1;
            if draws.unit() >= rate.at(combined.decibels()) {
                delivered += 1;
                break;
            }
            from = burst.until + Duration::from_millis(16);
        }
    }
    f64::from(delivered) / f64::from(sent)
}

/// The SNR at which the throughput passes 70 %, by bisection.
fn required_snr_db(sending: Sending) -> f64 {
    let (mut low, mut high) = (-30.0, 10.0);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if throughput(middle, sending) < 0.7 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[test]
fn v_l6_the_uplink_at_3750_hz_with_real_estimation() {
    // Each transmission by itself: the reference within 0.7 dB. 1500 devices leave 0.2 dB. Four combined: as found, which
    // at 64 repetitions is 0.9 dB better than the reference. Both are better than the requirement, which has a margin for
    // what is not modelled.
    for (repetitions, reference_db, combined_db, requirement_db) in [
        (1, -3.6, -3.4, -1.9),
        (16, -13.2, -13.8, -9.2),
        (64, -17.1, -18.0, -12.2),
    ] {
        let found_db = |transmissions, weights| {
            required_snr_db(Sending {
                repetitions,
                transmissions,
                estimation: Estimation::Real,
                weights,
            })
        };
        let by_estimates = found_db(1, CombiningWeights::Estimates);
        println!("{repetitions} repetitions, weights by the estimates: {by_estimates:.1} dB");
        assert!(
            (by_estimates - reference_db).abs() <= 0.7,
            "{repetitions}: {by_estimates}"
        );
        let found_db = |transmissions| found_db(transmissions, CombiningWeights::Reliability);
        let (alone, combined) = (found_db(1), found_db(4));
        assert!(
            (alone - reference_db).abs() <= 0.7,
            "{repetitions}: {alone}"
        );
        assert!(
            (combined - combined_db).abs() <= 0.3,
            "{repetitions}: {combined}"
        );
        assert!(alone.max(combined) < requirement_db);
    }
}

#[test]
fn v_l7_the_uplink_at_3750_hz_with_the_channel_known() {
    for transmissions in [1, 4] {
        let found_db = required_snr_db(Sending {
            repetitions: 1,
            transmissions,
            estimation: Estimation::Ideal,
            weights: CombiningWeights::Reliability,
        });
        assert!((found_db - -5.2).abs() <= 0.7, "{found_db}");
    }
}
