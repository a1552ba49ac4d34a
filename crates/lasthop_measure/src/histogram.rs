use core::ops::Range;
use std::collections::BTreeMap;

use lasthop_units::Duration;

/// A histogram of spans in log-linear buckets: 128 for each doubling, so a bucket is at most 0.8 % wide.
///
/// Merging two is adding their counts: the result is the same as of all values in one.
///
/// ```
/// use lasthop_measure::Histogram;
/// use lasthop_units::Duration;
/// let mut one = Histogram::new();
/// one.record(Duration::from_millis(200));
/// let mut other = Histogram::new();
/// other.record_never();
/// one.merge(&other);
/// assert_eq!(one.count(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: BTreeMap<u32, u64>,
    never: u64,
    /// The shortest and the longest of the finite ones.
    extremes: Option<(Duration, Duration)>,
}

/// The binary digits of a value that its bucket keeps, after the first.
const PRECISION: u32 = 7;

impl Histogram {
    /// Creates an empty histogram.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a span.
    pub fn record(&mut self, span: Duration) {
        *self.counts.entry(bucket_of(span.as_nanos())).or_default() += 1;
        self.reach((span, span));
    }

    /// Counts an event that never happened as an infinite span.
    pub fn record_never(&mut self) {
        self.never += 1;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.counts {
            *self.counts.entry(*bucket).or_default() += count;
        }
        self.never += other.never;
        if let Some(extremes) = other.extremes {
            self.reach(extremes);
        }
    }

    /// Returns the number of entries, infinite ones included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.never + self.counts.values().sum::<u64>()
    }

    /// Returns the number of infinite entries.
    #[must_use]
    pub fn never(&self) -> u64 {
        self.never
    }

    /// Returns the nearest-rank percentile over all entries, to 0.4 %.
    ///
    /// It is the middle of its bucket, within the counted range. `None` means infinite or no entries.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<Duration> {
        self.quantile(10 * percent)
    }

    /// Returns the quantile in thousandths: 999 is the 99.9th percentile.
    pub(crate) fn quantile(&self, per_mille: u64) -> Option<Duration> {
        let (Range { start, end }, _) = self.place_of(per_mille)?;
        let (shortest, longest) = self.extremes?;
        Some(middle(start, end).clamp(shortest, longest))
    }

    /// Returns the shortest and the longest finite entry.
    pub(crate) fn extremes(&self) -> Option<(Duration, Duration)> {
        self.extremes
    }

    /// Returns the bucket with the nearest rank of a quantile in thousandths, and the rank in that bucket, from 1.
    /// Returns `None` for an infinite quantile or an empty histogram.
    pub(crate) fn place_of(&self, per_mille: u64) -> Option<(Range<Duration>, u64)> {
        let rank = (self.count() * per_mille).div_ceil(1000).max(1);
        let mut below = 0;
        self.buckets().find_map(|(from, to, count)| {
            let rank_in_it = rank - below;
            below += count;
            (below >= rank).then_some((from..to, rank_in_it))
        })
    }

    /// Iterates over the filled buckets from the shortest: lower bound, exclusive upper bound, count.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, Duration, u64)> + '_ {
        self.counts.iter().map(|(bucket, count)| {
            let edge = |bucket| Duration::from_nanos(lower_edge(bucket));
            (edge(*bucket), edge(bucket + 1), *count)
        })
    }

    fn reach(&mut self, (from, to): (Duration, Duration)) {
        let (shortest, longest) = self.extremes.unwrap_or((from, to));
        self.extremes = Some((shortest.min(from), longest.max(to)));
    }
}

/// Returns the value that represents a bucket.
pub(crate) fn middle(from: Duration, to: Duration) -> Duration {
    from + Duration::from_nanos((to - from).as_nanos() / 2)
}

fn bucket_of(nanos: u64) -> u32 {
    let exponent = (u64::BITS - nanos.leading_zeros()).saturating_sub(PRECISION + 1);
    (exponent << PRECISION) + (nanos >> exponent) as u32
}

fn lower_edge(bucket: u32) -> u64 {
    let exponent = (bucket >> PRECISION).saturating_sub(1);
    u64::from(bucket - (exponent << PRECISION)) << exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket_and_no_bucket_is_wide() {
        for shift in 0..60 {
            for offset in [0, 1, 3] {
                let nanos = (1_u64 << shift) + offset;
                let bucket = bucket_of(nanos);
                let (from, to) = (lower_edge(bucket), lower_edge(bucket + 1));
                assert!(from <= nanos && nanos < to, "{nanos}: {from} to {to}");
                assert!(
                    (to - from) * 128 <= from.max(128),
                    "{nanos}: {from} to {to}"
                );
            }
        }
    }

    #[test]
    fn percentiles_are_near_the_exact_ones_and_count_what_never_happened() {
        let mut histogram = Histogram::new();
        (1..=900).for_each(|millis| histogram.record(Duration::from_millis(millis)));
        (0..100).for_each(|_| histogram.record_never());
        for (percent, exact) in [(1, 0.01), (50, 0.5), (90, 0.9)] {
            let found = histogram.percentile(percent).unwrap().as_secs_f64();
            assert!((found / exact - 1.0).abs() < 0.004, "{found} for {exact}");
        }
        assert_eq!(histogram.percentile(91), None);
        let rare = histogram.quantile(899).unwrap().as_secs_f64();
        assert!((rare / 0.899 - 1.0).abs() < 0.004, "{rare}");
        assert_eq!(Histogram::new().percentile(50), None);
    }

    #[test]
    fn no_percentile_lies_beyond_what_was_counted() {
        // 1,000,001 ns lie near the start of their bucket of 8,192 ns, 1,007,000 ns near its end.
        for nanos in [1_000_001_u64, 1_007_000, 0, 1, u64::MAX / 4] {
            let mut histogram = Histogram::new();
            (0..3).for_each(|_| histogram.record(Duration::from_nanos(nanos)));
            let mut merged = Histogram::new();
            merged.merge(&histogram);
            for percent in [0, 50, 100] {
                let found = merged.percentile(percent);
                assert_eq!(found, Some(Duration::from_nanos(nanos)), "{percent}");
            }
        }
    }

    #[test]
    fn merging_is_counting_together() {
        let (mut all, mut odd, mut even) = (Histogram::new(), Histogram::new(), Histogram::new());
        for n in 0..10_000_u64 {
            let span = Duration::from_nanos(n * n * 977);
            all.record(span);
            if n % 2 == 1 { &mut odd } else { &mut even }.record(span);
        }
        odd.merge(&even);
        assert_eq!(odd, all);
    }
}
