use lasthop_units::{Duration, Instant};

use crate::age::AgeSums;
use crate::{Histogram, MessageRecord, MessageStatus};

/// Sums over the measured messages: those due from an instant on.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageSums {
    pub(crate) offered: u64,
    pub(crate) delivered: u64,
    pub(crate) duplicated: u64,
    pub(crate) failed: u64,
    pub(crate) unfinished: u64,
    /// Failed messages that never left their sender.
    pub(crate) unsent: u64,
    /// The latencies of all offered messages.
    pub(crate) latency: Histogram,
    pub(crate) latency_max: Option<Duration>,
    latency_total_ns: u128,
    /// Messages that their sender knows to be delivered.
    pub(crate) acknowledged: u64,
    pub(crate) response_max: Option<Duration>,
    response_total_ns: u128,
    /// Served messages, see [`MessageRecord::is_served`].
    pub(crate) available: u64,
    /// Messages that should be delivered within a time, and those that were.
    pub(crate) timed: u64,
    pub(crate) in_time: u64,
    /// The age of information, where the records of flows are read one after the other.
    pub(crate) age: AgeSums,
    /// Payload bits a second, over those that arrived.
    rate_total: f64,
    /// Payload bits delivered during the measurement, whenever the messages were due.
    pub(crate) bits_in_time: u64,
    /// Messages that failed, by reason; there are few reasons.
    reasons: Vec<(&'static str, u64)>,
}

/// The measured interval: messages due from the first instant on, and arrivals before the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredTime {
    pub(crate) from: Instant,
    pub(crate) to: Instant,
}

impl MessageSums {
    /// Adds a message that is finished, or that is unfinished at the end.
    pub(crate) fn add(&mut self, record: &MessageRecord, time: MeasuredTime) {
        let bits = record.payload().as_bytes() * 8;
        if record
            .delivered
            .is_some_and(|at| time.from <= at && at < time.to)
        {
            self.bits_in_time += bits;
        }
        if record.intended < time.from {
            return;
        }
        self.offered += 1;
        match record.status() {
            MessageStatus::Delivered => self.delivered += 1,
            MessageStatus::Failed(reason) => self.fail(reason),
            MessageStatus::Unfinished => {
                self.unfinished += 1;
                self.unsent += u64::from(record.sent.is_none());
            }
        }
        self.duplicated += u64::from(record.deliveries.saturating_sub(1));
        if let Some(response) = record.response() {
            self.acknowledged += 1;
            self.response_total_ns += u128::from(response.as_nanos());
            self.response_max = self.response_max.max(Some(response));
        }
        match record.latency() {
            Some(latency) => {
                self.latency.record(latency);
                self.latency_total_ns += u128::from(latency.as_nanos());
                self.latency_max = self.latency_max.max(Some(latency));
                self.available += u64::from(record.is_served());
                if latency > Duration::ZERO {
                    self.rate_total += bits as f64 / latency.as_secs_f64();
                }
            }
            None => self.latency.record_never(),
        }
    }

    /// Adds whether a message was delivered within the time that its flow has for it.
    pub(crate) fn add_timed(
        &mut self,
        record: &MessageRecord,
        time: MeasuredTime,
        within: Duration,
    ) {
        if record.intended >= time.from {
            self.timed += 1;
            self.in_time += u64::from(record.latency().is_some_and(|it| it <= within));
        }
    }

    /// Returns the number of failures for each reason, in the order of reasons.
    pub(crate) fn failures(&self) -> Vec<(&'static str, u64)> {
        let mut failures = self.reasons.clone();
        failures.sort_unstable();
        failures
    }

    fn fail(&mut self, reason: &'static str) {
        self.failed += 1;
        match self.reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => self.reasons.push((reason, 1)),
        }
    }

    /// Returns the exact mean latency of delivered messages, rounded to a nanosecond.
    pub(crate) fn latency_mean(&self) -> Option<Duration> {
        mean(self.latency_total_ns, self.delivered)
    }

    /// Returns the exact mean time from due to acknowledged, rounded to a nanosecond.
    pub(crate) fn response_mean(&self) -> Option<Duration> {
        mean(self.response_total_ns, self.acknowledged)
    }

    /// Returns the mean, over delivered messages, of payload bits for each second of latency (Larmo et al. 2019, 3.1).
    pub(crate) fn rate_mean(&self) -> Option<f64> {
        (self.delivered > 0).then(|| self.rate_total / self.delivered as f64)
    }
}

fn mean(total_ns: u128, count: u64) -> Option<Duration> {
    let count = u128::from(count);
    let rounded = (total_ns + count / 2).checked_div(count)?;
    u64::try_from(rounded).ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message_record::testing::record;

    fn sums(records: &[(u64, Option<u64>)]) -> MessageSums {
        let mut sums = MessageSums::default();
        let at = |millis: u64| Instant::from_nanos(millis * 1_000_000);
        let time = MeasuredTime {
            from: at(1000),
            to: at(3000),
        };
        for (intended, delivered) in records {
            sums.add(&record(100, at(*intended), delivered.map(at)), time);
        }
        sums
    }

    #[test]
    fn the_mean_is_rounded_not_cut() {
        let mut sums = MessageSums::default();
        let time = MeasuredTime {
            from: Instant::ZERO,
            to: Instant::FAR_FUTURE,
        };
        for nanos in [1, 2] {
            let delivered = Some(Instant::from_nanos(nanos));
            sums.add(&record(1, Instant::ZERO, delivered), time);
        }
        assert_eq!(sums.latency_mean(), Some(Duration::from_nanos(2)));
        assert_eq!(MessageSums::default().latency_mean(), None);
    }

    #[test]
    fn responses_are_those_that_senders_learnt_of() {
        let mut sums = MessageSums::default();
        let time = MeasuredTime {
            from: Instant::ZERO,
            to: Instant::FAR_FUTURE,
        };
        for acknowledged in [Some(30), Some(50), None] {
            let mut record = record(1, Instant::ZERO, Some(Instant::from_nanos(10)));
            record.acknowledged = acknowledged.map(Instant::from_nanos);
            sums.add(&record, time);
        }
        assert_eq!(sums.response_mean(), Some(Duration::from_nanos(40)));
        assert_eq!(sums.response_max, Some(Duration::from_nanos(50)));
        assert_eq!(MessageSums::default().response_mean(), None);
    }

    #[test]
    fn what_was_due_before_is_not_measured_and_what_arrives_in_time_is_carried() {
        let found = sums(&[
            (500, Some(900)),
            (500, Some(1500)),
            (1000, Some(2000)),
            (2999, Some(3000)),
            (2000, None),
        ]);
        assert_eq!((found.offered, found.delivered), (3, 2));
        assert_eq!(found.bits_in_time, 2 * 800);
        // 800 bit in 1 s, and in 1 ms.
        assert_eq!(found.rate_mean(), Some((800.0 + 800_000.0) / 2.0));
    }

    #[test]
    fn what_is_lost_or_late_is_not_in_time() {
        let mut sums = MessageSums::default();
        let at = Instant::from_nanos;
        let time = MeasuredTime {
            from: at(10),
            to: at(100),
        };
        for (due, delivered) in [(9, Some(9)), (10, Some(15)), (20, Some(26)), (30, None)] {
            let record = record(1, at(due), delivered.map(at));
            sums.add_timed(&record, time, Duration::from_nanos(5));
        }
        assert_eq!((sums.timed, sums.in_time), (3, 1));
    }

    #[test]
    fn who_waits_for_more_than_twenty_seconds_is_not_served() {
        let found = sums(&[(1000, Some(21_000)), (1000, Some(21_001)), (1000, None)]);
        assert_eq!((found.offered, found.available), (3, 1));
    }
}
