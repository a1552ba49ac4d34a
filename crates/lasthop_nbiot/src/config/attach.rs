use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::{integer_within, one_of};

/// The registration of a device with the network (TS 24.301 section 5.5.1), first and after each power-on.
///
/// Without it, a device is registered from the start, and one that was switched off tries every 10 s to register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// Timer T3402 in ms: the wait after five failed attempts.
    pub t3402_ms: u64,
    /// `q-RxLevMin` of SIB1-NB, as RSRP in dBm: a device that measures no more finds no suitable cell.
    pub q_rx_lev_min_dbm: f64,
    /// The size of SIB1-NB in bits.
    pub sib1_bits: u16,
    /// The duration of a cell search that finds nothing, in ms.
    pub failed_search_ms: u64,
    /// The waits between cell searches that found nothing, in ms. The last one repeats.
    pub search_waits_ms: Vec<u64>,
}

impl Attach {
    /// Units of GPRS timer (TS 24.008 table 10.5.172), of which there are 0 to 31.
    const T3402_UNITS_MS: [u64; 3] = [2_000, 60_000, 360_000];
    /// The sizes of SIB1-NB (TS 36.213 table 16.4.1.5.2-1). Each takes 8 subframes.
    const SIB1_BITS: [u16; 4] = [208, 328, 440, 680];

    /// The size of SIB1-NB where nothing else is said, in bits.
    pub(crate) const USUAL_SIB1_BITS: u16 = 440;

    /// Returns the timers and limits of a usual network and module. Sources are in `MODEL.md`.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            t3402_ms: 720_000,
            q_rx_lev_min_dbm: -140.0,
            sib1_bits: Self::USUAL_SIB1_BITS,
            failed_search_ms: 120_000,
            search_waits_ms: [10, 40, 300, 600, 1800, 1800, 3600]
                .map(|seconds| seconds * 1000)
                .to_vec(),
        }
    }

    /// The wait after so many searches that found nothing, in ms.
    pub(crate) fn search_wait_ms(&self, searches: usize) -> u64 {
        let last = self.search_waits_ms.len() - 1;
        self.search_waits_ms[searches.min(last)]
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.t3402_ms == 0 || !super::idle::in_units(self.t3402_ms, &Self::T3402_UNITS_MS) {
            return Err(ConfigError::new(
                "t3402_ms",
                format!(
                    "is {} ms; TS 24.008 table 10.5.172 allows 1 to 31 times 2 s, 1 min or 6 min",
                    self.t3402_ms
                ),
            ));
        }
        let in_range = (-140.0..=-44.0).contains(&self.q_rx_lev_min_dbm);
        if !in_range || self.q_rx_lev_min_dbm % 2.0 != 0.0 {
            return Err(ConfigError::new(
                "q_rx_lev_min_dbm",
                format!(
                    "is {} dBm; TS 36.331 Q-RxLevMin allows even numbers from -140 to -44 dBm",
                    self.q_rx_lev_min_dbm
                ),
            ));
        }
        one_of(
            "sib1_bits",
            self.sib1_bits,
            &Self::SIB1_BITS,
            "TS 36.213 table 16.4.1.5.2-1",
            "bit",
        )?;
        integer_within(
            "failed_search_ms",
            self.failed_search_ms,
            1..=3_600_000,
            "lasthop",
            "ms",
        )?;
        if self.search_waits_ms.is_empty() {
            return Err(ConfigError::new(
                "search_waits_ms",
                "is empty; name at least one wait, for example 3600000 ms",
            ));
        }
        for wait_ms in &self.search_waits_ms {
            integer_within(
                "search_waits_ms",
                *wait_ms,
                1..=604_800_000,
                "lasthop",
                "ms",
            )?;
        }
        Ok(())
    }
}
