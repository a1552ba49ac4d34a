//! NPDSCH with one and two antenna ports, by the receiver that estimates the channel in each symbol.

use lasthop_contract::RandomStream;
use lasthop_nbiot::channel::{Channel, DownlinkBurst};
use lasthop_nbiot::config::{CarrierMode, DownlinkEstimation, Fading, NetworkConfig};
use lasthop_nbiot::deployment::CellIndex;
use lasthop_nbiot::link_tables::{self, BlockErrorRate};
use lasthop_nbiot::phy::signal_to_noise_db;
use lasthop_units::{Duration, Instant};

use super::required_snr_db;

const COUPLING_LOSS_DB: f64 = 140.0;
const BLOCKS: u64 = 1000;

/// A block, and the lowest SNR with at most 10 % of 100 blocks lost, by 1, 2, 4, 8, 16, 32, 64 and 128 repetitions: table
/// `clean_NPDSCH_100_TRBlks.csv` of LENA-NB. Its antennas, ports and channel are not stated; the example of MATLAB, of which copies are
/// public, has one receive antenna, EPA, 5 Hz, and an estimate from one symbol.
struct Row {
    mode: CarrierMode,
    i_tbs: u8,
    i_sf: u8,
    subframes: u16,
    bits: u16,
    published_db: [f64; 8],
}

const ROWS: [Row; 3] = [
    Row {
        mode: CarrierMode::GuardBand,
        i_tbs: 0,
        i_sf: 7,
        subframes: 10,
        bits: 256,
        published_db: [5.0, 2.0, 0.0, -4.0, -6.0, -8.0, -10.0, -12.0],
    },
    Row {
        mode: CarrierMode::GuardBand,
        i_tbs: 4,
        i_sf: 7,
        subframes: 10,
        bits: 680,
        published_db: [11.0, 5.0, 3.0, 0.0, -3.0, -5.0, -8.0, -10.0],
    },
    Row {
        mode: CarrierMode::InBand { control_symbols: 3 },
        i_tbs: 4,
        i_sf: 0,
        subframes: 1,
        bits: 56,
        published_db: [14.0, 9.0, 3.0, 0.0, -1.0, -4.0, -6.0, -8.0],
    },
];

#[derive(Clone, Copy, Debug)]
struct Case {
    ports: u8,
    antennas: u8,
    doppler_hz: f64,
    estimation: DownlinkEstimation,
}

fn lost_share(snr_db: f64, row: &Row, repetitions: u16, case: Case) -> f64 {
    let mut config = NetworkConfig::single_device(COUPLING_LOSS_DB);
    config.carrier.mode = row.mode;
    config.carrier.nrs_ports = case.ports;
    config.carrier.device_receive_antennas = case.antennas;
    config.carrier.downlink_power_dbm =
        snr_db - signal_to_noise_db(0.0, COUPLING_LOSS_DB, 180_000.0, 5.0);
    config.channel.downlink_estimation = case.estimation;
    config.channel.fading = Fading::Rayleigh {
        doppler_hz: case.doppler_hz,
    };
    let table = match row.mode {
        CarrierMode::InBand { .. } => link_tables::Carrier::InBand,
        CarrierMode::Standalone | CarrierMode::GuardBand => link_tables::Carrier::Standalone,
    };
    let rate = BlockErrorRate::npdsch(table, row.i_tbs, row.i_sf).expect("the format has a table");
    assert_eq!(rate.payload_bits(), row.bits);
    let mut channel = Channel::new(&config, 7);
    let mut draws = RandomStream::named(7, "blocks");
    let subframes = row.subframes * repetitions;
    // The source has NPSS and NSSS in 3 of 20 subframes, and no other broadcast.
    let burst = DownlinkBurst {
        from: Instant::ZERO,
        until: Instant::ZERO + Duration::from_nanos(u64::from(subframes) * 20_000_000 / 17),
        subframes,
        repetitions,
    };
    let mut lost = 0;
    for number in 0..BLOCKS {
        channel.attach(0, number, None);
        if number == 0 {
            channel.downlink_starts(Instant::ZERO, CellIndex(0), &burst);
        }
        let received = channel.downlink_ends(0, &burst);
        lost += u64::from(draws.unit() < rate.at(received.decibels()));
    }
    lost as f64 / BLOCKS as f64
}

/// With one antenna at 5 Hz, as in the example of the source, the receiver that estimates in each symbol lies within 2.5 dB of each row in the
/// mean, with either number of ports, and nearer than that of the presets.
#[test]
fn npdsch_with_one_and_two_ports_beside_a_published_link_simulation() {
    println!("\nNPDSCH, 10 % lost, by repetitions:\n");
    println!(
        "| block, ports, antennas, Doppler, estimation | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | mean offset |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for row in ROWS {
        let [bits, subframes] = [row.bits, row.subframes];
        let published = row.published_db.map(|snr| format!("{snr:.0}"));
        println!(
            "| {bits} bits in {subframes}, LENA-NB | {} | |",
            published.join(" | ")
        );
        for (ports, antennas, doppler_hz) in [
            (1, 1, 1.0),
            (1, 1, 5.0),
            (2, 1, 1.0),
            (2, 1, 5.0),
            (1, 2, 1.0),
            (1, 2, 5.0),
        ] {
            let [preset, symbol] =
                [DownlinkEstimation::Window, DownlinkEstimation::Symbol].map(|estimation| {
                    told(
                        &row,
                        Case {
                            ports,
                            antennas,
                            doppler_hz,
                            estimation,
                        },
                    )
                });
            assert!(
                preset
                    .iter()
                    .zip(symbol)
                    .all(|(preset, symbol)| *preset < symbol),
                "estimation costs something: {preset:?} {symbol:?}"
            );
            if antennas == 1 && doppler_hz == 5.0 {
                let mean = |found: [f64; 8]| {
                    let pairs = found.iter().zip(row.published_db);
                    pairs
                        .map(|(ours, published)| (ours - published) / 8.0)
                        .sum::<f64>()
                };
                let (before, after) = (mean(preset), mean(symbol));
                assert!(after.abs() < 2.5, "{after}");
                assert!(after.abs() < before.abs(), "{before} {after}");
            }
        }
    }
}

/// Prints the row of a receiver; gives the SNRs.
fn told(row: &Row, case: Case) -> [f64; 8] {
    let found: [f64; 8] = core::array::from_fn(|doubling| {
        required_snr_db(0.1, |snr_db| lost_share(snr_db, row, 1 << doubling, case))
    });
    let offset: f64 = (found.iter().zip(row.published_db))
        .map(|(ours, published)| (ours - published) / 8.0)
        .sum();
    println!(
        "| {} bits in {}, {}, {}, {} Hz, {:?} | {} | {offset:+.1} dB |",
        row.bits,
        row.subframes,
        case.ports,
        case.antennas,
        case.doppler_hz,
        case.estimation,
        found.map(|snr| format!("{snr:.1}")).join(" | ")
    );
    found
}
