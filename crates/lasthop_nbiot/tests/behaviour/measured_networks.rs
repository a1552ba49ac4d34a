//! Round trips, and how long a report keeps a device connected, beside those of commercial networks: rows V-M1, V-M3 and
//! V-M5, printed by `cargo test --release -p lasthop_nbiot --test behaviour measured_networks -- --nocapture`.
//!
//! An echo of 20 B over UDP and IPv4 starts from idle, and the server answers at once.

#![expect(clippy::print_stdout, reason = "the rows are stated in MODEL.md")]

use lasthop_contract::{Expectation, LinkInput};
use lasthop_nbiot::config::{ConnectedDrx, NetworkConfig, NetworkTime, ReleaseAssistance};

use crate::alone::{Alone, CORE, RADIO, at_ms};

const ECHO_BYTES: usize = 48;
const SEEDS: u64 = 60;

struct Echo(Alone);

impl Echo {
    fn of(config: &NetworkConfig, seed: u64) -> Self {
        let mut device = Alone::new(config, seed);
        device.input(at_ms(0), LinkInput::Attach { port: RADIO });
        Self(device)
    }

    /// How long one takes that starts then, in seconds; `None` where none comes within a minute.
    fn round_trip(&mut self, at: u64) -> Option<f64> {
        let Self(device) = self;
        let mut seen = device.deliveries.len();
        device.offer_expecting(at_ms(at), RADIO, ECHO_BYTES, Some(Expectation::OneAnswer));
        for millis in at..at + 60_000 {
            device.run_until(at_ms(millis));
            let Some(&(when, port, _)) = device.deliveries.get(seen) else {
                continue;
            };
            seen += 1;
            if port == RADIO {
                return Some((when - at_ms(at)).as_secs_f64());
            }
            device.offer(at_ms(millis), CORE, ECHO_BYTES, false);
        }
        None
    }

    /// How long it has been connected, once it is released.
    fn connected(&mut self, until: u64) -> f64 {
        self.0.run_until(at_ms(until));
        let levels = self.0.report().levels();
        levels.iter().map(|level| level.connected_ms).sum::<u64>() as f64 / 1000.0
    }
}

/// Lower quartile, median and upper quartile.
fn quartiles(mut all: Vec<f64>) -> [f64; 3] {
    assert!(!all.is_empty(), "some echoes come back");
    all.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| all[(all.len() - 1) * quarter / 4])
}

fn config(coupling_loss_db: f64, time: NetworkTime) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.network = time;
    config.connection.inactivity_ms = 20_000;
    config.idle.power_saving_mode = None;
    config
}

/// Seeds differ in fades and in the phase of the opportunities.
fn start(seed: u64) -> u64 {
    30_000 + seed * 173
}

fn first_round_trips(config: &NetworkConfig) -> [f64; 3] {
    let all = (0..SEEDS).filter_map(|seed| Echo::of(config, seed).round_trip(start(seed)));
    quartiles(all.collect())
}

/// Of the second echo, 5 s later in the same connection.
fn connected_round_trips(config: &NetworkConfig) -> [f64; 3] {
    let all = (0..SEEDS).filter_map(|seed| {
        let mut echo = Echo::of(config, seed);
        echo.round_trip(start(seed))?;
        echo.round_trip(start(seed) + 5_000)
    });
    quartiles(all.collect())
}

fn connected_times(config: &NetworkConfig, assisted: bool) -> [f64; 3] {
    let mut config = config.clone();
    config.connection.release_assistance = if assisted {
        ReleaseAssistance::AfterReply
    } else {
        ReleaseAssistance::Off
    };
    let all = (0..SEEDS).filter_map(|seed| {
        let mut echo = Echo::of(&config, seed);
        echo.round_trip(start(seed))?;
        Some(echo.connected(start(seed) + 100_000))
    });
    quartiles(all.collect())
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
                first_round_trips(&config(loss, time))
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
        let ours = first_round_trips(&network(110.0, inactivity_pp));
        show(
            &format!("V-M1 with a DRX timer of {inactivity_pp} PP"),
            ours,
        )
    });
    for (level, loss) in [(1, 149.0), (2, 159.0)] {
        let ours = first_round_trips(&network(loss, 4));
        show(
            &format!("V-M3, CE{level}, {loss} dB with a DRX timer of 4 PP"),
            ours,
        );
    }
    for (name, assisted) in [
        ("timer of 20 s", false),
        ("released after the answer", true),
    ] {
        let ours = connected_times(&network(110.0, 4), assisted);
        show(&format!("V-M5, {name}, with a DRX timer of 4 PP"), ours);
    }
    println!("{table}");
    let plain = first_round_trips(&config(110.0, NORWAY))[1];
    assert!(medians[0] > plain && medians[3] < plain + 0.1);
}

#[test]
fn v_m5_time_connected_for_a_report_in_norway() {
    for (name, assisted, measured) in [
        ("V-M5, timer of 20 s", false, [23.0, 25.0]),
        ("V-M5, released after the answer", true, [2.4, 4.0]),
    ] {
        let (median, text) = line(name, measured, NORWAY, |time| {
            connected_times(&config(110.0, time), assisted)
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
            first_round_trips(&network)[1],
            connected_round_trips(&network)[1],
        ];
        let miss = |ratio: f64| libm::log(ratio) * libm::log(ratio);
        miss(firsts / first) + miss(others / other)
    };
    let best = (0..=10)
        .map(|tenths| tenths * 10)
        .min_by(|a, b| miss(*a).total_cmp(&miss(*b)))
        .expect("there are shares");
    assert_eq!(NetworkTime::between(best).without_module(), SOUTH_AFRICA);
    let ours = |time| first_round_trips(&config(110.0, time));
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
