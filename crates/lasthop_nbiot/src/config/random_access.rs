use serde::{Deserialize, Serialize};

use super::allowed::{one_of, within};
use super::{AccessBarring, ConfigError, ConnectionReject};

/// The random access settings common to all coverage levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomAccess {
    /// The preamble format: `nprach-CP-Length`.
    pub nprach_format: NprachFormat,
    /// `preambleTransMax-CE`: the maximum number of attempts in all levels together.
    pub preamble_attempts: u16,
    /// The back-off parameter of random access responses, in ms. A device waits a uniform part of it before its next
    /// attempt.
    pub back_off_ms: u32,
    /// The capture threshold of Msg3 in dB: a Msg3 survives a collision if it is this much stronger than the others
    /// together.
    pub msg3_capture_db: f64,
    /// When the base station rejects connection requests; `None` for never.
    pub reject: Option<ConnectionReject>,
    /// Access barring; `None` for none.
    pub access_barring: Option<AccessBarring>,
}

/// A preamble format (TS 36.211 table 10.1.6.1-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NprachFormat {
    /// Format 0, with a cyclic prefix of 66.7 us: 5.6 ms for each repetition, cells of 10 km.
    Format0,
    /// Format 1, with a cyclic prefix of 266.7 us: 6.4 ms for each repetition, cells of 40 km.
    Format1,
}

impl RandomAccess {
    /// TS 36.321 table 7.2-2.
    const BACK_OFF_MS: [u32; 13] = [
        0, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288,
    ];

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "preamble_attempts",
            self.preamble_attempts,
            &[3, 4, 5, 6, 7, 8, 10, 20, 50, 100, 200],
            "TS 36.331 preambleTransMax-CE",
            "attempts",
        )?;
        one_of(
            "back_off_ms",
            self.back_off_ms,
            &Self::BACK_OFF_MS,
            "TS 36.321 table 7.2-2",
            "ms",
        )?;
        within(
            "msg3_capture_db",
            self.msg3_capture_db,
            0.0..=60.0,
            "the capture model",
            "dB",
        )?;
        match &self.reject {
            None => Ok(()),
            Some(reject) => reject.check().map_err(|e| e.under("reject")),
        }
    }
}
