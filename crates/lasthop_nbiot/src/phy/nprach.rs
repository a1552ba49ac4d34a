use lasthop_units::{Duration, Instant};

use super::Subframe;
use crate::config::{Nprach, NprachFormat};

/// A preamble: four symbol groups in each repetition, on one tone that hops (TS 36.211 section 10.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preamble {
    format: NprachFormat,
    repetitions: u16,
}

impl Preamble {
    /// The repetitions after which a gap follows if there are more.
    const REPETITIONS_BEFORE_GAP: u64 = 64;
    const GAP: Duration = Duration::from_millis(40);

    /// Creates a preamble of this format.
    #[must_use]
    pub const fn new(format: NprachFormat, repetitions: u16) -> Self {
        Self {
            format,
            repetitions,
        }
    }

    /// Returns the number of repetitions of the four symbol groups.
    #[must_use]
    pub const fn repetitions(self) -> u16 {
        self.repetitions
    }

    /// Returns the time from the first to the last symbol.
    #[must_use]
    pub fn duration(self) -> Duration {
        let gaps = u64::from(self.repetitions - 1) / Self::REPETITIONS_BEFORE_GAP;
        self.air_time() + Self::GAP * gaps
    }

    /// Returns the time on air: [`Preamble::duration`] without gaps.
    #[must_use]
    pub fn air_time(self) -> Duration {
        // Four groups of 2048 + 40960 or 8192 + 40960 samples at 30.72 MHz (TS 36.211 table 10.1.6.1-1).
        let repetition = match self.format {
            NprachFormat::Format0 => Duration::from_nanos(5_600_000),
            NprachFormat::Format1 => Duration::from_nanos(6_400_000),
        };
        repetition * u64::from(self.repetitions)
    }
}

/// The preamble opportunities of a coverage level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NprachOccasions {
    period: u64,
    /// Of the first opportunity.
    offset: u64,
    preamble: Preamble,
    /// Subframes that the preamble takes, or takes a part of.
    length: u64,
    first_tone: u8,
    tones: u8,
    single_tone_msg3_tones: u8,
}

impl NprachOccasions {
    /// Creates the opportunities from settings that [`crate::config::NetworkConfig::check`] has accepted.
    #[must_use]
    pub fn new(nprach: &Nprach, format: NprachFormat) -> Self {
        let period = u64::from(nprach.period_ms);
        let preamble = Preamble::new(format, nprach.repetitions);
        Self {
            period,
            offset: u64::from(nprach.start_ms) % period,
            preamble,
            length: preamble.duration().as_nanos().div_ceil(1_000_000),
            first_tone: nprach.tone_offset,
            tones: nprach.tones,
            single_tone_msg3_tones: nprach.tones / 3 * (3 - nprach.multi_tone_msg3_thirds),
        }
    }

    /// Returns the preamble of these opportunities.
    #[must_use]
    pub const fn preamble(&self) -> Preamble {
        self.preamble
    }

    /// Returns the first opportunity that starts at or after this subframe.
    #[inline]
    #[must_use]
    pub fn next(&self, subframe: Subframe) -> Subframe {
        let periods = (subframe - Subframe(self.offset)).div_ceil(self.period);
        Subframe(self.offset + periods * self.period)
    }

    /// Returns the end of a preamble that starts with this subframe.
    #[must_use]
    pub fn end_of(&self, start: Subframe) -> Instant {
        start.start() + self.preamble.duration()
    }

    /// Returns the first opportunity that ends after the start of this subframe, as (first subframe, end).
    ///
    /// Partly occupied subframes and gaps count as occupied.
    #[inline]
    #[must_use]
    pub fn taken(&self, subframe: Subframe) -> (Subframe, Subframe) {
        let periods =
            (subframe.0 + self.period).saturating_sub(self.offset + self.length) / self.period;
        let start = Subframe(self.offset + periods * self.period);
        (start, start + self.length)
    }

    /// Whether opportunities of two coverage levels overlap in time and tones.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        /// A multiple of every `nprach-Periodicity`.
        const ALL_PERIODS: u64 = 7680;
        let share_tones = self.first_tone < other.first_tone + other.tones
            && other.first_tone < self.first_tone + self.tones;
        share_tones
            && (0..ALL_PERIODS / self.period).any(|number| {
                let start = Subframe(self.offset + ALL_PERIODS + number * self.period);
                let (other_start, _) = other.taken(start);
                other_start.start() < self.end_of(start)
            })
    }

    /// Returns the 3.75 kHz tones that preambles can choose, as (first, number).
    #[must_use]
    pub const fn tones(&self) -> (u8, u8) {
        (self.first_tone, self.tones)
    }

    /// Returns the number of tones, from the first on, that announce a single-tone Msg3. The others announce
    /// multi-tone.
    #[must_use]
    pub const fn single_tone_msg3_tones(&self) -> u8 {
        self.single_tone_msg3_tones
    }

    /// Returns the number of opportunities in a second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        1000.0 / self.period as f64
    }

    /// Returns the number of subframes from one opportunity to the next.
    #[must_use]
    pub const fn period(&self) -> u64 {
        self.period
    }
}
