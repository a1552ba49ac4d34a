use std::sync::Arc;

use lasthop_units::{Duration, Instant};

use crate::ConfigError;

/// A time in which nothing passes, once or again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    start: Instant,
    duration: Duration,
    every: Option<Duration>,
}

impl Outage {
    /// An outage from `start`, that comes back `every` so often.
    ///
    /// # Errors
    /// [`ConfigError::OutageOverlapsItself`] when it would come back before it is over.
    pub fn new(
        start: Instant,
        duration: Duration,
        every: Option<Duration>,
    ) -> Result<Self, ConfigError> {
        if every.is_some_and(|every| every <= duration) {
            return Err(ConfigError::OutageOverlapsItself);
        }
        Ok(Self {
            start,
            duration,
            every,
        })
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

/// All outages of a direction; they may overlap each other. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutageSchedule(Arc<[Outage]>);

impl OutageSchedule {
    /// These outages.
    #[must_use]
    pub fn new(outages: impl IntoIterator<Item = Outage>) -> Self {
        Self(outages.into_iter().collect())
    }

    /// Whether there is no outage at all.
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
