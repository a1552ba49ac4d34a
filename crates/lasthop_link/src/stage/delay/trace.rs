use std::sync::Arc;

use lasthop_units::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// A recorded trace of delays: each packet takes the delay at its time of sending. Cheap to clone.
///
/// Each point holds until the next. The last holds for ever, or until the trace repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Columns", into = "Columns")]
pub struct Trace {
    points: Arc<[TracePoint]>,
    period: Option<Duration>,
}

/// A point of a trace: the delay from a given time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracePoint {
    /// The time since the start of the run or of the repetition.
    pub from: Duration,
    /// The delay from that time on.
    pub delay: Duration,
}

impl Trace {
    /// Creates a trace from its points, repeated with `period` if one is given.
    ///
    /// # Errors
    /// [`ConfigError::TraceTimes`] when the first point is not at zero or a time is not above the one before it;
    /// [`ConfigError::TracePeriod`] when the period is not above the last time.
    pub fn new(
        points: impl IntoIterator<Item = TracePoint>,
        period: Option<Duration>,
    ) -> Result<Self, ConfigError> {
        let points: Arc<[TracePoint]> = points.into_iter().collect();
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return Err(ConfigError::TraceTimes);
        };
        if first.from != Duration::ZERO
            || points.windows(2).any(|pair| pair[0].from >= pair[1].from)
        {
            return Err(ConfigError::TraceTimes);
        }
        if period.is_some_and(|period| period <= last.from) {
            return Err(ConfigError::TracePeriod);
        }
        Ok(Self { points, period })
    }

    pub(super) fn delay_at(&self, at: Instant) -> Duration {
        let since = at.since_start();
        let into = match self.period {
            Some(period) => Duration::from_nanos(since.as_nanos() % period.as_nanos()),
            None => since,
        };
        let after = self.points.partition_point(|point| point.from <= into);
        // The first point is at zero, so that at least one is not after the moment.
        self.points[after - 1].delay
    }
}

/// A trace as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    times_ns: Vec<Duration>,
    delays_ns: Vec<Duration>,
    period_ns: Option<Duration>,
}

impl TryFrom<Columns> for Trace {
    type Error = ConfigError;
    fn try_from(columns: Columns) -> Result<Self, ConfigError> {
        if columns.times_ns.len() != columns.delays_ns.len() {
            return Err(ConfigError::TraceColumns);
        }
        let rows = columns.times_ns.into_iter().zip(columns.delays_ns);
        let points = rows.map(|(from, delay)| TracePoint { from, delay });
        Self::new(points, columns.period_ns)
    }
}

impl From<Trace> for Columns {
    fn from(trace: Trace) -> Self {
        let points = trace.points.iter();
        Self {
            times_ns: points.clone().map(|point| point.from).collect(),
            delays_ns: points.map(|point| point.delay).collect(),
            period_ns: trace.period,
        }
    }
}
