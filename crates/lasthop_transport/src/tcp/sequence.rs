use core::ops::{Add, AddAssign, Sub};

/// A sequence number: 32 bits that wrap, compared within half their range (RFC 9293 section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Seq(pub(crate) u32);

impl Seq {
    /// Whether this number comes before the other.
    pub(crate) const fn is_before(self, other: Self) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }

    /// Whether this number comes after the other.
    pub(crate) const fn is_after(self, other: Self) -> bool {
        other.is_before(self)
    }

    /// The later of two numbers.
    pub(crate) const fn later(self, other: Self) -> Self {
        if self.is_before(other) { other } else { self }
    }

    /// The earlier of two numbers.
    pub(crate) const fn earlier(self, other: Self) -> Self {
        if self.is_before(other) { self } else { other }
    }
}

impl Add<u32> for Seq {
    type Output = Self;
    fn add(self, count: u32) -> Self {
        Self(self.0.wrapping_add(count))
    }
}

impl AddAssign<u32> for Seq {
    fn add_assign(&mut self, count: u32) {
        *self = *self + count;
    }
}

impl Sub<u32> for Seq {
    type Output = Self;
    fn sub(self, count: u32) -> Self {
        Self(self.0.wrapping_sub(count))
    }
}

/// How far this number is behind the other, modulo 2^32.
impl Sub for Seq {
    type Output = u32;
    fn sub(self, earlier: Self) -> u32 {
        self.0.wrapping_sub(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_the_wrap() {
        let last = Seq(u32::MAX);
        assert!(last.is_before(last + 1) && (last + 1).is_after(last));
        assert_eq!((last + 5) - last, 5);
        assert_eq!(last.later(Seq(3)), Seq(3));
        assert_eq!(last.earlier(Seq(3)), last);
        assert!(!last.is_before(last));
    }
}
