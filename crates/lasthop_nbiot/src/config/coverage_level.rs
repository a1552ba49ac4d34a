use serde::{Deserialize, Serialize};

use super::allowed::{NPDCCH_RMAX, UPLINK_REPETITIONS, integer_within, one_of};
use super::{ConfigError, EarlyData, LinkAdaptation, NetworkConfig, RandomAccessFormats};
use crate::phy::Preamble;

/// A coverage enhancement level: random access and transmission formats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageLevel {
    /// The NPRACH preambles of this level.
    pub nprach: Nprach,
    /// The search space for random access (Type 2 common): responses, Msg3 retransmissions, Msg4.
    pub random_access_search_space: SearchSpaceConfig,
    /// `ra-ResponseWindowSize`, in periods of the random access search space.
    pub response_window_pp: u8,
    /// `mac-ContentionResolutionTimer`, in periods of the random access search space.
    pub contention_resolution_pp: u8,
    /// The time to receive NPSS and NSSS for a device without frame timing, in ms.
    pub synchronisation_ms: u32,
    /// The formats of random access responses, Msg3 and Msg4. They depend on the coverage level only.
    pub random_access_formats: RandomAccessFormats,
    /// The search space of a connected device.
    pub user_search_space: SearchSpaceConfig,
    /// The link adaptation of connected devices.
    pub link_adaptation: LinkAdaptation,
    /// Connected-mode DRX; `None` for none.
    pub connected_drx: Option<ConnectedDrx>,
    /// Early data (Release 15); `None` if this level has no resources for it.
    pub early_data: Option<EarlyData>,
}

/// The NPRACH preambles of a coverage level (TS 36.331 `nprach-ParametersList`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nprach {
    /// `nprach-Periodicity`: the NPRACH period, in ms.
    pub period_ms: u16,
    /// `nprach-StartTime`: the offset from the start of the period, in ms.
    pub start_ms: u16,
    /// `nprach-NumSubcarriers`: the number of 3.75 kHz tones.
    pub tones: u8,
    /// `nprach-SubcarrierOffset`: the first 3.75 kHz tone.
    pub tone_offset: u8,
    /// `numRepetitionsPerPreambleAttempt`: repetitions of a preamble.
    pub repetitions: u16,
    /// `maxNumPreambleAttemptCE`: attempts in this level.
    pub attempts: u8,
    /// The thirds of the tones that announce a multi-tone Msg3: 3 minus the thirds of
    /// `nprach-SubcarrierMSG3-RangeStart`.
    pub multi_tone_msg3_thirds: u8,
}

/// An NPDCCH search space (TS 36.213 section 16.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSpaceConfig {
    /// `npdcch-NumRepetitions`: the maximum number of repetitions, Rmax.
    pub rmax: u16,
    /// `npdcch-StartSF`: the period is Rmax times G subframes.
    pub g: f64,
    /// `npdcch-Offset`: the offset of the search space, in eighths of the period.
    pub offset_eighths: u8,
}

/// DRX in connected mode (TS 36.331 `drx-Config-r13`), in periods of the user search space (pp) and subframes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectedDrx {
    /// `onDurationTimer`, in search space periods.
    pub on_duration_pp: u8,
    /// `drx-InactivityTimer`, in search space periods.
    pub inactivity_pp: u8,
    /// `drx-Cycle`, in subframes.
    pub cycle_subframes: u16,
}

/// `mac-ContentionResolutionTimer`.
pub(super) const CONTENTION_RESOLUTION_PP: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 64];

impl CoverageLevel {
    pub(super) fn check(&self, network: &NetworkConfig) -> Result<(), ConfigError> {
        self.nprach.check(network).map_err(|e| e.under("nprach"))?;
        self.random_access_search_space
            .check(&SearchSpaceConfig::COMMON_G, "npdcch-StartSF-CSS-RA")
            .map_err(|e| e.under("random_access_search_space"))?;
        one_of(
            "response_window_pp",
            self.response_window_pp,
            &[2, 3, 4, 5, 6, 7, 8, 10],
            "TS 36.331 ra-ResponseWindowSize",
            "NPDCCH periods",
        )?;
        one_of(
            "contention_resolution_pp",
            self.contention_resolution_pp,
            &CONTENTION_RESOLUTION_PP,
            "TS 36.331 mac-ContentionResolutionTimer",
            "NPDCCH periods",
        )?;
        integer_within(
            "synchronisation_ms",
            self.synchronisation_ms.into(),
            0..=60_000,
            "lasthop",
            "ms",
        )?;
        self.random_access_formats
            .check(&self.random_access_search_space, network)
            .map_err(|e| e.under("random_access_formats"))?;
        self.user_search_space
            .check(&SearchSpaceConfig::USER_G, "npdcch-StartSF-USS")
            .map_err(|e| e.under("user_search_space"))?;
        self.link_adaptation
            .check(&self.user_search_space, network)
            .map_err(|e| e.under("link_adaptation"))?;
        if let Some(drx) = &self.connected_drx {
            drx.check().map_err(|e| e.under("connected_drx"))?;
        }
        match &self.early_data {
            None => Ok(()),
            Some(early) => (early.check(network)).map_err(|e| e.under("early_data")),
        }
    }
}

impl Nprach {
    pub(super) fn check(&self, network: &NetworkConfig) -> Result<(), ConfigError> {
        one_of(
            "period_ms",
            self.period_ms,
            &[40, 80, 160, 240, 320, 640, 1280, 2560],
            "TS 36.331 nprach-Periodicity",
            "ms",
        )?;
        one_of(
            "start_ms",
            self.start_ms,
            &[8, 16, 32, 64, 128, 256, 512, 1024],
            "TS 36.331 nprach-StartTime",
            "ms",
        )?;
        one_of(
            "tones",
            self.tones,
            &[12, 24, 36, 48],
            "TS 36.331 nprach-NumSubcarriers",
            "tones",
        )?;
        one_of(
            "tone_offset",
            self.tone_offset,
            &[0, 12, 24, 36, 2, 18, 34],
            "TS 36.331 nprach-SubcarrierOffset",
            "tones",
        )?;
        if self.tones + self.tone_offset > 48 {
            return Err(ConfigError::new(
                "tone_offset",
                format!(
                    "is {} with {} tones; TS 36.211 section 10.1.6 has 48 tones of 3.75 kHz, so choose at most {}",
                    self.tone_offset,
                    self.tones,
                    48 - self.tones
                ),
            ));
        }
        one_of(
            "repetitions",
            self.repetitions,
            &UPLINK_REPETITIONS,
            "TS 36.331 numRepetitionsPerPreambleAttempt",
            "",
        )?;
        one_of(
            "attempts",
            self.attempts,
            &[3, 4, 5, 6, 7, 8, 10],
            "TS 36.331 maxNumPreambleAttemptCE",
            "attempts",
        )?;
        one_of(
            "multi_tone_msg3_thirds",
            self.multi_tone_msg3_thirds,
            &[0, 1, 2, 3],
            "TS 36.331 nprach-SubcarrierMSG3-RangeStart",
            "thirds",
        )?;
        let duration_ms = Preamble::new(network.random_access.nprach_format, self.repetitions)
            .duration()
            .as_nanos()
            .div_ceil(1_000_000);
        if duration_ms > u64::from(self.period_ms) {
            return Err(ConfigError::new(
                "period_ms",
                format!(
                    "is {} ms, shorter than {} repetitions of the preamble ({duration_ms} ms by TS 36.211 table \
                     10.1.6.1-1); choose a longer nprach-Periodicity or fewer repetitions",
                    self.period_ms, self.repetitions
                ),
            ));
        }
        Ok(())
    }
}

impl SearchSpaceConfig {
    const COMMON_G: [f64; 8] = [1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 48.0, 64.0];
    /// With the two values of `npdcch-StartSF-USS-v1530`.
    const USER_G: [f64; 10] = [1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 48.0, 64.0, 96.0, 128.0];

    /// Returns the numbers of repetitions that a DCI can have in this search space (TS 36.213 table 16.6-1).
    #[must_use]
    pub fn dci_repetitions(&self) -> Vec<u16> {
        let lowest = (self.rmax / 8).max(1);
        NPDCCH_RMAX
            .into_iter()
            .filter(|r| (lowest..=self.rmax).contains(r))
            .collect()
    }

    fn check(&self, g: &[f64], g_name: &str) -> Result<(), ConfigError> {
        one_of(
            "rmax",
            self.rmax,
            &NPDCCH_RMAX,
            "TS 36.331 npdcch-NumRepetitions",
            "",
        )?;
        one_of("g", self.g, g, &format!("TS 36.331 {g_name}"), "")?;
        one_of(
            "offset_eighths",
            self.offset_eighths,
            &[0, 1, 2, 3],
            "TS 36.331 npdcch-Offset",
            "eighths",
        )?;
        let period = f64::from(self.rmax) * self.g;
        if period < 4.0 {
            return Err(ConfigError::new(
                "g",
                format!(
                    "is {} with Rmax {}: a period of {period} subframes; TS 36.213 section 16.6 wants Rmax times G of 4 or more",
                    self.g, self.rmax
                ),
            ));
        }
        Ok(())
    }
}

impl ConnectedDrx {
    fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "on_duration_pp",
            self.on_duration_pp,
            &[1, 2, 3, 4, 8, 16, 32],
            "TS 36.331 onDurationTimer",
            "NPDCCH periods",
        )?;
        one_of(
            "inactivity_pp",
            self.inactivity_pp,
            &[0, 1, 2, 3, 4, 8, 16, 32],
            "TS 36.331 drx-InactivityTimer",
            "NPDCCH periods",
        )?;
        one_of(
            "cycle_subframes",
            self.cycle_subframes,
            &[
                256, 512, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 4608, 5120, 6144, 7680, 8192,
                9216, 10_240,
            ],
            "TS 36.331 drx-Cycle",
            "subframes",
        )
    }
}
