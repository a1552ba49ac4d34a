use std::rc::Rc;

use lasthop_contract::{Advance, Clock};
use lasthop_units::{Duration, Instant};
use rustix::thread::nanosleep;
use rustix::time::Timespec;

use crate::{Poller, WallTime};

/// The wall clock, which waits for deadlines and for external input. Its precision is that of the kernel's timers and
/// scheduler; [`Advance::Late`] reports the rest.
#[derive(Debug)]
pub struct WallClock {
    time: WallTime,
    poller: Rc<Poller>,
    /// How long before a deadline it no longer sleeps: who sleeps wakes up late.
    awake: Duration,
    /// How long what comes is gathered while much comes.
    gathers: Duration,
    /// When something came from outside: last, and the time before.
    came_at: [Instant; 2],
    /// Deadlines that were served late in a row, without a look outside.
    overdue: u32,
}

/// How many deadlines that are overdue come before a look outside: neither is to starve the other. What comes is of now,
/// and what was due before comes first, so these are as many as are often due at once.
const OVERDUE_A_TURN: u32 = 256;

const NANOS_A_SECOND: u64 = 1_000_000_000;

/// No wait is longer, so that the kernel's milliseconds do not overflow.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

impl WallClock {
    /// Creates a clock that waits with this poller.
    #[must_use]
    pub fn new(time: WallTime, poller: Rc<Poller>) -> Self {
        Self {
            time,
            poller,
            awake: Duration::ZERO,
            gathers: Duration::ZERO,
            came_at: [Instant::ZERO; 2],
            overdue: 0,
        }
    }

    /// Makes the clock busy-wait for this span before each deadline, at the cost of a processor.
    #[must_use]
    pub fn awake_before(self, awake: Duration) -> Self {
        Self { awake, ..self }
    }

    /// Makes external input that follows other input wait for this span, so that several messages share one wake-up.
    /// Isolated input is processed at once.
    #[must_use]
    pub fn gathering(self, gathers: Duration) -> Self {
        Self { gathers, ..self }
    }

    /// Returns the relation between the times of the run and the wall clock.
    #[must_use]
    pub const fn time(&self) -> WallTime {
        self.time
    }

    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.time.now()
    }

    /// Sleeps where much has come lately; for how long at most.
    fn gather(&self, now: Instant, longest: Duration) -> Duration {
        let [last, before] = self.came_at;
        let is_busy = before > Instant::ZERO && last - before < self.gathers + self.gathers;
        let rest = ((last + self.gathers) - now).min(longest);
        if !is_busy || rest == Duration::ZERO {
            return Duration::ZERO;
        }
        let nap = Timespec {
            tv_sec: 0,
            tv_nsec: rest.as_nanos().min(NANOS_A_SECOND - 1) as i64,
        };
        // A signal ends it early, which costs nothing.
        let _ = nanosleep(&nap);
        rest
    }

    /// Notes that something came.
    fn note_arrival(&mut self) {
        if self.gathers > Duration::ZERO {
            self.came_at = [self.time.now(), self.came_at[0]];
        }
    }

    /// Waits for what comes from outside, at most for this long; whether something came.
    fn wait(&self, longest: Duration) -> bool {
        self.poller
            .wait(Some(longest.min(LONGEST_WAIT)))
            .unwrap_or_else(|error| {
                self.poller.fail(error);
                false
            })
    }

    /// What came, if something did.
    fn outside(&self, has_come: bool) -> Option<Advance> {
        if self.poller.take_stop() {
            return Some(Advance::Stopped);
        }
        has_come.then(|| Advance::Arrived(self.time.now()))
    }
}

impl Clock for WallClock {
    fn advance_to(&mut self, deadline: Instant) -> Advance {
        loop {
            let now = self.time.now();
            let (is_due, late) = (deadline <= now, now - deadline);
            let must_look = !is_due || self.overdue >= OVERDUE_A_TURN;
            if must_look {
                self.overdue = 0;
                // Both are zero where they would be below.
                let longest = (deadline - now) - self.awake;
                let longest = longest - self.gather(now, longest);
                let has_come = self.wait(longest);
                if has_come {
                    self.note_arrival();
                }
                if let Some(outside) = self.outside(has_come) {
                    return outside;
                }
            } else {
                self.overdue += 1;
            }
            if is_due {
                return match late {
                    Duration::ZERO => Advance::OnTime,
                    late => Advance::Late(late),
                };
            }
        }
    }

    fn accepts_external_input(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    fn clock() -> (WallTime, Rc<Poller>, WallClock) {
        let (time, poller) = (WallTime::starting_now(), Poller::new().unwrap());
        let clock = WallClock::new(time, Rc::clone(&poller));
        (time, poller, clock)
    }

    fn pair() -> (OwnedFd, OwnedFd) {
        let flags = SocketFlags::NONBLOCK;
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap()
    }

    #[test]
    fn a_deadline_has_come_when_it_returns() {
        let (time, _, mut clock) = clock();
        for wait in [1, 2, 5] {
            let deadline = time.now() + Duration::from_millis(wait);
            let told = clock.advance_to(deadline);
            assert!(time.now() >= deadline);
            assert!(matches!(told, Advance::OnTime | Advance::Late(_)));
        }
    }

    #[test]
    fn a_deadline_of_the_past_is_late_by_what_has_passed_since() {
        let mut clock = WallClock::new(WallTime::of_the_machine(), Poller::new().unwrap());
        let deadline = Instant::ZERO + Duration::from_nanos(1);
        let Advance::Late(by) = clock.advance_to(deadline) else {
            panic!("the machine has run for more than a nanosecond");
        };
        assert!(deadline + by <= WallTime::of_the_machine().now());
    }

    #[test]
    fn what_comes_from_outside_ends_a_wait_and_deadlines_do_not_starve_it() {
        let (_, poller, mut clock) = clock();
        let (near, far) = pair();
        let lane = poller.lane();
        lane.watch(&near, 7, Interest::Readable).unwrap();
        rustix::io::write(&far, b"x").unwrap();
        assert!(matches!(
            clock.advance_to(Instant::FAR_FUTURE),
            Advance::Arrived(_)
        ));
        assert_eq!(lane.next_ready().unwrap().token, 7);
        let told: Vec<_> = (0..=OVERDUE_A_TURN)
            .map(|_| clock.advance_to(Instant::ZERO))
            .collect();
        let arrivals = told
            .iter()
            .filter(|told| matches!(told, Advance::Arrived(_)));
        assert_eq!(arrivals.count(), 1);
    }

    #[test]
    fn a_descriptor_that_is_to_stop_it_does() {
        let (_, poller, mut clock) = clock();
        let (near, far) = pair();
        poller.stop_by(&near).unwrap();
        drop(far);
        assert_eq!(clock.advance_to(Instant::FAR_FUTURE), Advance::Stopped);
    }

    #[test]
    fn much_that_comes_is_taken_together_and_what_comes_alone_at_once() {
        let (time, poller, clock) = clock();
        let gathers = Duration::from_millis(500);
        let mut clock = clock.gathering(gathers);
        let (near, far) = pair();
        let lane = poller.lane();
        lane.watch(&near, 7, Interest::Readable).unwrap();
        rustix::io::write(&far, b"x").unwrap();
        let begins = time.now();
        for gathered in [Duration::ZERO, Duration::ZERO, gathers] {
            let longest = Duration::from_secs(1);
            let at_last = clock.came_at[0];
            assert_eq!(clock.gather(at_last, longest), gathered);
            // A deadline that comes sooner is kept.
            let soon = Duration::from_millis(1);
            assert_eq!(clock.gather(at_last, soon), gathered.min(soon));
            // Nobody reads it, so that there is always something.
            assert!(matches!(
                clock.advance_to(Instant::FAR_FUTURE),
                Advance::Arrived(_)
            ));
        }
        assert!(time.now() - begins >= gathers);
    }

    use crate::poller::Interest;
}
