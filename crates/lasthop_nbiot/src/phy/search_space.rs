use super::Subframe;
use crate::config::SearchSpaceConfig;

/// An NPDCCH search space: the starts of its periods, and the candidates in each period (TS 36.213 section 16.6).
///
/// A period starts where the subframe, counted from the start of the run, is floor(alpha T) modulo T = Rmax G. Within the
/// first Rmax usable subframes of the period, a candidate with R repetitions starts at each multiple of R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchSpace {
    rmax: u16,
    /// T in subframes.
    period: u64,
    /// floor(alpha T).
    offset: u64,
}

impl SearchSpace {
    /// Creates a search space from settings that [`crate::config::NetworkConfig::check`] has accepted.
    #[must_use]
    pub fn new(config: &SearchSpaceConfig) -> Self {
        // G is a whole number or 1.5.
        let period = u64::from(config.rmax) * (config.g * 2.0) as u64 / 2;
        Self {
            rmax: config.rmax,
            period,
            offset: period * u64::from(config.offset_eighths) / 8,
        }
    }

    /// Returns Rmax: the maximum number of repetitions of a candidate, and the number of usable subframes with
    /// candidates in a period.
    #[must_use]
    pub const fn rmax(&self) -> u16 {
        self.rmax
    }

    /// Returns T: the length of a period in subframes. Timers in NPDCCH periods (pp) count these periods.
    #[must_use]
    pub const fn period(&self) -> u64 {
        self.period
    }

    /// Returns the first start of a period at or after this subframe.
    #[inline]
    #[must_use]
    pub fn next_start(&self, subframe: Subframe) -> Subframe {
        let periods = (subframe - Subframe(self.offset)).div_ceil(self.period);
        Subframe(self.offset + periods * self.period)
    }

    /// Returns the last start of a period at or before this subframe, or the first start if there is none.
    #[inline]
    #[must_use]
    pub fn start_before(&self, subframe: Subframe) -> Subframe {
        let periods = (subframe - Subframe(self.offset)) / self.period;
        Subframe(self.offset + periods * self.period)
    }

    /// Returns the number of candidates with this many repetitions in a period; 0 if the table has none.
    #[must_use]
    pub const fn candidates(&self, repetitions: u16) -> u16 {
        let is_allowed = repetitions.is_power_of_two()
            && repetitions <= self.rmax
            && (repetitions as u32) * 8 >= self.rmax as u32;
        if is_allowed {
            self.rmax / repetitions
        } else {
            0
        }
    }
}
