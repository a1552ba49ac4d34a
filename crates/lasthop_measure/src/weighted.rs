use lasthop_units::Duration;

use crate::histogram::{Histogram, middle};
use crate::message_sums::MessageSums;
use crate::recovery_log::RecoverySums;
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
    /// The share of messages with a deadline that were delivered in time.
    pub in_time_ratio: Option<f64>,
    /// The time average of the age of information.
    pub age_mean: Option<Duration>,
    /// The share of recoveries that were completed.
    pub recovery_ratio: Option<f64>,
    /// The 50th and 95th percentiles of the recovery time. `None` is infinite.
    pub recovery_percentiles: [Option<Duration>; RECOVERY_PER_MILLE.len()],
}

/// The reported percentiles of recoveries in thousandths.
pub(crate) const RECOVERY_PER_MILLE: [u64; 2] = [500, 950];

impl Weighted {
    /// Computes the results from sums and recoveries, each with the number of represented real devices.
    pub(crate) fn of<'a>(
        sums: impl Iterator<Item = (f64, &'a MessageSums)> + Clone,
        recoveries: impl Iterator<Item = (f64, &'a RecoverySums)>,
    ) -> Self {
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
        let latencies: Vec<_> = sums
            .clone()
            .map(|(weight, of)| (weight, &of.latency))
            .collect();
        let recoveries: Vec<_> = recoveries.map(|(weight, of)| (weight, of.took())).collect();
        let watched = |(weight, of): (f64, &MessageSums)| weight * of.age.watched_ns() as f64;
        let ages = sums.clone().filter_map(|(weight, of)| {
            Some(watched((weight, of)) * of.age.mean()?.as_nanos() as f64)
        });
        let (age, time): (f64, f64) = (ages.sum(), sums.clone().map(watched).sum());
        let ratio = |part: f64, all: f64| (all > 0.0).then(|| part / all);
        let count = |of: fn(&Histogram) -> u64| -> f64 {
            let each = recoveries
                .iter()
                .map(|(weight, took)| weight * of(took) as f64);
            each.sum()
        };
        let (all, never) = (count(Histogram::count), count(Histogram::never));
        Self {
            delivery_ratio: ratio(delivered, offered),
            latency_mean: mean(|of| of.delivered, MessageSums::latency_mean),
            response_mean: mean(|of| of.acknowledged, MessageSums::response_mean),
            latency_percentiles: PER_MILLE.map(|part| quantile(&latencies, part)),
            in_time_ratio: ratio(total(|of| of.in_time), total(|of| of.timed)),
            age_mean: ratio(age, time).map(Duration::from_nanos_f64),
            recovery_ratio: ratio(all - never, all),
            recovery_percentiles: RECOVERY_PER_MILLE.map(|part| quantile(&recoveries, part)),
        }
    }
}

/// Returns the quantile in thousandths of spans with weights. `None` is infinite, or of nothing.
fn quantile(histograms: &[(f64, &Histogram)], per_mille: u64) -> Option<Duration> {
    let all = histograms
        .iter()
        .map(|(weight, of)| weight * of.count() as f64);
    let all: f64 = all.sum();
    let extremes = || histograms.iter().filter_map(|(_, of)| of.extremes());
    let shortest = extremes().map(|(shortest, _)| shortest).min();
    let longest = extremes().map(|(_, longest)| longest).max();
    let mut buckets: Vec<(Duration, f64)> = histograms
        .iter()
        .flat_map(|(weight, of)| {
            let buckets = of.buckets();
            buckets.map(move |(from, to, count)| (middle(from, to), weight * count as f64))
        })
        .collect();
    buckets.sort_unstable_by_key(|(at, _)| *at);
    let mut reached = 0.0;
    let found = buckets.into_iter().find(|(_, weight)| {
        reached += weight;
        // What is summed in another order differs in its last digits.
        reached >= all * per_mille as f64 / 1000.0 * (1.0 - 1e-12)
    });
    let at = found.filter(|_| all > 0.0)?.0;
    Some(at.clamp(shortest.unwrap_or(at), longest.unwrap_or(at)))
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

    const NOBODY: core::iter::Empty<(f64, &RecoverySums)> = core::iter::empty();

    #[test]
    fn who_stands_for_more_counts_for_more() {
        // 90 real devices at 100 ms, 10 of which half are lost.
        let (near, far) = (sums(&[100; 10], 0), sums(&[1000; 5], 5));
        let found = Weighted::of([(9.0, &near), (1.0, &far)].into_iter(), NOBODY);
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
    fn ages_shares_in_time_and_recoveries_have_the_weights_of_their_devices() {
        use crate::age::FlowAge;
        let at = |seconds: u64| Instant::ZERO + Duration::from_secs(seconds);
        // Nothing of the far one arrives: its age is 10 s on average over 20 s, that of the near one 5 s over 10 s.
        let of_flow = |due: [u64; 2], arrives: bool, in_time: u64| {
            let mut age = FlowAge::new(Instant::ZERO);
            for seconds in due {
                age.add(&record(1, at(seconds), arrives.then(|| at(seconds + 1))));
            }
            let mut sums = MessageSums::default();
            (sums.timed, sums.in_time, sums.age) = (4, in_time, age.finish());
            sums
        };
        let (near, far) = (of_flow([0, 10], true, 4), of_flow([0, 20], false, 1));
        let recovered = |log: Option<u64>| {
            let mut recoveries = crate::recovery_log::RecoveryLog::default();
            let device = lasthop_contract::DeviceId(0);
            recoveries.note_due(at(5), device);
            recoveries.begin(at(10), device, at(5), 0);
            if let Some(seconds) = log {
                recoveries.note_arrival(at(10 + seconds), device, at(5));
            }
            recoveries.at_end(1).remove(0)
        };
        let (soon, never) = (recovered(Some(3)), recovered(None));
        let found = Weighted::of(
            [(9.0, &near), (1.0, &far)].into_iter(),
            [(9.0, &soon), (1.0, &never)].into_iter(),
        );
        let age = found.age_mean.unwrap().as_secs_f64();
        assert!(
            (age - (9.0 * 50.0 + 200.0) / (9.0 * 10.0 + 20.0)).abs() < 1e-9,
            "{age}"
        );
        let in_time = found.in_time_ratio.unwrap();
        assert!(
            (in_time - (9.0 * 4.0 + 1.0) / 40.0).abs() < 1e-12,
            "{in_time}"
        );
        assert_eq!(found.recovery_ratio, Some(0.9));
        let three = Some(Duration::from_secs(3));
        assert_eq!(found.recovery_percentiles, [three, None]);
    }

    #[test]
    fn of_nothing_there_is_nothing_to_tell() {
        let nothing = MessageSums::default();
        let found = Weighted::of(core::iter::once((2.0, &nothing)), NOBODY);
        assert_eq!(found.delivery_ratio, None);
        assert_eq!(found.latency_percentiles, [None; PER_MILLE.len()]);
    }
}
