//! Round trips, and how long a report keeps a device connected, beside those of commercial networks: rows V-M1, V-M3, V-M4
//! and V-M5, printed by `cargo test --release -p lasthop_nbiot --test behaviour measured_networks -- --nocapture`.
//!
//! An echo of 20 B (V-M4: 512 B) over UDP and IPv4 starts from idle, and the server answers at once.

#![expect(clippy::print_stdout, reason = "the rows are stated in MODEL.md")]

mod candidates;
mod echo;
mod fit;
mod rows;

use lasthop_nbiot::config::{ConnectedDrx, NetworkConfig, NetworkTime, ReleaseAssistance};

use self::echo::{connected_round_trips, connected_times, first_round_trips};

const SEEDS: u64 = 60;
/// Payload of the short echo and of the long one.
const SHORT_BYTES: usize = 20;
const LONG_BYTES: usize = 512;

fn config(coupling_loss_db: f64, time: NetworkTime) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.network = time;
    config.connection.inactivity_ms = 20_000;
    config.idle.power_saving_mode = None;
    config
}

/// The median beside what was measured, and what nothing explains.
fn line(
    row: &str,
    measured: [f64; 2],
    time: NetworkTime,
    ours: impl Fn(NetworkTime) -> [f64; 3],
) -> (f64, String) {
    let ideal = ours(NetworkTime::IDEAL)[1];
    let [low, median, high] = ours(time);
    let gaps = measured.map(|seconds| (seconds - median).max(0.0));
    let text = format!(
        "{row}: measured {:.2} to {:.2} s, ideal {ideal:.2}, preset {median:.2} ({low:.2} to {high:.2}), \
         unexplained {:.2} to {:.2}",
        measured[0], measured[1], gaps[0], gaps[1],
    );
    assert!(ideal < median && median < measured[1], "{row}");
    (median, text)
}

const NORWAY: NetworkTime = NetworkTime::OPERATOR_NORWAY_2019;
const SOUTH_AFRICA: NetworkTime = NetworkTime::OPERATOR_SOUTH_AFRICA_2019;

/// Coupling losses within the levels 0, 1 and 2, which the rows do not state: weak, middle, strong.
const WITHIN: [[f64; 3]; 3] = [
    [110.0, 130.0, 142.0],
    [146.0, 149.0, 152.0],
    [156.0, 159.0, 162.0],
];

#[test]
fn v_m1_and_v_m3_round_trips_from_idle_in_norway() {
    let measured = [[1.5, 2.6], [2.5, 3.8], [5.5, 7.2]];
    for (level, losses) in WITHIN.into_iter().enumerate() {
        for loss in losses {
            let row = format!(
                "V-M{}, CE{level}, {loss} dB",
                if level == 0 { 1 } else { 3 }
            );
            let (_, text) = line(&row, measured[level], NORWAY, |time| {
                first_round_trips(&config(loss, time), SHORT_BYTES, SEEDS)
            });
            println!("{text}");
        }
    }
}

#[test]
fn v_m4_round_trips_of_512_bytes_with_release_after_one_answer_in_norway() {
    let measured = [[5.9, 6.7], [6.8, 10.1], [18.4, 18.4]];
    for (level, losses) in WITHIN.into_iter().enumerate() {
        for loss in losses {
            let row = format!("V-M4, CE{level}, {loss} dB");
            let (_, text) = line(&row, measured[level], NORWAY, |time| {
                let mut config = config(loss, time);
                config.connection.release_assistance = ReleaseAssistance::AfterReply;
                first_round_trips(&config, LONG_BYTES, SEEDS)
            });
            println!("{text}");
        }
    }
}

/// What connected DRX would add where what is awaited comes after its inactivity timer: no part of the preset, since
/// nobody says which cycle these networks have.
#[test]
fn with_connected_drx_of_2_048_s_and_a_short_timer() {
    let network = |loss: f64, inactivity_pp: u8| {
        let mut network = config(loss, NORWAY);
        for level in &mut network.levels {
            level.connected_drx = Some(ConnectedDrx {
                on_duration_pp: 4,
                inactivity_pp,
                cycle_subframes: 2048,
            });
        }
        network
    };
    let mut table = String::new();
    let mut show = |what: &str, [low, median, high]: [f64; 3]| {
        table += &format!("{what}: {median:.2} ({low:.2} to {high:.2})\n");
        median
    };
    let medians = [2, 4, 8, 16].map(|inactivity_pp| {
        let ours = first_round_trips(&network(110.0, inactivity_pp), SHORT_BYTES, SEEDS);
        show(
            &format!("V-M1 with a DRX timer of {inactivity_pp} PP"),
            ours,
        )
    });
    for (level, loss) in [(1, 149.0), (2, 159.0)] {
        let ours = first_round_trips(&network(loss, 4), SHORT_BYTES, SEEDS);
        show(
            &format!("V-M3, CE{level}, {loss} dB with a DRX timer of 4 PP"),
            ours,
        );
    }
    for (name, assisted) in [
        ("timer of 20 s", false),
        ("released after the answer", true),
    ] {
        let ours = connected_times(&network(110.0, 4), SHORT_BYTES, assisted, SEEDS);
        show(&format!("V-M5, {name}, with a DRX timer of 4 PP"), ours);
    }
    println!("{table}");
    let plain = first_round_trips(&config(110.0, NORWAY), SHORT_BYTES, SEEDS)[1];
    assert!(medians[0] > plain && medians[3] < plain + 0.1);
}

#[test]
fn v_m5_time_connected_for_a_report_in_norway() {
    for (name, assisted, measured) in [
        ("V-M5, timer of 20 s", false, [23.0, 25.0]),
        ("V-M5, released after the answer", true, [2.4, 4.0]),
    ] {
        let (median, text) = line(name, measured, NORWAY, |time| {
            connected_times(&config(110.0, time), SHORT_BYTES, assisted, SEEDS)
        });
        println!("{text}");
        assert!(assisted || median > 20.0, "the timer runs");
    }
}

/// The rule of the fit: every part goes the same share of the way from the least to the most that its sources give, in
/// steps of a tenth, and the share is the one whose two medians miss the measured ones least by ratio. Pings are timed
/// in the module.
#[test]
fn the_south_african_preset_is_the_fit() {
    let (first, other) = (0.55, 0.185);
    let miss = |percent: u32| {
        let network = config(110.0, NetworkTime::between(percent).without_module());
        let [firsts, others] = [
            first_round_trips(&network, SHORT_BYTES, SEEDS)[1],
            connected_round_trips(&network, SHORT_BYTES, SEEDS)[1],
        ];
        let miss = |ratio: f64| libm::log(ratio) * libm::log(ratio);
        miss(firsts / first) + miss(others / other)
    };
    let best = (0..=10)
        .map(|tenths| tenths * 10)
        .min_by(|a, b| miss(*a).total_cmp(&miss(*b)))
        .expect("there are shares");
    assert_eq!(NetworkTime::between(best).without_module(), SOUTH_AFRICA);
    let ours = |time| first_round_trips(&config(110.0, time), SHORT_BYTES, SEEDS);
    let (_, text) = line("first ping, South Africa", [0.5, 0.6], SOUTH_AFRICA, ours);
    println!("{text}");
}

#[test]
fn presets_lie_within_the_ranges_of_their_sources() {
    let parts = |time: NetworkTime| -> Vec<u64> {
        let json = serde_json::to_value(time).expect("a struct");
        let of = |value: &serde_json::Value| -> Vec<u64> {
            let fields = value.as_object().expect("fields").values();
            fields.filter_map(serde_json::Value::as_u64).collect()
        };
        let mut all = of(&json);
        all.extend(of(&json["module"]));
        all
    };
    let (least, most) = (parts(NetworkTime::LEAST), parts(NetworkTime::MOST));
    assert_eq!(least.len(), 11);
    for preset in [NORWAY, SOUTH_AFRICA] {
        for ((value, least), most) in parts(preset).into_iter().zip(&least).zip(&most) {
            assert!((*least..=*most).contains(&value), "{preset:?}");
        }
    }
}
