use lasthop_gateway::Calendar;
use lasthop_units::{Duration, Instant};
use rustix::time::{ClockId, clock_gettime};

/// The machine's monotonic time.
#[derive(Clone, Copy, Debug)]
pub struct WallTime {
    /// The nanoseconds since the machine's start that count as the instant 0.
    origin: u64,
}

/// The machine's calendar time, which follows adjustments of the system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallCalendar;

const NANOS_A_SECOND: u64 = 1_000_000_000;

impl WallTime {
    /// Creates a time base that starts now.
    #[must_use]
    pub fn starting_now() -> Self {
        Self {
            origin: since_start_of_machine(),
        }
    }

    /// Creates a time base that starts with the machine, so that programs on the same machine agree on it.
    #[must_use]
    pub const fn of_the_machine() -> Self {
        Self { origin: 0 }
    }

    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Instant {
        Instant::from_nanos(since_start_of_machine().saturating_sub(self.origin))
    }

    /// Returns the calendar time since 1970-01-01 00:00 UTC.
    #[must_use]
    pub fn calendar_now() -> Duration {
        let time = clock_gettime(ClockId::Realtime);
        Duration::from_nanos(time.tv_sec as u64 * NANOS_A_SECOND + time.tv_nsec as u64)
    }
}

impl Calendar for WallCalendar {
    fn at(&self, _now: Instant) -> Duration {
        WallTime::calendar_now()
    }
}

fn since_start_of_machine() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    // Both are above 0: the clock began with the machine.
    time.tv_sec as u64 * NANOS_A_SECOND + time.tv_nsec as u64
}
