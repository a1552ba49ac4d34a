/// A set of tones of the uplink, counted in steps of 3.75 kHz: a 15 kHz tone is four of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tones(u64);

impl Tones {
    /// The whole carrier of 180 kHz.
    pub const CARRIER: Self = Self((1 << 48) - 1);

    const PER_15_KHZ: u32 = 4;

    /// `count` neighbouring tones of 15 kHz from `first` on, of 0 to 11.
    ///
    /// # Panics
    ///
    /// If they reach beyond the carrier.
    #[must_use]
    pub const fn at_15_khz(first: u8, count: u8) -> Self {
        assert!(
            count >= 1 && first + count <= 12,
            "the carrier has tones 0 to 11 of 15 kHz"
        );
        let width = count as u32 * Self::PER_15_KHZ;
        Self(((1 << width) - 1) << (first as u32 * Self::PER_15_KHZ))
    }

    /// `count` neighbouring tones of 3.75 kHz from `first` on, of 0 to 47: one for an NPUSCH, 12 for the tones over
    /// which a preamble hops.
    ///
    /// # Panics
    ///
    /// If they reach beyond the carrier.
    #[must_use]
    pub const fn at_3750_hz(first: u8, count: u8) -> Self {
        assert!(
            count >= 1 && first + count <= 48,
            "the carrier has tones 0 to 47 of 3.75 kHz"
        );
        Self(((1 << count) - 1) << first)
    }

    /// How many steps of 3.75 kHz it has.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// How many steps of 3.75 kHz both have.
    #[must_use]
    pub const fn in_common(self, other: Self) -> u32 {
        (self.0 & other.0).count_ones()
    }

    /// Groups of at most 45 kHz whose fading is looked at apart, where the fading differs over the carrier.
    pub(super) const fn fading_groups(self) -> u8 {
        self.count().div_ceil(3 * Self::PER_15_KHZ) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tones_of_both_spacings_share_one_carrier() {
        assert_eq!(Tones::at_15_khz(0, 12), Tones::CARRIER);
        assert_eq!(Tones::at_3750_hz(0, 48), Tones::CARRIER);
        assert_eq!(
            Tones::at_15_khz(3, 1).in_common(Tones::at_3750_hz(15, 1)),
            1
        );
        assert_eq!(
            Tones::at_15_khz(3, 1).in_common(Tones::at_3750_hz(16, 1)),
            0
        );
        assert_eq!(Tones::at_15_khz(3, 3).in_common(Tones::at_15_khz(5, 6)), 4);
    }

    #[test]
    fn only_wide_sets_fade_in_groups() {
        for (count, groups) in [(1, 1), (3, 1), (6, 2), (12, 4)] {
            assert_eq!(Tones::at_15_khz(0, count).fading_groups(), groups);
        }
        assert_eq!(Tones::at_3750_hz(47, 1).fading_groups(), 1);
    }
}
