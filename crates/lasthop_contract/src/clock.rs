use lasthop_units::{Duration, Instant};

/// Where the time of a run comes from: virtual clocks jump, wall clocks wait.
pub trait Clock {
    /// Returns when `deadline` has come, or earlier when something comes from outside of the run.
    fn advance_to(&mut self, deadline: Instant) -> Advance;

    /// Whether something may come from outside while no machine waits for anything.
    fn accepts_external_input(&self) -> bool {
        false
    }
}

/// What ended a wait. Lateness is data: a run that is too late is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The deadline came, to the nanosecond.
    OnTime,
    /// The deadline came late by this much.
    Late(Duration),
    /// Something came from outside, at this instant.
    Arrived(Instant),
    /// The run is to end: somebody asks for it, or the outside is gone.
    Stopped,
}
