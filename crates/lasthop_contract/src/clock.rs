use lasthop_units::{Duration, Instant};

/// Where the time of a run comes from: virtual clocks jump, wall clocks wait.
pub trait Clock {
    /// Returns when `deadline` has come.
    fn advance_to(&mut self, deadline: Instant) -> Advance;
}

/// How a deadline was met. Lateness is data: a run that is too late is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// To the nanosecond.
    OnTime,
    /// Late by this much.
    Late(Duration),
}
