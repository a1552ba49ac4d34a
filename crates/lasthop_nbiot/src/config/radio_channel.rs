use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::{one_of, within};

/// What becomes of a transmission on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioChannel {
    /// Fast variation of the received power.
    pub fading: Fading,
    /// Over how long the receiver averages reference symbols.
    pub estimation_window_ms: u8,
    /// A transmission of another cell that arrives this far below the noise, or farther, does not interfere;
    /// `None` leaves all interference out.
    pub interference_cut_off_below_noise_db: Option<f64>,
    /// By how much a real preamble detector is worse than the ideal one.
    pub nprach_detection_margin_db: f64,
    /// Standard deviation of what a device measures as its NRSRP; 0 for a device that measures it exactly.
    pub measurement_error_db: f64,
}

/// Fast variation of the received power.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fading {
    /// The power stays as it is.
    None,
    /// Flat Rayleigh fading with the Jakes spectrum.
    Rayleigh {
        /// The largest Doppler shift.
        doppler_hz: f64,
    },
    /// Six taps of Typical Urban (TS 05.05 annex C.3), each a Rayleigh process.
    TypicalUrban {
        /// The largest Doppler shift.
        doppler_hz: f64,
    },
}

impl RadioChannel {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        const TABLE: &str = "the channel table";
        if let Fading::Rayleigh { doppler_hz } | Fading::TypicalUrban { doppler_hz } = self.fading {
            within("fading.doppler_hz", doppler_hz, 0.01..=300.0, TABLE, "Hz")?;
        }
        one_of(
            "estimation_window_ms",
            self.estimation_window_ms,
            &[1, 2, 4, 8, 16],
            TABLE,
            "ms",
        )?;
        if let Some(cut_off) = self.interference_cut_off_below_noise_db {
            within(
                "interference_cut_off_below_noise_db",
                cut_off,
                -20.0..=40.0,
                TABLE,
                "dB",
            )?;
        }
        within(
            "nprach_detection_margin_db",
            self.nprach_detection_margin_db,
            -5.0..=15.0,
            TABLE,
            "dB",
        )?;
        within(
            "measurement_error_db",
            self.measurement_error_db,
            0.0..=10.0,
            TABLE,
            "dB",
        )
    }
}
