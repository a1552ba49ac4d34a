use core::fmt;
use core::ops::{Add, AddAssign, Sub};

use crate::Duration;

/// A point in time: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// A point that no run reaches.
    pub const FAR_FUTURE: Self = Self(u64::MAX);

    /// The point this many nanoseconds after the start of the run.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start of the run.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start of the run.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.since_start().as_secs_f64()
    }

    /// The span since the start of the run.
    #[must_use]
    pub const fn since_start(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.as_nanos()))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

/// The span from the later operand back to the earlier one; zero when they are the other way round.
impl Sub for Instant {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.as_secs_f64())
    }
}
