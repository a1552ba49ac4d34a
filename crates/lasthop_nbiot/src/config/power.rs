use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::{one_of, within};

/// The transmit power of a device (TS 36.213 sections 16.2.1.1 and 16.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DevicePower {
    /// The maximum transmit power of a device, in dBm.
    pub maximum_dbm: f64,
    /// `p0-NominalNPUSCH`: the target received power on a 15 kHz tone, in dBm.
    pub p0_nominal_npusch_dbm: f64,
    /// `alpha`: the share of the path loss that power control compensates.
    pub alpha: f64,
    /// `preambleInitialReceivedTargetPower`: the target received preamble power at the lowest repetition level, in dBm.
    pub preamble_target_dbm: f64,
    /// `powerRampingStep`: the increase of preamble power with each attempt, in dB.
    pub ramping_step_db: f64,
}

impl DevicePower {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "maximum_dbm",
            self.maximum_dbm,
            &[14.0, 20.0, 23.0],
            "TS 36.101 section 6.2.2F (power classes 6, 5 and 3)",
            "dBm",
        )?;
        within(
            "p0_nominal_npusch_dbm",
            self.p0_nominal_npusch_dbm,
            -126.0..=24.0,
            "TS 36.331 p0-NominalNPUSCH",
            "dBm",
        )?;
        one_of(
            "alpha",
            self.alpha,
            &[0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
            "TS 36.331 alpha",
            "",
        )?;
        let targets: Vec<f64> = (0..=25)
            .map(|step| -130.0 + 2.0 * f64::from(step))
            .collect();
        one_of(
            "preamble_target_dbm",
            self.preamble_target_dbm,
            &targets,
            "TS 36.331 preambleInitialReceivedTargetPower",
            "dBm",
        )?;
        one_of(
            "ramping_step_db",
            self.ramping_step_db,
            &[0.0, 2.0, 4.0, 6.0],
            "TS 36.331 powerRampingStep",
            "dB",
        )
    }
}
