use lasthop_units::Duration;

use crate::histogram::middle;
use crate::message_sums::MessageSums;
use crate::summary::PER_MILLE;

/// Results weighted by the real devices that each simulated device represents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighted {
    /// The share of offered messages that were delivered.
    pub delivery_ratio: Option<f64>,
    /// The mean latency of delivered messages.
    pub latency_mean: Option<Duration>,
    /// The mean time from due to acknowledged, over acknowledged messages.
    pub response_mean: Option<Duration>,
    /// The 50th, 95th, 99th and 99.9th latency percentiles of all offered messages, with a relative error of at most 0.4 %. `None` is infinite.
    pub latency_percentiles: [Option<Duration>; PER_MILLE.len()],
}

impl Weighted {
    /// Computes the results from sums, each with the number of represented real devices.
    pub(crate) fn of<'a>(sums: impl Iterator<Item = (f64, &'a MessageSums)> + Clone) -> Self {
        let total = |count: fn(&MessageSums) -> u64| -> f64 {
            sums.clone()
                .map(|(weight, of)| weight * count(of) as f64)
                .sum()
        };
        let (offered, delivered) = (total(|of| of.offered), total(|of| of.delivered));
        let mean = |count: fn(&MessageSums) -> u64, mean: fn(&MessageSums) -> Option<Duration>| {
            let each = sums.clone().filter_map(|(weight, of)| {
                Some(weight * count(of) as f64 * mean(of)?.as_nanos() as f64)
            });
            let (waited, all) = (each.sum::<f64>(), total(count));
            (all > 0.0).then(|| Duration::from_nanos_f64(waited / all))
        };
        let extremes = || sums.clone().filter_map(|(_, of)| of.latency.extremes());
        let shortest = extremes().map(|(shortest, _)| shortest).min();
        let longest = extremes().map(|(_, longest)| longest).max();
        let mut buckets: Vec<(Duration, f64)> = sums
            .clone()
            .flat_map(|(weight, of)| {
                let buckets = of.latency.buckets();
                buckets.map(move |(from, to, count)| (middle(from, to), weight * count as f64))
            })
            .collect();
        buckets.sort_unstable_by_key(|(at, _)| *at);
        let percentile = |per_mille: u64| {
            let mut reached = 0.0;
            let mut buckets = buckets.iter();
            let found = buckets.find(|(_, weight)| {
                reached += weight;
                // What is summed in another order differs in its last digits.
                reached >= offered * per_mille as f64 / 1000.0 * (1.0 - 1e-12)
            });
            let at = found?.0;
            (offered > 0.0).then(|| at.clamp(shortest.unwrap_or(at), longest.unwrap_or(at)))
        };
        Self {
            delivery_ratio: (offered > 0.0).then(|| delivered / offered),
            latency_mean: mean(|of| of.delivered, MessageSums::latency_mean),
            response_mean: mean(|of| of.acknowledged, MessageSums::response_mean),
            latency_percentiles: PER_MILLE.map(percentile),
        }
    }
}

#[cfg(test)]
mod tests {
    use lasthop_units::Instant;

    use super::*;
    use crate::message_record::testing::record;
    use crate::message_sums::MeasuredTime;

    /// Messages of so many milliseconds, and so many that never arrive.
    fn sums(millis: &[u64], lost: usize) -> MessageSums {
        let mut sums = MessageSums::default();
        let time = MeasuredTime {
            from: Instant::ZERO,
            to: Instant::FAR_FUTURE,
        };
        let delivered = millis
            .iter()
            .map(|it| Some(Instant::from_nanos(it * 1_000_000)));
        for delivered in delivered.chain(core::iter::repeat_n(None, lost)) {
            sums.add(&record(100, Instant::ZERO, delivered), time);
        }
        sums
    }

    #[test]
    fn who_stands_for_more_counts_for_more() {
        // 90 real devices at 100 ms, 10 of which half are lost.
        let (near, far) = (sums(&[100; 10], 0), sums(&[1000; 5], 5));
        let found = Weighted::of([(9.0, &near), (1.0, &far)].into_iter());
        assert_eq!(found.delivery_ratio, Some(0.95));
        let mean = found.latency_mean.unwrap().as_secs_f64();
        assert!((mean - (90.0 * 0.1 + 5.0) / 95.0).abs() < 1e-9, "{mean}");
        let [p50, p95, p99, p99_9] = found
            .latency_percentiles
            .map(|it| it.map(Duration::as_secs_f64));
        assert_eq!(p50, Some(0.1), "nobody waited for less");
        assert_eq!(p95, Some(1.0), "nobody waited for more");
        assert_eq!([p99, p99_9], [None; 2], "five of a hundred never arrive");
    }

    #[test]
    fn of_nothing_there_is_nothing_to_tell() {
        let nothing = MessageSums::default();
        let found = Weighted::of(core::iter::once((2.0, &nothing)));
        assert_eq!(found.delivery_ratio, None);
        assert_eq!(found.latency_percentiles, [None; PER_MILLE.len()]);
    }
}
