use std::io;

use lasthop_contract::{Advance, Clock};
use lasthop_units::{Duration, Instant};
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;
use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, clock_gettime};

/// The time of the host, by its monotonic clock. Waiting is precise to what the kernel's high resolution timers
/// and its scheduler give; [`Advance::Late`] tells what they did not.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// The nanoseconds since the host's start that count as the instant 0.
    origin: u64,
}

const NANOS_A_SECOND: u64 = 1_000_000_000;

impl WallClock {
    /// A clock that begins now.
    #[must_use]
    pub fn starting_now() -> Self {
        Self {
            origin: since_start_of_host(),
        }
    }

    /// A clock that began with the host, so that programs which run side by side agree on it.
    #[must_use]
    pub const fn of_the_host() -> Self {
        Self { origin: 0 }
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Instant {
        Instant::from_nanos(since_start_of_host().saturating_sub(self.origin))
    }

    /// Returns when one of the descriptors is ready or the deadline has come, whichever is first.
    ///
    /// # Errors
    /// When the descriptors cannot be waited for.
    pub fn wait(&self, ready: &mut [PollFd<'_>], deadline: Option<Instant>) -> io::Result<()> {
        let timeout = deadline.map(|at| timespec((at - self.now()).as_nanos()));
        match poll(ready, timeout.as_ref()) {
            // A signal only makes the caller look sooner.
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Clock for WallClock {
    fn advance_to(&mut self, deadline: Instant) -> Advance {
        let late = self.now() - deadline;
        if late > Duration::ZERO {
            return Advance::Late(late);
        }
        let at = timespec(self.origin.saturating_add(deadline.as_nanos()));
        while let Err(Errno::INTR) = clock_nanosleep_absolute(ClockId::Monotonic, &at) {}
        match self.now() - deadline {
            Duration::ZERO => Advance::OnTime,
            late => Advance::Late(late),
        }
    }
}

fn since_start_of_host() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    // Both are above 0: the clock began with the host.
    time.tv_sec as u64 * NANOS_A_SECOND + time.tv_nsec as u64
}

fn timespec(nanos: u64) -> Timespec {
    Timespec {
        tv_sec: (nanos / NANOS_A_SECOND) as i64,
        tv_nsec: (nanos % NANOS_A_SECOND) as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_has_come_when_it_returns() {
        let mut clock = WallClock::starting_now();
        let deadline = clock.now() + Duration::from_millis(2);
        let told = clock.advance_to(deadline);
        assert!(clock.now() >= deadline);
        assert!(matches!(told, Advance::OnTime | Advance::Late(_)));
    }

    #[test]
    fn a_deadline_of_the_past_is_late_by_what_has_passed_since() {
        let mut clock = WallClock::of_the_host();
        let deadline = Instant::ZERO + Duration::from_nanos(1);
        let Advance::Late(by) = clock.advance_to(deadline) else {
            panic!("the host has run for more than a nanosecond");
        };
        assert!(deadline + by <= clock.now());
    }
}
