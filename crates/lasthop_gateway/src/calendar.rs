use core::fmt::Debug;

use lasthop_units::{Duration, Instant};

use crate::{GatewayEvent, Journal, UnixTime};

/// A calendar clock, which an administrator can set.
///
/// A gateway uses it for the times in tokens and logs. Durations come from the instants that the gateway is given.
pub trait Calendar: Debug {
    /// Returns the time since 1970-01-01 00:00 UTC at the current instant.
    fn at(&self, now: Instant) -> Duration;
}

/// A calendar clock that is never set, as in a simulated run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SteadyCalendar {
    /// The calendar time at instant 0.
    pub(crate) starts: UnixTime,
}

impl Calendar for SteadyCalendar {
    fn at(&self, now: Instant) -> Duration {
        Duration::from_secs(self.starts.0) + now.since_start()
    }
}

/// Detects that the calendar clock was set.
#[derive(Debug, Default)]
pub(crate) struct ClockWatch {
    /// By how many seconds the calendar was ahead of the instants when it was looked at last.
    ahead: Option<i64>,
}

/// What a clock may have drifted by, or been corrected by bit by bit, since it was looked at last.
const DRIFT_S: u64 = 60;

impl ClockWatch {
    /// Compares the calendar with the run's time, and logs a jump.
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
