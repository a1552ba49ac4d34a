use core::ops::{Add, AddAssign, Sub};

use lasthop_units::{Duration, Instant};

/// A subframe of 1 ms, counted from the start of the run. The run starts with system frame 0 of hyperframe 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subframe(pub u64);

impl Subframe {
    /// The duration of a subframe.
    pub const DURATION: Duration = Duration::from_millis(1);
    /// The number of subframes in a frame.
    pub const PER_FRAME: u64 = 10;

    const NANOS: u64 = Self::DURATION.as_nanos();

    /// Returns the subframe at an instant.
    #[must_use]
    pub const fn at(instant: Instant) -> Self {
        Self(instant.as_nanos() / Self::NANOS)
    }

    /// Returns the first subframe that starts at or after an instant.
    #[must_use]
    pub const fn at_or_after(instant: Instant) -> Self {
        Self(instant.as_nanos().div_ceil(Self::NANOS))
    }

    /// Returns the start of the subframe, which is the end of the one before.
    #[must_use]
    pub const fn start(self) -> Instant {
        Instant::from_nanos(self.0 * Self::NANOS)
    }

    /// Returns the number of the subframe's frame, counted from the start of the run.
    #[must_use]
    pub const fn frame(self) -> u64 {
        self.0 / Self::PER_FRAME
    }

    /// Returns the position of the subframe in its frame, 0 to 9.
    #[must_use]
    pub const fn in_frame(self) -> u64 {
        self.0 % Self::PER_FRAME
    }
}

impl Add<u64> for Subframe {
    type Output = Self;
    fn add(self, subframes: u64) -> Self {
        Self(self.0 + subframes)
    }
}

impl AddAssign<u64> for Subframe {
    fn add_assign(&mut self, subframes: u64) {
        self.0 += subframes;
    }
}

/// Subframes from the later operand back to the earlier one; zero when they are the other way round.
impl Sub for Subframe {
    type Output = u64;
    fn sub(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
