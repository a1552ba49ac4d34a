use core::sync::atomic::{AtomicBool, Ordering};
use std::cell::OnceCell;
use std::io;
use std::rc::Rc;

use lasthop_contract::{Advance, Clock};
use lasthop_units::{Duration, Instant};

use crate::{Poller, WallClock, WallTime};

/// A wall clock for a single run. It starts with the first deadline and stops when a flag is set.
#[derive(Debug)]
pub struct InterruptibleClock<'a> {
    poller: Rc<Poller>,
    clock: OnceCell<WallClock>,
    interrupt: &'a AtomicBool,
}

/// How long an interrupt is not looked for.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

impl<'a> InterruptibleClock<'a> {
    /// Creates a clock that has not started.
    ///
    /// # Errors
    /// When the kernel gives nothing to wait by.
    pub fn new(interrupt: &'a AtomicBool) -> io::Result<Self> {
        Ok(Self::waiting_by(Poller::new()?, interrupt))
    }

    /// Creates a clock that waits with the given poller.
    #[must_use]
    pub fn waiting_by(poller: Rc<Poller>, interrupt: &'a AtomicBool) -> Self {
        Self {
            poller,
            clock: OnceCell::new(),
            interrupt,
        }
    }

    /// Creates a clock for a time that has already started.
    #[must_use]
    pub fn in_time(time: WallTime, poller: Rc<Poller>, interrupt: &'a AtomicBool) -> Self {
        let clock = OnceCell::from(WallClock::new(time, Rc::clone(&poller)));
        Self {
            clock,
            ..Self::waiting_by(poller, interrupt)
        }
    }
}

impl Clock for InterruptibleClock<'_> {
    fn advance_to(&mut self, deadline: Instant) -> Advance {
        self.clock.get_or_init(|| {
            // What was built before took its time.
            WallClock::new(WallTime::starting_now(), Rc::clone(&self.poller))
        });
        let Some(clock) = self.clock.get_mut() else {
            return Advance::Stopped;
        };
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return Advance::Stopped;
            }
            let step = clock.now() + LONGEST_WAIT;
            if deadline <= step {
                return clock.advance_to(deadline);
            }
            match clock.advance_to(step) {
                Advance::OnTime | Advance::Late(_) => {}
                outside => return outside,
            }
        }
    }

    /// It waits to the end even where nothing is left to do, as everything does that is not simulated.
    fn accepts_external_input(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_the_first_deadline() {
        let never = AtomicBool::new(false);
        let mut clock = InterruptibleClock::new(&never).unwrap();
        let told = clock.advance_to(Instant::ZERO + LONGEST_WAIT * 3);
        assert!(matches!(told, Advance::OnTime | Advance::Late(_)));
        assert!(clock.clock.get().unwrap().now() >= Instant::ZERO + LONGEST_WAIT * 3);
    }

    #[test]
    fn an_interrupt_ends_a_wait_that_would_not_end() {
        let soon = AtomicBool::new(true);
        let mut clock = InterruptibleClock::new(&soon).unwrap();
        assert_eq!(clock.advance_to(Instant::FAR_FUTURE), Advance::Stopped);
    }
}
