use serde::{Deserialize, Serialize};

use super::allowed::{NPDCCH_RMAX, integer_within, one_of, within};
use super::{Attach, ConfigError};

/// The idle mode settings of devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idle {
    /// Whether a new device already knows the system information. Otherwise it reads it first.
    pub system_information_known: bool,
    /// The clock error of a device in deep sleep, in parts per million. With 0, a wake-up needs no synchronisation.
    pub clock_ppm: f64,
    /// The cell search time of a device that registers.
    pub cell_search_ms: u32,
    /// The registration of devices; `None` for devices that are registered from the start.
    pub attach: Option<Attach>,
    /// `defaultPagingCycle`: the idle-mode DRX cycle, in radio frames.
    pub drx_cycle_frames: u16,
    /// `npdcch-NumRepetitionPaging`: Rmax of the paging search space.
    pub paging_rmax: u16,
    /// The wake-up signal before a page; `None` for none.
    pub wake_up_signal: Option<WakeUpSignal>,
    /// Extended idle-mode DRX (eDRX); `None` for none.
    pub extended_drx: Option<ExtendedDrx>,
    /// Power saving mode (PSM); `None` for none.
    pub power_saving_mode: Option<PowerSavingMode>,
}

/// The narrowband wake-up signal before a paging occasion (Release 15; TS 36.331 WUS-Config-NB, TS 36.211 section
/// 10.2.6B).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WakeUpSignal {
    /// `maxDurationFactor`: the signal lasts Rmax of paging divided by this, and at least one subframe.
    pub duration_divisor: u16,
    /// `timeOffsetDRX`: the time from the end of the signal to the paging occasion, in ms.
    pub time_offset_ms: u16,
}

impl WakeUpSignal {
    /// How many subframes it takes.
    pub(crate) fn subframes(&self, paging_rmax: u16) -> u16 {
        (paging_rmax / self.duration_divisor).max(1)
    }

    fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "duration_divisor",
            self.duration_divisor,
            &[2, 4, 8, 16, 32, 64, 128],
            "TS 36.331 maxDurationFactor",
            "",
        )?;
        one_of(
            "time_offset_ms",
            self.time_offset_ms,
            &[40, 80, 160, 240],
            "TS 36.331 timeOffsetDRX",
            "ms",
        )
    }
}

/// Extended idle-mode DRX (eDRX, TS 24.008 section 10.5.5.32).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtendedDrx {
    /// The eDRX cycle in ms, from 20.48 s to 10485.76 s in powers of two.
    pub cycle_ms: u32,
    /// The paging time window in ms: how long a device follows the paging cycle in each eDRX cycle.
    ///
    /// It is a multiple of 2.56 s, at most 40.96 s, and not shorter than the paging cycle.
    pub paging_time_window_ms: u32,
}

/// Power saving mode (PSM, TS 24.301).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerSavingMode {
    /// Timer T3324 in ms: how long a device can be paged after a connection.
    pub t3324_ms: u64,
    /// Timer T3412 in ms: the interval of periodic tracking area updates.
    pub t3412_ms: u64,
}

impl Idle {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "drx_cycle_frames",
            self.drx_cycle_frames,
            &[128, 256, 512, 1024],
            "TS 36.331 defaultPagingCycle",
            "frames",
        )?;
        one_of(
            "paging_rmax",
            self.paging_rmax,
            &NPDCCH_RMAX,
            "TS 36.331 npdcch-NumRepetitionPaging",
            "",
        )?;
        if let Some(signal) = &self.wake_up_signal {
            signal.check().map_err(|e| e.under("wake_up_signal"))?;
        }
        within("clock_ppm", self.clock_ppm, 0.0..=1000.0, "lasthop", "ppm")?;
        integer_within(
            "cell_search_ms",
            self.cell_search_ms.into(),
            0..=3_600_000,
            "lasthop",
            "ms",
        )?;
        if let Some(attach) = &self.attach {
            attach.check().map_err(|e| e.under("attach"))?;
        }
        if let Some(edrx) = &self.extended_drx {
            edrx.check(self.drx_cycle_ms())
                .map_err(|e| e.under("extended_drx"))?;
        }
        match &self.power_saving_mode {
            None => Ok(()),
            Some(psm) => psm.check().map_err(|e| e.under("power_saving_mode")),
        }
    }

    fn drx_cycle_ms(&self) -> u32 {
        u32::from(self.drx_cycle_frames) * 10
    }
}

impl ExtendedDrx {
    fn check(&self, drx_cycle_ms: u32) -> Result<(), ConfigError> {
        let cycles: Vec<u32> = (0..10).map(|doubling| 20_480 << doubling).collect();
        one_of(
            "cycle_ms",
            self.cycle_ms,
            &cycles,
            "TS 24.008 table 10.5.5.32 (NB-S1 mode)",
            "ms",
        )?;
        let windows: Vec<u32> = (1..=16).map(|times| 2560 * times).collect();
        one_of(
            "paging_time_window_ms",
            self.paging_time_window_ms,
            &windows,
            "TS 24.008 table 10.5.5.32 (NB-S1 mode)",
            "ms",
        )?;
        if self.paging_time_window_ms >= self.cycle_ms {
            return Err(ConfigError::new(
                "paging_time_window_ms",
                format!(
                    "is {} ms, no shorter than the cycle of {} ms (TS 24.008 section 10.5.5.32); choose a shorter window",
                    self.paging_time_window_ms, self.cycle_ms
                ),
            ));
        }
        if self.paging_time_window_ms < drx_cycle_ms {
            return Err(ConfigError::new(
                "paging_time_window_ms",
                format!(
                    "is {} ms, shorter than the paging cycle: a device whose only occasion in {drx_cycle_ms} ms lies outside \
                     the window can never be paged (TS 36.304 section 7.3); choose at least {drx_cycle_ms} ms, or a shorter DRX cycle",
                    self.paging_time_window_ms
                ),
            ));
        }
        Ok(())
    }
}

impl PowerSavingMode {
    /// Units of GPRS timer 2 (TS 24.008 table 10.5.163), of which there are 0 to 31.
    const T3324_UNITS_MS: [u64; 3] = [2_000, 60_000, 360_000];
    /// Units of GPRS timer 3 (TS 24.008 table 10.5.163a), of which there are 0 to 31.
    const T3412_UNITS_MS: [u64; 7] = [
        2_000,
        30_000,
        60_000,
        600_000,
        3_600_000,
        36_000_000,
        1_152_000_000,
    ];

    fn check(&self) -> Result<(), ConfigError> {
        if !in_units(self.t3324_ms, &Self::T3324_UNITS_MS) {
            return Err(ConfigError::new(
                "t3324_ms",
                format!(
                    "is {} ms; TS 24.008 table 10.5.163 allows 0 to 31 times 2 s, 1 min or 6 min",
                    self.t3324_ms
                ),
            ));
        }
        if self.t3412_ms == 0 || !in_units(self.t3412_ms, &Self::T3412_UNITS_MS) {
            return Err(ConfigError::new(
                "t3412_ms",
                format!(
                    "is {} ms; TS 24.008 table 10.5.163a allows 1 to 31 times 2 s, 30 s, 1 min, 10 min, 1 h, 10 h or \
                     320 h",
                    self.t3412_ms
                ),
            ));
        }
        Ok(())
    }
}

pub(super) fn in_units(value_ms: u64, units_ms: &[u64]) -> bool {
    units_ms
        .iter()
        .any(|unit| value_ms.is_multiple_of(*unit) && value_ms / unit <= 31)
}
