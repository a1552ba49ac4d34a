use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::all_of;

/// The uplink grid settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uplink {
    /// The subcarrier spacing of the NPUSCH.
    pub subcarrier_spacing: SubcarrierSpacing,
    /// The numbers of tones that a grant can have.
    pub tones: Vec<u8>,
}

/// The subcarrier spacing of the NPUSCH (TS 36.211 section 10.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubcarrierSpacing {
    /// 12 tones of 15 kHz, slots of 0.5 ms.
    Khz15,
    /// 48 tones of 3.75 kHz with slots of 2 ms; one tone for each device.
    #[serde(rename = "khz3_75")]
    Khz3_75,
}

impl SubcarrierSpacing {
    /// Returns the spacing in Hz.
    #[must_use]
    pub const fn hz(self) -> f64 {
        match self {
            Self::Khz15 => 15_000.0,
            Self::Khz3_75 => 3_750.0,
        }
    }

    /// Returns the number of tones of the carrier.
    #[must_use]
    pub const fn tones(self) -> u8 {
        match self {
            Self::Khz15 => 12,
            Self::Khz3_75 => 48,
        }
    }

    /// Returns the allowed numbers of tones of a grant.
    #[must_use]
    pub const fn allowed_tone_counts(self) -> &'static [u8] {
        match self {
            Self::Khz15 => &[1, 3, 6, 12],
            Self::Khz3_75 => &[1],
        }
    }
}

impl Uplink {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        all_of(
            "tones",
            &self.tones,
            self.subcarrier_spacing.allowed_tone_counts(),
            "TS 36.211 table 10.1.2.3-1 at this spacing",
        )
    }
}
