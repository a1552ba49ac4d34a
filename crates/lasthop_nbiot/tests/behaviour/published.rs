//! Figures of others beside ours: rows V-X1 to V-X3. They stand for other assumptions than ours, so that they are shown, not
//! held to: `cargo test --release -p lasthop_nbiot --test behaviour published -- --nocapture`.

#![expect(
    clippy::print_stdout,
    reason = "the figures are shown beside those of others"
)]

use lasthop_nbiot::channel::{BurstKind, Channel, Tones, UplinkBurst};
use lasthop_nbiot::config::SubcarrierSpacing::{self, Khz3_75, Khz15};
use lasthop_nbiot::config::{Fading, GoldenCarrier, NetworkConfig, Procedure, ReleaseAssistance};
use lasthop_nbiot::link_tables::{self, BlockErrorRate, Combining};
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

use crate::alone::Alone;

const DEVICE_POWER_DBM: f64 = 23.0;

/// The largest coupling loss at which a tenth of the blocks of 256 bits in ten resource units is lost, on one tone without
/// fading, received by two antennas that have to estimate the channel.
fn reach_db(spacing: SubcarrierSpacing, repetitions: u16) -> f64 {
    let passes = if repetitions == 1 {
        Combining::Chase
    } else {
        Combining::RedundancyVersions0And2
    };
    let rate = BlockErrorRate::npusch(link_tables::Tones::Single, 0, 7, passes)
        .expect("the format has a table");
    assert_eq!(rate.payload_bits(), 256);
    let unit_ms = if spacing == Khz15 { 8 } else { 32 };
    let lost = |coupling_loss_db: f64| {
        let mut config = NetworkConfig::single_device(coupling_loss_db);
        config.channel.fading = Fading::None;
        let mut channel = Channel::new(&config, 1);
        channel.attach(0, 0, None);
        let burst = UplinkBurst {
            from: Instant::ZERO,
            until: Instant::ZERO + Duration::from_millis(10 * unit_ms) * u64::from(repetitions),
            tones: Tones::new(spacing, 0, 1),
            power: DecibelMilliwatts::new(DEVICE_POWER_DBM),
            kind: BurstKind::Data,
            repetitions,
        };
        let id = channel.uplink_starts(burst.from, 0, &burst);
        rate.at(channel.uplink_ends(0, id).decibels())
    };
    let (mut near, mut far) = (120.0, 180.0);
    for _ in 0..12 {
        let middle = 0.5 * (near + far);
        if lost(middle) < 0.1 {
            near = middle;
        } else {
            far = middle;
        }
    }
    near
}

#[test]
fn v_x1_coupling_loss_reached_with_128_repetitions() {
    for (spacing, published_db) in [(Khz15, 170.2), (Khz3_75, 172.2)] {
        let ours_db = reach_db(spacing, 128);
        println!("V-X1 {spacing:?}: {published_db} dB published, {ours_db:.1} dB ours");
        assert!((ours_db - published_db).abs() < 6.0, "{ours_db}");
    }
}

#[test]
fn v_x2_sensitivity_at_100_and_200_bit_a_second() {
    // 256 bits in ten units of 32 ms are 800 bit/s.
    for (repetitions, bit_s, published_dbm) in [(8, 100, -150.1), (4, 200, -147.0)] {
        let ours_dbm = DEVICE_POWER_DBM - reach_db(Khz3_75, repetitions);
        println!("V-X2 {bit_s} bit/s: {published_dbm} dBm published, {ours_dbm:.1} dBm ours");
        assert!((ours_dbm - published_dbm).abs() < 4.0, "{ours_dbm}");
    }
}

/// Reports of 73 bytes that a cell carries a second at most, when nothing but the usable subframes of the downlink or the
/// twelve tones of the uplink limits it.
fn capacity_per_second(carrier: GoldenCarrier, level: usize, procedure: Procedure) -> f64 {
    let mut config = NetworkConfig::golden_timeline(carrier, level, procedure);
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    let report = Alone::new(&config, 1).report_at(Instant::ZERO, 73);
    (725.0 / (report.npdcch + report.npdsch)).min(12_000.0 / report.tone_ms)
}

#[test]
fn v_x3_capacity_gained_over_a_service_request() {
    use Procedure::{ControlPlane, Resume, ServiceRequest};
    for (procedure, published) in [(ControlPlane, (26.0, 224.0)), (Resume, (36.0, 165.0))] {
        let mut gains = Vec::new();
        for (carrier, first) in [
            (GoldenCarrier::InBand35, 0),
            (GoldenCarrier::Standalone46, 1),
        ] {
            for level in first..3 {
                let gain = capacity_per_second(carrier, level, procedure)
                    / capacity_per_second(carrier, level, ServiceRequest);
                gains.push((carrier, level, (100.0 * (gain - 1.0)).round()));
            }
        }
        println!("V-X3 {procedure:?}: {published:?} % published, ours {gains:?}");
        assert!(gains.iter().all(|(.., gain)| *gain > 0.0), "{gains:?}");
    }
}
