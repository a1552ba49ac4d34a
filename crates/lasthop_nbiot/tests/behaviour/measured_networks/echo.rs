use lasthop_contract::{Expectation, LinkInput};
use lasthop_nbiot::config::{NetworkConfig, ReleaseAssistance};

use crate::alone::{Alone, CORE, RADIO, at_ms};

/// UDP and IPv4 around the payload.
const HEADER_BYTES: usize = 28;

/// A device that starts echoes: the server answers at once, with as many bytes.
pub(super) struct Echo {
    device: Alone,
    bytes: usize,
}

impl Echo {
    pub(super) fn of(config: &NetworkConfig, payload_bytes: usize, seed: u64) -> Self {
        let mut device = Alone::new(config, seed);
        device.input(at_ms(0), LinkInput::Attach { port: RADIO });
        Self {
            device,
            bytes: payload_bytes + HEADER_BYTES,
        }
    }

    /// Round-trip time of an echo that starts at this time, in seconds; `None` without an answer within a minute.
    pub(super) fn round_trip(&mut self, at: u64) -> Option<f64> {
        let Self { device, bytes } = self;
        let mut seen = device.deliveries.len();
        device.offer_expecting(at_ms(at), RADIO, *bytes, Some(Expectation::OneAnswer));
        for millis in at..at + 60_000 {
            device.run_until(at_ms(millis));
            let Some(&(when, port, _)) = device.deliveries.get(seen) else {
                continue;
            };
            seen += 1;
            if port == RADIO {
                return Some((when - at_ms(at)).as_secs_f64());
            }
            device.offer(at_ms(millis), CORE, *bytes, false);
        }
        None
    }

    /// Time connected in seconds, counted when the device is idle again.
    fn connected(&mut self, until: u64) -> f64 {
        self.device.run_until(at_ms(until));
        let levels = self.device.report().levels();
        levels.iter().map(|level| level.connected_ms).sum::<u64>() as f64 / 1000.0
    }
}

/// What an echo counts that has not come back by then, in seconds.
const GIVEN_UP: f64 = 60.0;

/// Lower quartile, median and upper quartile.
fn quartiles(mut all: Vec<f64>) -> [f64; 3] {
    all.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| all[(all.len() - 1) * quarter / 4])
}

/// Seeds differ in fades and in the phase of the opportunities.
fn start(seed: u64) -> u64 {
    30_000 + seed * 173
}

pub(super) fn first_round_trips(
    config: &NetworkConfig,
    payload_bytes: usize,
    seeds: u64,
) -> [f64; 3] {
    let all = (0..seeds).map(|seed| {
        let mut echo = Echo::of(config, payload_bytes, seed);
        echo.round_trip(start(seed)).unwrap_or(GIVEN_UP)
    });
    quartiles(all.collect())
}

/// Round trips of the second echo, 5 s later in the same connection.
pub(super) fn connected_round_trips(
    config: &NetworkConfig,
    payload_bytes: usize,
    seeds: u64,
) -> [f64; 3] {
    let all = (0..seeds).map(|seed| {
        let mut echo = Echo::of(config, payload_bytes, seed);
        echo.round_trip(start(seed));
        echo.round_trip(start(seed) + 5_000).unwrap_or(GIVEN_UP)
    });
    quartiles(all.collect())
}

pub(super) fn connected_times(
    config: &NetworkConfig,
    payload_bytes: usize,
    assisted: bool,
    seeds: u64,
) -> [f64; 3] {
    let mut config = config.clone();
    config.connection.release_assistance = if assisted {
        ReleaseAssistance::AfterReply
    } else {
        ReleaseAssistance::Off
    };
    let all = (0..seeds).map(|seed| {
        let mut echo = Echo::of(&config, payload_bytes, seed);
        echo.round_trip(start(seed));
        echo.connected(start(seed) + 100_000)
    });
    quartiles(all.collect())
}
