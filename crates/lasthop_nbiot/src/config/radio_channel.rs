use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::{one_of, within};

/// The radio channel settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioChannel {
    /// The fast fading model.
    pub fading: Fading,
    /// The averaging window of channel estimation, in ms: for a device, and for the base station on 3.75 kHz tones.
    pub estimation_window_ms: u8,
    /// The averaging window of the base station's channel estimation on 15 kHz tones, in ms.
    pub estimation_window_15_khz_ms: EstimationWindow,
    /// The weights for combining repetitions and antennas.
    pub combining: CombiningWeights,
    /// How a device estimates the channel of the downlink.
    #[serde(default)]
    pub downlink_estimation: DownlinkEstimation,
    /// How the base station estimates the channel of an acknowledgement.
    #[serde(default)]
    pub acknowledgement_estimation: AcknowledgementEstimation,
    /// The residual frequency offset between transmitter and receiver, in Hz.
    pub frequency_offset_hz: f64,
    /// The probability that the base station mistakes silence for an acknowledgement; `None` for never.
    pub silence_as_acknowledgement: Option<f64>,
    /// How far below the noise transmissions of other cells are ignored, in dB; `None` disables interference.
    pub interference_cut_off_below_noise_db: Option<f64>,
    /// The loss of a real preamble detector against the ideal one, in dB.
    pub nprach_detection_margin_db: f64,
    /// The standard deviation of a device's NRSRP measurement, in dB; 0 for an exact one.
    pub measurement_error_db: f64,
}

/// A fast fading model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fading {
    /// No fading: the received power is constant.
    None,
    /// Flat Rayleigh fading with the Jakes spectrum.
    Rayleigh {
        /// The maximum Doppler shift, in Hz.
        doppler_hz: f64,
    },
    /// Typical Urban with six taps (TS 05.05 annex C.3), each a Rayleigh process.
    TypicalUrban {
        /// The maximum Doppler shift, in Hz.
        doppler_hz: f64,
    },
}

/// The averaging window of channel estimation, in ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EstimationWindow {
    /// The same window at all coverage levels.
    Everywhere(u8),
    /// A window for each coverage level, best coverage first.
    ByLevel([u8; 3]),
}

impl EstimationWindow {
    /// Returns the windows of the three coverage levels.
    #[must_use]
    pub const fn by_level(self) -> [u8; 3] {
        match self {
            Self::Everywhere(window_ms) => [window_ms; 3],
            Self::ByLevel(windows_ms) => windows_ms,
        }
    }
}

impl From<u8> for EstimationWindow {
    fn from(window_ms: u8) -> Self {
        Self::Everywhere(window_ms)
    }
}

/// The weights with which a receiver combines repetitions and antennas. On a constant channel both variants are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CombiningWeights {
    /// Weighted by the reliability of each estimate: a reception in a fade adds nothing.
    Reliability,
    /// Weighted by the estimates themselves: a reception in a fade adds its noise.
    Estimates,
}

/// How a device estimates the channel of the downlink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DownlinkEstimation {
    /// Over the estimation window, by the mean loss that it costs.
    #[default]
    Window,
    /// From the two reference symbols of a port in one symbol, with weights by the estimates, and with the errors of the estimates as
    /// noise: the estimator of a published example of an NPDSCH receiver.
    Symbol,
}

/// How the base station estimates the channel of an acknowledgement (NPUSCH format 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcknowledgementEstimation {
    /// Over the estimation window of data, by the mean loss that it costs.
    #[default]
    Window,
    /// In each slot by itself, from its three reference symbols, whose noise is drawn.
    Slot,
}

impl RadioChannel {
    /// The estimation windows of a base station's reference channels on tones of 3.75 and 15 kHz, in milliseconds (TS
    /// 36.104 annexes A.14 and A.16, read in TS 36.108 annex A.3).
    pub const ESTIMATION_TS_36_104_MS: (u8, u8) = (16, 4);
    /// Windows by coverage level on tones of 15 kHz, in milliseconds. The first two are those of TS 36.104; the third is **fitted** to
    /// row V-L8 of the validation points, at 1 Hz and with one antenna.
    pub const ESTIMATION_FITTED_BY_LEVEL_MS: EstimationWindow =
        EstimationWindow::ByLevel([4, 4, 1]);

    /// Sets the receivers that MODEL.md shows beside published link simulations: acknowledgements slot by slot with 1 % of false
    /// alarms, the downlink symbol by symbol, and data on 15 kHz over the fitted windows with weights by the estimates.
    pub fn receive_as_link_simulations(&mut self) {
        self.estimation_window_15_khz_ms = Self::ESTIMATION_FITTED_BY_LEVEL_MS;
        self.combining = CombiningWeights::Estimates;
        self.downlink_estimation = DownlinkEstimation::Symbol;
        self.acknowledgement_estimation = AcknowledgementEstimation::Slot;
        self.silence_as_acknowledgement = Some(0.01);
    }

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
        for window_ms in self.estimation_window_15_khz_ms.by_level() {
            one_of(
                "estimation_window_15_khz_ms",
                window_ms,
                &[1, 2, 4, 8, 16],
                TABLE,
                "ms",
            )?;
        }
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
                "the channel table (TS 36.104 section 8.5.2 has 0.01)",
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
