use std::sync::Arc;

use lasthop_units::{Duration, Instant};

use crate::ConfigError;

/// Delays as they were recorded: a packet takes the delay of the moment at which it sets out. Cheap to clone.
///
/// Each point holds until the next. The last holds for ever, or until the trace repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    points: Arc<[TracePoint]>,
    period: Option<Duration>,
}

/// The delay from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracePoint {
    /// Since the start of the run, or of the repetition.
    pub from: Duration,
    /// The delay.
    pub delay: Duration,
}

impl Trace {
    /// A trace of points, repeated by a period where one is given.
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
