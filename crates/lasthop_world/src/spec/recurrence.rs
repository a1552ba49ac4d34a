use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::{EventSpec, RunSpec, SpecError, nanos};
use crate::spec::check::demand;

/// The recurrence of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RecurrenceSpec {
    /// Periodic events: the first at the event's time, then one in each interval.
    Periodic {
        /// The interval, in nanoseconds.
        every_ns: u64,
        /// The end of the recurrence (exclusive), since the start of the run.
        until_ns: u64,
        /// Whether each device has times of its own: its first one is drawn within an interval.
        #[serde(default, skip_serializing_if = "is_shared")]
        own: bool,
    },
    /// A Poisson process of events, from the event's time on.
    Poisson {
        /// The mean interval between events, in nanoseconds.
        mean_ns: u64,
        /// The end of the recurrence (exclusive), since the start of the run.
        until_ns: u64,
        /// Whether each device has a process of its own.
        #[serde(default, skip_serializing_if = "is_shared")]
        own: bool,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_shared(own: &bool) -> bool {
    !*own
}

/// More than this is traffic.
const MAX_TIMES: u64 = 10_000;

impl RecurrenceSpec {
    const fn spans(self) -> (u64, u64) {
        match self {
            Self::Periodic {
                every_ns, until_ns, ..
            } => (every_ns, until_ns),
            Self::Poisson {
                mean_ns, until_ns, ..
            } => (mean_ns, until_ns),
        }
    }

    /// Whether each device has times of its own.
    pub(crate) const fn is_own(self) -> bool {
        let (Self::Periodic { own, .. } | Self::Poisson { own, .. }) = self;
        own
    }

    /// Whether it has an end, and a bounded number of times before it.
    pub(super) fn check(self, at_ns: u64, field: &str, spec: &RunSpec) -> Result<(), SpecError> {
        let (every_ns, until_ns) = self.spans();
        demand(&[
            (every_ns > 0, field, "an interval between events is above 0"),
            (until_ns > at_ns, field, "it ends before it begins"),
            (
                until_ns <= spec.latest_end_ns(),
                field,
                "it goes on after the end of the run",
            ),
        ])?;
        demand(&[(
            (until_ns - at_ns) / every_ns < MAX_TIMES,
            field,
            "it comes more than 10000 times",
        )])
    }
}

impl EventSpec {
    /// The instants at which it happens, in order. `name` is that of its random streams.
    pub(crate) fn instants(&self, seed: u64, name: &str) -> Vec<Instant> {
        let at = Instant::ZERO + nanos(self.at_ns);
        match self.again {
            None => vec![at],
            Some(RecurrenceSpec::Periodic {
                every_ns,
                until_ns,
                own,
            }) => {
                let mut stream = RandomStream::named(seed, format_args!("{name}/when"));
                let later = match own {
                    true => stream.uniform(Duration::ZERO, nanos(every_ns)).as_nanos(),
                    false => 0,
                };
                (self.at_ns + later..until_ns)
                    .step_by(every_ns as usize)
                    .map(|ns| Instant::ZERO + nanos(ns))
                    .collect()
            }
            Some(RecurrenceSpec::Poisson {
                mean_ns, until_ns, ..
            }) => {
                let mut stream = RandomStream::named(seed, format_args!("{name}/when"));
                let end = Instant::ZERO + nanos(until_ns);
                let next = |from: Instant| from + stream.exponential(nanos(mean_ns));
                let mut next = next;
                let first = next(at);
                core::iter::successors(Some(first), |before| Some(next(*before)))
                    .take_while(|at| *at < end)
                    .collect()
            }
        }
    }
}
