use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::{one_of, within};

/// What becomes of a transmission on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioChannel {
    /// Fast variation of the received power.
    pub fading: Fading,
    /// Over how long a receiver averages reference symbols: a device, and the base station on tones of 3.75 kHz.
    pub estimation_window_ms: u8,
    /// Over how long the base station averages them on tones of 15 kHz.
    pub estimation_window_15_khz_ms: u8,
    /// By what a receiver weighs what it adds up.
    pub combining: CombiningWeights,
    /// By how much the frequency of a receiver is off that of what it receives, after all corrections.
    pub frequency_offset_hz: f64,
    /// How often the base station takes silence for an acknowledgement, which it tells from silence by a threshold; `None`
    /// where it always knows whether a device has answered.
    pub silence_as_acknowledgement: Option<f64>,
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

/// By what a receiver weighs the repetitions and antennas that it adds up. On a steady channel both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CombiningWeights {
    /// By how far each estimate can be relied on: what arrives in a fade adds nothing, and spoils nothing.
    Reliability,
    /// By the estimates themselves: what arrives in a fade adds its noise.
    Estimates,
}

impl RadioChannel {
    /// Lengths of channel estimation that the reference channels of a base station name, on tones of 3.75 and 15 kHz, in
    /// milliseconds (TS 36.104 annex A.14, A.16; read in TS 36.108 annex A.3).
    pub const ESTIMATION_TS_36_104_MS: (u8, u8) = (16, 4);

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
        one_of(
            "estimation_window_15_khz_ms",
            self.estimation_window_15_khz_ms,
            &[1, 2, 4, 8, 16],
            TABLE,
            "ms",
        )?;
        within(
            "frequency_offset_hz",
            self.frequency_offset_hz,
            0.0..=200.0,
            TABLE,
            "Hz",
        )?;
        if let Some(share) = self.silence_as_acknowledgement {
            within(
                "silence_as_acknowledgement",
                share,
                0.0001..=0.1,
                "the channel table (TS 36.104 8.5.2 has 0.01)",
                "",
            )?;
        }
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
