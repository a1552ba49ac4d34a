use lasthop_units::{Duration, Instant};

/// The source of a run's time. A virtual clock jumps to the deadline; a wall clock waits for it.
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
    /// The clock reached the deadline exactly, to the nanosecond.
    OnTime,
    /// The clock passed the deadline by this much.
    Late(Duration),
    /// External input arrived at this instant.
    Arrived(Instant),
    /// The run must end: it was asked to stop, or the external side has closed.
    Stopped,
}
