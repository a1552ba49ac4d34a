use core::fmt;
use core::num::NonZeroU64;
use core::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

use crate::Duration;

/// A point in time: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct Instant {
    /// One above the nanoseconds, so that a deadline that may be absent takes no more memory than one.
    nanos_and_one: NonZeroU64,
}

const _: () = assert!(size_of::<Option<Instant>>() == size_of::<Instant>());

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self::from_nanos(0);
    /// An instant later than the end of any run.
    pub const FAR_FUTURE: Self = Self::from_nanos(u64::MAX);

    /// Creates the instant this many nanoseconds after the start of the run, at most [`Instant::FAR_FUTURE`].
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self {
            nanos_and_one: NonZeroU64::MIN.saturating_add(nanos),
        }
    }

    /// Nanoseconds since the start of the run.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.nanos_and_one.get() - 1
    }

    /// Seconds since the start of the run.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.since_start().as_secs_f64()
    }

    /// The span since the start of the run.
    #[must_use]
    pub const fn since_start(self) -> Duration {
        Duration::from_nanos(self.as_nanos())
    }
}

impl Default for Instant {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<u64> for Instant {
    fn from(nanos: u64) -> Self {
        Self::from_nanos(nanos)
    }
}

impl From<Instant> for u64 {
    fn from(instant: Instant) -> Self {
        instant.as_nanos()
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self {
            nanos_and_one: self.nanos_and_one.saturating_add(span.as_nanos()),
        }
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
        Duration::from_nanos(self.as_nanos().saturating_sub(earlier.as_nanos()))
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.as_secs_f64())
    }
}
