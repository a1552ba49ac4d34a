//! What a doubling of repetitions gains where the channel has to be estimated: row V-L8, NPUSCH format 1 on a tone of 15 kHz,
//! 256 bits with I_TBS 0 in 10 resource units, 10 % of blocks lost over Rayleigh fading.
#![expect(clippy::print_stdout, reason = "the rows are stated in MODEL.md")]

use lasthop_contract::RandomStream;
use lasthop_nbiot::channel::{BurstKind, Channel, Tones, UplinkBurst};
use lasthop_nbiot::config::SubcarrierSpacing::Khz15;
use lasthop_nbiot::config::{
    CombiningWeights, EstimationWindow, Fading, LinkAdaptation, NetworkConfig, RadioChannel,
};
use lasthop_nbiot::link_tables::{self, BlockErrorRate, Combining};
use lasthop_nbiot::phy::signal_to_noise_db;
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

const COUPLING_LOSS_DB: f64 = 140.0;
/// Ten resource units of 8 ms.
const BLOCK_MS: u64 = 80;
const DEVICES: u64 = 1500;
/// By the source, for 1 to 128 repetitions; its antennas and its Doppler shift are not stated.
const PUBLISHED_DB: [f64; 8] = [3.0, 1.0, -1.0, -5.0, -7.0, -9.0, -11.0, -13.0];

/// A receiver, and the channel before it.
#[derive(Clone, Copy, Debug)]
struct Receiver {
    antennas: u8,
    window: EstimationWindow,
    weights: CombiningWeights,
    doppler_hz: f64,
}

fn lost_share(snr_db: f64, repetitions: u16, receiver: Receiver) -> f64 {
    let mut config = NetworkConfig::single_device(COUPLING_LOSS_DB);
    config.carrier.base_station_receive_antennas = receiver.antennas;
    config.channel.estimation_window_15_khz_ms = receiver.window;
    config.channel.combining = receiver.weights;
    config.channel.fading = Fading::Rayleigh {
        doppler_hz: receiver.doppler_hz,
    };
    let combining = match repetitions {
        1 => Combining::Chase,
        _ => Combining::RedundancyVersions0And2,
    };
    let rate = BlockErrorRate::npusch(link_tables::Tones::Single, 0, 7, combining)
        .expect("the format has a table");
    assert_eq!(rate.payload_bits(), 256);
    let level = level_of(&config, repetitions);
    let mut channel = Channel::new(&config, 7);
    let mut draws = RandomStream::named(7, "blocks");
    let power = snr_db - signal_to_noise_db(0.0, COUPLING_LOSS_DB, 15_000.0, 3.0);
    let mut lost = 0;
    for number in 0..DEVICES {
        channel.attach(0, number, None);
        channel.set_level(0, level);
        let burst = UplinkBurst {
            from: Instant::ZERO,
            until: Instant::ZERO + Duration::from_millis(BLOCK_MS) * u64::from(repetitions),
            tones: Tones::new(Khz15, 0, 1),
            power: DecibelMilliwatts::new(power),
            kind: BurstKind::Data,
            repetitions,
        };
        let id = channel.uplink_starts(Instant::ZERO, 0, &burst);
        lost += u64::from(draws.unit() < rate.at(channel.uplink_ends(0, id).decibels()));
    }
    lost as f64 / DEVICES as f64
}

/// The first coverage level of the presets in which an NPUSCH may have so many repetitions.
fn level_of(config: &NetworkConfig, repetitions: u16) -> u8 {
    let level = config
        .levels
        .iter()
        .position(|level| match &level.link_adaptation {
            LinkAdaptation::Adaptive(sets) => sets.npusch_repetitions.contains(&repetitions),
            LinkAdaptation::Fixed(_) => false,
        });
    level.expect("a level has them") as u8
}

/// The SNR of an antenna at which a tenth is lost, by bisection.
fn required_snr_db(repetitions: u16, receiver: Receiver) -> f64 {
    let (mut low, mut high) = (-25.0, 20.0);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if lost_share(middle, repetitions, receiver) > 0.1 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// What lies between 1.75 and 2.25 dB a doubling: the source's 2.0.
const ASKED_DB: core::ops::RangeInclusive<f64> = 1.75..=2.25;

/// The row is **missed at 1 Hz**, the Doppler shift of each requirement of TS 36.104 section 8.5.1 (ETU 1 Hz), and with the receiver of the
/// example that the source's simulator is made of (two antennas, 1 Hz, an estimate over 1 ms). At 5 Hz, which was chosen after that
/// and which no source states for the NPUSCH, it is met. With one antenna at 1 Hz it is met by windows for
/// each coverage level that are fitted to it. All are held here, so that none moves unseen; beside them what each of
/// these does by itself: the window of 3.75 kHz, weights by reliability.
#[test]
fn v_l8_a_doubling_of_repetitions_gains_two_decibels_at_5_hz_and_more_at_1_hz() {
    let (long_ms, window_ms) = RadioChannel::ESTIMATION_TS_36_104_MS;
    println!(
        "| antennas, window, weights, Doppler | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | slope from 8 on | mean offset |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for antennas in [1, 2] {
        let at_1_hz = Receiver {
            antennas,
            window: window_ms.into(),
            weights: CombiningWeights::Estimates,
            doppler_hz: 1.0,
        };
        let at_5_hz = Receiver {
            doppler_hz: 5.0,
            ..at_1_hz
        };
        let example = Receiver {
            window: 1.into(),
            ..at_1_hz
        };
        let reliable = CombiningWeights::Reliability;
        let others = [
            Receiver {
                window: long_ms.into(),
                ..at_5_hz
            },
            Receiver {
                weights: reliable,
                ..at_5_hz
            },
            Receiver {
                window: long_ms.into(),
                weights: reliable,
                ..at_1_hz
            },
        ];
        assert!(!ASKED_DB.contains(&told(at_1_hz)), "the docs say missed");
        assert!(ASKED_DB.contains(&told(at_5_hz)), "the docs say met");
        told(example);
        let by_level = Receiver {
            window: RadioChannel::ESTIMATION_FITTED_BY_LEVEL_MS,
            ..at_1_hz
        };
        let slope = told(by_level);
        // Fitted with one antenna. With two it gains less than is asked.
        match antennas {
            1 => assert!(ASKED_DB.contains(&slope), "the docs say met: {slope}"),
            _ => assert!(slope < *ASKED_DB.start(), "the docs say missed: {slope}"),
        }
        for other in others {
            told(other);
        }
    }
}

/// Prints the row of a receiver; gives its slope from 8 repetitions on, in dB a doubling.
fn told(receiver: Receiver) -> f64 {
    let found: Vec<f64> = (0..8)
        .map(|doubling| required_snr_db(1 << doubling, receiver))
        .collect();
    let slope = (found[3] - found[7]) / 4.0;
    let offset: f64 = (found[3..].iter().zip(&PUBLISHED_DB[3..]))
        .map(|(ours, theirs)| (ours - theirs) / 5.0)
        .sum();
    let row: Vec<String> = found.iter().map(|snr| format!("{snr:.1}")).collect();
    println!(
        "| {}, {} ms, {:?}, {} Hz | {} | {slope:.2} dB | {offset:+.1} dB |",
        receiver.antennas,
        match receiver.window {
            EstimationWindow::Everywhere(window_ms) => window_ms.to_string(),
            EstimationWindow::ByLevel(windows_ms) => windows_ms.map(|ms| ms.to_string()).join("/"),
        },
        receiver.weights,
        receiver.doppler_hz,
        row.join(" | ")
    );
    slope
}
