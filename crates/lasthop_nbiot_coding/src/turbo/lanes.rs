use core::ops::{Add, Sub};

/// The number of blocks that are decoded in parallel.
pub const LANES: usize = 4;

/// One number for each of the blocks that are decoded in parallel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// Creates lanes with the same number in all.
    #[must_use]
    pub fn all(value: f32) -> Self {
        Self([value; LANES])
    }

    /// Returns the larger number of each lane.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        // Not f32::max, whose care for what is not a number costs two more instructions.
        Self(core::array::from_fn(|lane| {
            if self.0[lane] > other.0[lane] {
                self.0[lane]
            } else {
                other.0[lane]
            }
        }))
    }

    /// Returns the lanes multiplied by a factor.
    #[inline]
    #[must_use]
    pub fn scaled(self, factor: f32) -> Self {
        Self(self.0.map(|value| value * factor))
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(core::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(core::array::from_fn(|lane| self.0[lane] - other.0[lane]))
    }
}
