use lasthop_units::{Duration, Instant};

/// The source of a run's time: virtual clocks jump, wall clocks wait.
pub trait Clock {
    /// Returns at `deadline`, or earlier when external input arrives.
    fn advance_to(&mut self, deadline: Instant) -> Advance;

    /// Whether external input can arrive while every machine is idle.
    fn accepts_external_input(&self) -> bool {
        false
    }
}

/// Why a wait ended.
///
/// Lateness is reported, because a run that is too late is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The deadline came, to the nanosecond.
    OnTime,
    /// The deadline came late by this much.
    Late(Duration),
    /// Something came from outside, at this instant.
    Arrived(Instant),
    /// The run must end: it was asked to stop, or the external side has closed.
    Stopped,
}
