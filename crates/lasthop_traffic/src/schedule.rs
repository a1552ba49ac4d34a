use core::num::NonZeroU32;

use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Instant};

/// The due times of one flow's messages. Those of a closed loop follow the ends of earlier messages, all others do not
/// depend on them (open loop).
#[derive(Clone, Debug)]
pub struct Schedule {
    due: DueTimes,
    grouping: Grouping,
    left_in_burst: u16,
    next: Instant,
    end: Instant,
    stream: RandomStream,
}

/// How due times follow each other. A closed loop has its state elsewhere: a schedule of any other kind takes no room for it.
#[derive(Clone, Debug)]
enum DueTimes {
    Periodic { every: Duration },
    Poisson { mean: Duration },
    Paused(Box<ClosedLoop>),
}

/// The state of a closed loop.
#[derive(Clone, Debug)]
struct ClosedLoop {
    pausing: Pausing,
    begins: Instant,
    waiting: Option<Waiting>,
}

/// A message of a closed loop that has not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) number: NonZeroU32,
    /// When it is given up.
    pub(crate) until: Instant,
}

impl DueTimes {
    fn of(arrivals: Arrivals, begins: Instant) -> Self {
        match arrivals {
            Arrivals::Periodic { every } => Self::Periodic { every },
            Arrivals::Poisson { mean } => Self::Poisson { mean },
            Arrivals::Paused(pausing) => Self::Paused(Box::new(ClosedLoop {
                pausing,
                begins,
                waiting: None,
            })),
        }
    }
}

/// How arrivals are grouped into messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// The number of messages at each arrival.
    pub burst: u16,
    /// The number of arrivals that are collected in one message, which is due at the last of them.
    pub batch: u16,
}

/// An arrival process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Periodic arrivals, the first at the start.
    Periodic {
        /// The interval between arrivals.
        every: Duration,
    },
    /// A Poisson process: independent, exponentially distributed intervals.
    Poisson {
        /// The mean interval between arrivals.
        mean: Duration,
    },
    /// A closed loop: each message is due a time after the last one has ended.
    Paused(Pausing),
}

/// How a closed loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pausing {
    /// The time from the end of a message to the next one.
    pub pause: Duration,
    /// The time from a message until its sender no longer waits for an answer.
    pub give_up: Duration,
    /// The maximum number of messages.
    pub messages: u32,
}

impl Schedule {
    /// Creates the schedule of arrivals from `start` (inclusive) to `end` (exclusive).
    #[must_use]
    pub fn new(
        arrivals: Arrivals,
        grouping: Grouping,
        start: Instant,
        end: Instant,
        stream: RandomStream,
    ) -> Self {
        let mut schedule = Self {
            due: DueTimes::of(arrivals, start),
            grouping,
            left_in_burst: grouping.burst,
            next: start,
            end,
            stream,
        };
        let first = u16::from(matches!(arrivals, Arrivals::Periodic { .. }));
        schedule.pass(grouping.batch.saturating_sub(first));
        schedule
    }

    /// Returns when the next message is due, or `None` after the last one.
    #[must_use]
    pub fn next_due(&self) -> Option<Instant> {
        (self.next < self.end && self.grouping.burst > 0).then_some(self.next)
    }

    /// When arrivals end.
    pub(crate) const fn end(&self) -> Instant {
        self.end
    }

    /// Advances to the next message.
    pub fn advance(&mut self) {
        self.left_in_burst = self.left_in_burst.saturating_sub(1);
        if self.left_in_burst == 0 {
            self.left_in_burst = self.grouping.burst;
            self.pass(self.grouping.batch);
        }
    }

    /// How the flow goes on, if it is a closed loop.
    pub(crate) fn pausing(&self) -> Option<Pausing> {
        match &self.due {
            DueTimes::Paused(state) => Some(state.pausing),
            DueTimes::Periodic { .. } | DueTimes::Poisson { .. } => None,
        }
    }

    /// The message whose end a closed loop waits for.
    pub(crate) fn waiting(&self) -> Option<Waiting> {
        match &self.due {
            DueTimes::Paused(state) => state.waiting,
            DueTimes::Periodic { .. } | DueTimes::Poisson { .. } => None,
        }
    }

    /// A closed loop waits for the end of this message; any other schedule waits for none.
    pub(crate) fn wait_for(&mut self, waiting: Option<Waiting>) {
        if let DueTimes::Paused(state) = &mut self.due {
            state.waiting = waiting;
        }
    }

    /// A closed loop begins again, at once or when arrivals begin; any other schedule goes on.
    pub(crate) fn begin_again(&mut self, now: Instant) {
        if let DueTimes::Paused(state) = &mut self.due {
            state.waiting = None;
            self.next = now.max(state.begins);
        }
    }

    /// The next message of a closed loop is due then.
    pub(crate) const fn go_on_at(&mut self, at: Instant) {
        self.next = at;
    }

    /// Arrivals that wait for others are forgotten: those from now on make the next message.
    pub(crate) fn begin_bundle(&mut self, now: Instant) {
        let (batch, waiting) = (self.grouping.batch, self.next);
        if batch <= 1 || waiting < now {
            return;
        }
        match &self.due {
            DueTimes::Periodic { every } => {
                let left = (waiting - now).as_nanos() / every.as_nanos().max(1);
                let missing = u64::from(batch - 1).saturating_sub(left);
                self.next += *every * missing;
            }
            DueTimes::Poisson { .. } => {
                self.next = now;
                self.pass(batch);
            }
            DueTimes::Paused(_) => {}
        }
    }

    /// Goes on by so many arrivals.
    fn pass(&mut self, arrivals: u16) {
        match &self.due {
            DueTimes::Periodic { every } => self.next += *every * u64::from(arrivals),
            DueTimes::Poisson { mean } => {
                for _ in 0..arrivals {
                    self.next += self.stream.exponential(*mean);
                }
            }
            DueTimes::Paused(_) => {}
        }
    }
}

impl Iterator for Schedule {
    type Item = Instant;

    fn next(&mut self) -> Option<Instant> {
        let due = self.next_due()?;
        self.advance();
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(arrivals: Arrivals, burst: u16, seconds: u64) -> Schedule {
        let end = Instant::ZERO + Duration::from_secs(seconds);
        let stream = RandomStream::named(5, "arrivals");
        let grouping = Grouping { burst, batch: 1 };
        Schedule::new(arrivals, grouping, Instant::ZERO, end, stream)
    }

    #[test]
    fn what_is_bundled_is_due_with_its_last_part() {
        let due = |arrivals: Arrivals, batch| {
            let end = Instant::ZERO + Duration::from_secs(10);
            let stream = RandomStream::named(5, "arrivals");
            let grouping = Grouping { burst: 1, batch };
            let all = Schedule::new(arrivals, grouping, Instant::ZERO, end, stream);
            all.map(Instant::as_nanos).collect::<Vec<_>>()
        };
        let every = Duration::from_secs(1);
        // Readings at 0, 1, ... 9 s; the tenth waits for others that do not come.
        let seconds = [2, 5, 8].map(|second| second * 1_000_000_000);
        assert_eq!(due(Arrivals::Periodic { every }, 3), seconds);
        let mut cut = Schedule::new(
            Arrivals::Periodic { every },
            Grouping { burst: 1, batch: 3 },
            Instant::ZERO,
            Instant::ZERO + Duration::from_secs(20),
            RandomStream::named(5, "arrivals"),
        );
        cut.advance();
        // That of 3 s is forgotten: those of 4, 5 and 6 s go together.
        cut.begin_bundle(Instant::ZERO + Duration::from_millis(3_500));
        let second = |at: Option<Instant>| at.map(|at| at.as_nanos() / 1_000_000_000);
        assert_eq!(second(cut.next_due()), Some(6));
        cut.begin_bundle(Instant::ZERO + Duration::from_millis(4_000));
        assert_eq!(
            second(cut.next_due()),
            Some(6),
            "all of them are still to come"
        );
        let law = Arrivals::Poisson {
            mean: Duration::from_millis(100),
        };
        let (single, bundled) = (due(law, 1), due(law, 4));
        assert_eq!(bundled.len(), single.len() / 4);
        assert!(bundled.iter().eq(single.iter().skip(3).step_by(4)));
    }

    #[test]
    fn a_period_gives_the_papers_2400_messages() {
        let every = Duration::from_millis(250);
        assert_eq!(schedule(Arrivals::Periodic { every }, 1, 600).count(), 2400);
    }

    #[test]
    fn a_burst_is_due_at_one_instant() {
        let every = Duration::from_secs(1);
        let due: Vec<u64> = schedule(Arrivals::Periodic { every }, 3, 2)
            .map(|at| at.as_nanos() / 1_000_000_000)
            .collect();
        assert_eq!(due, [0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn poisson_counts_have_the_mean_and_the_variance_of_their_law() {
        // 1,000 windows of mean 100: the mean of the counts has a standard error of 0.32, their variance one
        // of 4.5; the bounds are four of each.
        let mean = Duration::from_millis(10);
        let mut counts = vec![0_u32; 1000];
        for at in schedule(Arrivals::Poisson { mean }, 1, 1000) {
            counts[(at.as_nanos() / 1_000_000_000) as usize] += 1;
        }
        let average = counts.iter().map(|n| f64::from(*n)).sum::<f64>() / 1000.0;
        let variance = counts
            .iter()
            .map(|n| f64::from(*n) - average)
            .map(|difference| difference * difference)
            .sum::<f64>()
            / 999.0;
        assert!((average - 100.0).abs() < 1.3, "{average}");
        assert!((variance - 100.0).abs() < 18.0, "{variance}");
    }
}
