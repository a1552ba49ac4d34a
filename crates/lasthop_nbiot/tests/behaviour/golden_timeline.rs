//! The hand calculation of one device's time line, with what it leaves out left out: rows V-G1 to V-G3 and all others.
//! `cargo test --release -p lasthop_nbiot --test behaviour golden_timeline -- --nocapture` prints them beside ours.

#![expect(
    clippy::print_stdout,
    reason = "the figures are shown beside those of others"
)]

use lasthop_nbiot::config::*;
use lasthop_nbiot::phy::npdsch_block;
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, Outcome};

/// What stands in the reference for a row: mean latency, NPDCCH and NPDSCH subframes, milliseconds of a 15 kHz tone.
struct Row {
    carrier: GoldenCarrier,
    level: usize,
    procedure: Procedure,
    ip_bytes: usize,
    latency_ms: f64,
    npdcch: f64,
    npdsch: f64,
    tone_ms: f64,
}

const ROWS: &str = include_str!("../golden_timeline.csv");

fn rows() -> Vec<Row> {
    ROWS.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |place: usize| fields[place].parse().expect("a number");
            let (level, carrier) = match fields[0].split_once('-') {
                Some((level, "46dBm")) => (level, GoldenCarrier::Standalone46),
                _ => (fields[0], GoldenCarrier::InBand35),
            };
            Row {
                carrier,
                level: level[2..].parse().expect("a level"),
                procedure: match fields[1] {
                    "plain" => Procedure::ServiceRequest,
                    "up" => Procedure::Resume,
                    "cp" => Procedure::ControlPlane,
                    other => panic!("no such procedure: {other}"),
                },
                ip_bytes: fields[2].parse().expect("bytes"),
                latency_ms: number(3),
                npdcch: number(8),
                npdsch: number(9),
                tone_ms: number(10),
            }
        })
        .collect()
}

fn config(row: &Row) -> NetworkConfig {
    let mut config = NetworkConfig::golden_timeline(row.carrier, row.level, row.procedure);
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    config.core_delay_ms = 0.0;
    config
}

/// Means over arrivals that are spread evenly over the phases of preambles, search spaces and broadcasts.
pub(crate) fn mean_outcome(config: &NetworkConfig, ip_bytes: usize) -> Outcome {
    const ARRIVALS: u64 = 256;
    let period = u64::from(config.levels[2].nprach.period_ms);
    let mut sum = Outcome::default();
    for arrival in 0..ARRIVALS {
        let phase = Duration::from_nanos(period * 4 * 1_000_000 * arrival / ARRIVALS);
        let outcome = Alone::new(config, 1).report_at(Instant::ZERO + phase, ip_bytes);
        sum += outcome;
    }
    sum / ARRIVALS as f64
}

#[test]
fn v_g1_to_v_g3_and_all_rows_of_the_hand_calculation() {
    let mut worst: f64 = 0.0;
    let mut table = String::new();
    for row in rows() {
        let ours = mean_outcome(&config(&row), row.ip_bytes);
        let off = |ours: f64, reference: f64| 100.0 * (ours / reference - 1.0);
        let latency = off(ours.latency_ms, row.latency_ms);
        worst = worst.max(latency.abs());
        table += &format!(
            "{:?} CE{} {:?} {} B: {:.0} ms ({latency:+.2} %), NPDCCH {} ({}), NPDSCH {} ({}), tone-ms {:.1} ({})\n",
            row.carrier,
            row.level,
            row.procedure,
            row.ip_bytes,
            ours.latency_ms,
            ours.npdcch,
            row.npdcch,
            ours.npdsch,
            row.npdsch,
            ours.tone_ms,
            row.tone_ms,
        );
    }
    println!("{table}");
    assert!(worst < 2.0, "{table}");
}

#[test]
fn resources_are_those_of_the_hand_calculation() {
    for row in rows() {
        let ours = Alone::new(&config(&row), 1).report_at(Instant::ZERO, row.ip_bytes);
        let name = format!(
            "{:?} CE{} {:?} {} B",
            row.carrier, row.level, row.procedure, row.ip_bytes
        );
        assert_eq!(ours.npdcch, row.npdcch, "{name}");
        assert!((ours.tone_ms - row.tone_ms).abs() < 0.06, "{name}");
        // It takes a Security Mode Command of 16 bytes or more and a release of 11 after control plane data; our
        // messages have 12 and 6. Everything else is the same.
        let formats = &config(&row).levels[row.level].random_access_formats;
        let units = |bytes: u32| {
            let bits = bytes * 8;
            let (category, mode) = (DeviceCategory::Nb1, CarrierMode::Standalone);
            f64::from(
                npdsch_block(formats.npdsch_i_tbs, bits, category, mode)
                    .unwrap()
                    .units,
            )
        };
        let fewer = match row.procedure {
            Procedure::ServiceRequest => units(16) - units(12),
            Procedure::Resume => 0.0,
            Procedure::ControlPlane => units(11) - units(6),
        };
        let fewer = fewer * f64::from(formats.npdsch_repetitions);
        assert_eq!(ours.npdsch, row.npdsch - fewer, "{name}");
    }
}

/// A switch, as it is in a network.
type Turn = fn(&mut Switches);

const TURNS: [(&str, Turn); 6] = [
    ("rlc_status", |switches| switches.rlc_status = true),
    ("other_system_information", |switches| {
        switches.other_system_information = true;
    }),
    ("downlink_gap", |switches| switches.downlink_gap = true),
    ("nprach_postponement", |switches| {
        switches.nprach_postponement = true;
    }),
    ("hand_counted_blocks", |switches| {
        switches.hand_counted_blocks = false;
    }),
    ("first_candidate_only", |switches| {
        switches.first_candidate_only = true;
    }),
];

/// What each switch adds to the mean latency of 73 bytes by service request, in milliseconds, for each level in-band;
/// `MODEL.md` has the figures.
#[test]
fn each_switch_adds_its_share_to_the_latency() {
    let mut effects = Vec::new();
    for level in 0..3 {
        let base = NetworkConfig::golden_timeline(
            GoldenCarrier::InBand35,
            level,
            Procedure::ServiceRequest,
        );
        let without = mean_outcome(&base, 73).latency_ms;
        for (name, turn) in TURNS {
            let mut config = base.clone();
            turn(&mut config.switches);
            let effect = mean_outcome(&config, 73).latency_ms - without;
            effects.push((name, level, effect.round() as i64));
        }
    }
    for (name, level, effect_ms) in &effects {
        println!("CE{level} {name}: {effect_ms:+} ms");
    }
    assert_eq!(effects, EFFECTS_MS);
}

const EFFECTS_MS: [(&str, usize, i64); 18] = [
    ("rlc_status", 0, 26),
    ("other_system_information", 0, 0),
    ("downlink_gap", 0, 0),
    ("nprach_postponement", 0, 0),
    ("hand_counted_blocks", 0, 0),
    ("first_candidate_only", 0, 63),
    ("rlc_status", 1, 139),
    ("other_system_information", 1, 7),
    ("downlink_gap", 1, 0),
    ("nprach_postponement", 1, 0),
    ("hand_counted_blocks", 1, 32),
    ("first_candidate_only", 1, 228),
    ("rlc_status", 2, 766),
    ("other_system_information", 2, 84),
    ("downlink_gap", 2, 4028),
    ("nprach_postponement", 2, 255),
    ("hand_counted_blocks", 2, 0),
    ("first_candidate_only", 2, 2803),
];
