use std::collections::VecDeque;

use lasthop_units::{Duration, Instant};

use crate::MessageRecord;

/// The age of information of flows at their receivers: the integral of the age over time, and the time.
///
/// The age at an instant t is t - u(t), where u(t) is when the latest of the messages that have arrived until t was due
/// (Kaul, Yates, Gruteser 2012, "Real-time status: How often should one update?", section II).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgeSums {
    /// Twice the integral, in ns².
    doubled_area: u128,
    watched_ns: u128,
    longest: Option<Duration>,
}

impl AgeSums {
    /// Returns the time average of the age, rounded to a nanosecond; `None` without any time.
    pub(crate) fn mean(&self) -> Option<Duration> {
        let divisor = 2 * self.watched_ns;
        let rounded = (self.doubled_area + self.watched_ns).checked_div(divisor)?;
        u64::try_from(rounded).ok().map(Duration::from_nanos)
    }

    /// Returns the greatest age.
    pub(crate) const fn longest(&self) -> Option<Duration> {
        self.longest
    }

    /// Returns the time over which the age was watched, in nanoseconds.
    pub(crate) const fn watched_ns(&self) -> u128 {
        self.watched_ns
    }

    /// Adds the age of other flows.
    pub(crate) fn add(&mut self, other: &Self) {
        self.doubled_area += other.doubled_area;
        self.watched_ns += other.watched_ns;
        self.longest = self.longest.max(other.longest);
    }
}

/// The age of one flow at one receiver, from its messages in the order in which they were due.
///
/// It is watched from when the first measured message was due until the last message was due. Before the first arrival,
/// the age counts from when the first message of the flow was due.
#[derive(Clone, Debug)]
pub(crate) struct FlowAge {
    measured_from: Instant,
    /// The age counts from here until something newer arrives: when the latest arrived message was due.
    fresh: Option<Instant>,
    /// Up to here the age is in the sums; `None` before the first measured message.
    summed_to: Option<Instant>,
    last_due: Instant,
    /// Arrivals behind the last due time, with when these messages were due. Both times grow.
    arriving: VecDeque<(Instant, Instant)>,
    sums: AgeSums,
}

impl FlowAge {
    /// Creates the age of a flow without messages.
    pub(crate) const fn new(measured_from: Instant) -> Self {
        Self {
            measured_from,
            fresh: None,
            summed_to: None,
            last_due: measured_from,
            arriving: VecDeque::new(),
            sums: AgeSums {
                doubled_area: 0,
                watched_ns: 0,
                longest: None,
            },
        }
    }

    /// Adds the next message.
    pub(crate) fn add(&mut self, record: &MessageRecord) {
        let due = record.intended;
        self.fresh.get_or_insert(due);
        self.last_due = due;
        // No later message arrives before it is due.
        while let Some((at, fresh)) = self.arriving.pop_front_if(|(at, _)| *at <= due) {
            self.sum_to(at);
            self.fresh = Some(fresh);
        }
        if self.measured_from <= due {
            self.summed_to.get_or_insert(due);
        }
        let Some(at) = record.delivered else {
            return;
        };
        // What arrives later than a newer message tells nothing new.
        while self
            .arriving
            .pop_back_if(|(later, _)| at <= *later)
            .is_some()
        {}
        self.arriving.push_back((at, due));
    }

    /// Returns the sums up to when the last message was due.
    pub(crate) fn finish(mut self) -> AgeSums {
        self.sum_to(self.last_due);
        self.sums
    }

    fn sum_to(&mut self, at: Instant) {
        let (Some(fresh), Some(since)) = (self.fresh, self.summed_to) else {
            return;
        };
        let [from, to] = [since, at].map(|it| u128::from((it - fresh).as_nanos()));
        self.sums.doubled_area += to * to - from * from;
        self.sums.watched_ns += to - from;
        if since < at {
            self.sums.longest = self.sums.longest.max(Some(at - fresh));
        }
        self.summed_to = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message_record::testing::record;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    /// The age of a flow whose messages were due and arrived at these seconds.
    fn age(from: u64, messages: &[(u64, Option<u64>)]) -> AgeSums {
        let mut age = FlowAge::new(at(from));
        for (due, delivered) in messages {
            age.add(&record(10, at(*due), delivered.map(at)));
        }
        age.finish()
    }

    fn mean(sums: &AgeSums) -> f64 {
        sums.mean().expect("it was watched").as_secs_f64()
    }

    #[test]
    fn periodic_messages_with_one_latency_have_the_mean_of_a_sawtooth() {
        // Every 10 s with a latency of 3 s: 3 s + 10 s / 2, once the first has arrived (Kaul et al. 2012, figure 2).
        let messages: Vec<_> = (0..100).map(|n| (10 * n, Some(10 * n + 3))).collect();
        let found = age(10, &messages);
        assert!((mean(&found) - 8.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found.longest(), Some(Duration::from_secs(13)));
        assert_eq!(found.watched_ns(), 980 * 1_000_000_000);
    }

    #[test]
    fn a_lost_message_leaves_the_age_growing() {
        // Due at 0, 10, 20, 30; the second is lost. From 0 to 21: 21²/2; from 21 to 30: (10² - 1²)/2.
        let found = age(
            0,
            &[(0, Some(1)), (10, None), (20, Some(21)), (30, Some(31))],
        );
        assert!((mean(&found) - (441.0 + 99.0) / 2.0 / 30.0).abs() < 1e-9);
        assert_eq!(found.longest(), Some(Duration::from_secs(21)));
    }

    #[test]
    fn what_arrives_behind_a_newer_message_tells_nothing() {
        let in_order = age(
            0,
            &[(0, Some(1)), (10, None), (20, Some(21)), (40, Some(41))],
        );
        let overtaken = age(
            0,
            &[(0, Some(1)), (10, Some(25)), (20, Some(21)), (40, Some(41))],
        );
        assert_eq!(overtaken, in_order);
    }

    #[test]
    fn messages_of_the_warm_up_are_known_after_it() {
        // At 20 the message of 10 is known: the age goes from 10 to 11 until 21, then from 1 to 10.
        let found = age(
            15,
            &[(0, Some(1)), (10, Some(11)), (20, Some(21)), (30, Some(31))],
        );
        assert!((mean(&found) - (121.0 - 100.0 + 100.0 - 1.0) / 2.0 / 10.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_arrives_and_the_age_is_that_of_the_flow() {
        let found = age(0, &[(5, None), (15, None), (25, None)]);
        assert!((mean(&found) - 10.0).abs() < 1e-9);
        assert_eq!(found.longest(), Some(Duration::from_secs(20)));
    }

    #[test]
    fn one_message_has_no_age_and_neither_has_a_flow_of_the_warm_up() {
        assert_eq!(age(0, &[(5, Some(6))]).mean(), None);
        assert_eq!(age(100, &[(5, Some(6)), (95, Some(96))]).mean(), None);
        assert_eq!(AgeSums::default().mean(), None);
    }

    #[test]
    fn times_of_a_year_do_not_overflow() {
        let year = 365 * 86_400;
        let mut sums = AgeSums::default();
        for _ in 0..100_000 {
            sums.add(&age(0, &[(0, None), (year, None)]));
        }
        assert!((mean(&sums) / (year as f64 / 2.0) - 1.0).abs() < 1e-9);
    }
}
