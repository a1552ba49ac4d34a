use core::fmt::Debug;

use lasthop_units::{Duration, Instant};

use crate::{GatewayEvent, Journal, UnixTime};

/// The calendar time of a clock that can be set.
///
/// A gateway uses it for the times in tokens and logs. Durations come from the instants that the gateway is given.
pub trait Calendar: Debug {
    /// The time since 1970-01-01 00:00 UTC, at an instant that is now.
    fn at(&self, now: Instant) -> Duration;
}

/// A clock that nobody sets, as that of a run in virtual time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SteadyCalendar {
    /// What time it is at the instant 0.
    pub(crate) starts: UnixTime,
}

impl Calendar for SteadyCalendar {
    fn at(&self, now: Instant) -> Duration {
        Duration::from_secs(self.starts.0) + now.since_start()
    }
}

/// Notices that a clock was set.
#[derive(Debug, Default)]
pub(crate) struct ClockWatch {
    /// By how many seconds the calendar was ahead of the instants when it was looked at last.
    ahead: Option<i64>,
}

/// What a clock may have drifted by, or been corrected by bit by bit, since it was looked at last.
const DRIFT_S: u64 = 60;

impl ClockWatch {
    /// Looks at the calendar, and writes down that it was set.
    pub(crate) fn look(
        &mut self,
        now: Instant,
        calendar: &dyn Calendar,
        journal: Option<&mut (dyn Journal + 'static)>,
    ) {
        let seconds = |nanos: u64| (nanos / 1_000_000_000) as i64;
        let ahead = seconds(calendar.at(now).as_nanos()) - seconds(now.as_nanos());
        let before = self.ahead.replace(ahead).unwrap_or(ahead);
        let by = ahead - before;
        if by.unsigned_abs() > DRIFT_S
            && let Some(journal) = journal
        {
            journal.tell(&GatewayEvent::ClockWasSet(by));
        }
    }
}
