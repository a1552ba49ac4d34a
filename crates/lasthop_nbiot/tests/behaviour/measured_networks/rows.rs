use lasthop_nbiot::config::{NetworkConfig, ReleaseAssistance};

use super::echo::{connected_times, first_round_trips};
use super::{LONG_BYTES, SHORT_BYTES};

/// A value that was measured in commercial networks in Norway, 2019.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The row of the reference that it belongs to.
    pub(super) id: &'static str,
    pub(super) level: usize,
    what: What,
    /// Least and greatest median over pairs of module and operator, in seconds.
    pub(super) measured: [f64; 2],
}

#[derive(Clone, Copy, Debug)]
enum What {
    RoundTrip,
    RoundTripOf512Bytes,
    ConnectedWithATimer,
    ConnectedUntilTheAnswer,
}

/// Coupling losses in the middle of the levels, which the rows do not state.
pub(super) const LOSSES_DB: [f64; 3] = [130.0, 149.0, 159.0];

const fn row(id: &'static str, level: usize, what: What, measured: [f64; 2]) -> Row {
    Row {
        id,
        level,
        what,
        measured,
    }
}

/// The values of the four rows.
pub(super) const ROWS: [Row; 8] = [
    row("V-M1", 0, What::RoundTrip, [1.5, 2.6]),
    row("V-M3", 1, What::RoundTrip, [2.5, 3.8]),
    row("V-M3", 2, What::RoundTrip, [5.5, 7.2]),
    row("V-M4", 0, What::RoundTripOf512Bytes, [5.9, 6.7]),
    row("V-M4", 1, What::RoundTripOf512Bytes, [6.8, 10.1]),
    // One pair of module and operator: half a tenth either way is its rounding.
    row("V-M4", 2, What::RoundTripOf512Bytes, [18.35, 18.45]),
    row("V-M5", 0, What::ConnectedWithATimer, [23.0, 25.0]),
    row("V-M5", 0, What::ConnectedUntilTheAnswer, [2.4, 4.0]),
];

impl Row {
    /// The median of the simulator, in seconds; `config` has a stated coupling loss and an inactivity timer of 20 s.
    pub(super) fn median(&self, config: &NetworkConfig, seeds: u64) -> f64 {
        let quartiles = match self.what {
            What::RoundTrip => first_round_trips(config, SHORT_BYTES, seeds),
            What::RoundTripOf512Bytes => {
                let mut config = config.clone();
                config.connection.release_assistance = ReleaseAssistance::AfterReply;
                first_round_trips(&config, LONG_BYTES, seeds)
            }
            What::ConnectedWithATimer => connected_times(config, SHORT_BYTES, false, seeds),
            What::ConnectedUntilTheAnswer => connected_times(config, SHORT_BYTES, true, seeds),
        };
        quartiles[1]
    }

    pub(super) fn name(&self) -> String {
        let what = match self.what {
            What::RoundTrip | What::RoundTripOf512Bytes => "",
            What::ConnectedWithATimer => " 20 s",
            What::ConnectedUntilTheAnswer => " RAI",
        };
        format!("{} CE{}{what}", self.id, self.level)
    }

    /// The logarithm of the ratio by which a median misses the row; 0 inside.
    pub(super) fn miss(&self, median: f64) -> f64 {
        let [least, most] = self.measured;
        if median < least {
            libm::log(least / median)
        } else if median > most {
            libm::log(median / most)
        } else {
            0.0
        }
    }
}
