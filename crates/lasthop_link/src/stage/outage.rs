use std::sync::Arc;

use lasthop_units::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::ConfigError;
use crate::config::read_checked;

/// An outage: a period in which no packet passes, once or recurring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Outage {
    #[serde(rename = "start_ns")]
    start: Instant,
    #[serde(rename = "duration_ns")]
    duration: Duration,
    #[serde(rename = "every_ns")]
    every: Option<Duration>,
}

read_checked!(Outage);

impl Outage {
    /// Creates an outage that begins at `start` and, with `every`, recurs at this interval.
    ///
    /// # Errors
    /// [`ConfigError::OutageOverlapsItself`] when it would come back before it is over.
    pub fn new(
        start: Instant,
        duration: Duration,
        every: Option<Duration>,
    ) -> Result<Self, ConfigError> {
        let outage = Self {
            start,
            duration,
            every,
        };
        outage.checked()
    }

    fn checked(self) -> Result<Self, ConfigError> {
        if self.every.is_some_and(|every| every <= self.duration) {
            return Err(ConfigError::OutageOverlapsItself);
        }
        Ok(self)
    }

    fn covers(&self, at: Instant) -> bool {
        if at < self.start {
            return false;
        }
        let since = (at - self.start).as_nanos();
        let into = match self.every {
            Some(every) => since % every.as_nanos(),
            None => since,
        };
        into < self.duration.as_nanos()
    }
}

/// All outages of a direction, which can overlap. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Outage>", into = "Vec<Outage>")]
pub struct OutageSchedule(Arc<[Outage]>);

impl OutageSchedule {
    /// Creates a schedule from outages.
    #[must_use]
    pub fn new(outages: impl IntoIterator<Item = Outage>) -> Self {
        Self(outages.into_iter().collect())
    }

    /// Whether there are no outages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an outage covers an instant. An outage covers its start but not its end.
    #[must_use]
    pub fn covers(&self, at: Instant) -> bool {
        self.0.iter().any(|outage| outage.covers(at))
    }
}

impl From<Vec<Outage>> for OutageSchedule {
    fn from(outages: Vec<Outage>) -> Self {
        Self(outages.into())
    }
}

impl From<OutageSchedule> for Vec<Outage> {
    fn from(schedule: OutageSchedule) -> Self {
        schedule.0.to_vec()
    }
}
