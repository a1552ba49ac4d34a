use crate::config::SubcarrierSpacing;

/// A set of uplink tones, in units of 3.75 kHz: a 15 kHz tone is four units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tones(u64);

impl Tones {
    /// All tones of the 180 kHz carrier.
    pub const CARRIER: Self = Self((1 << 48) - 1);

    /// Three tones of 15 kHz, over which the fading hardly differs.
    const STEPS_IN_GROUP: u32 = 12;

    /// Creates the set of `count` neighbouring tones from `first` on, in tones of the grid.
    ///
    /// The hopping range of a preamble is 12 tones of 3.75 kHz.
    ///
    /// # Panics
    ///
    /// If they reach beyond the carrier.
    #[must_use]
    pub const fn new(spacing: SubcarrierSpacing, first: u8, count: u8) -> Self {
        assert!(
            count >= 1 && first + count <= spacing.tones(),
            "tones lie inside the carrier"
        );
        let steps = Self::CARRIER.count() / spacing.tones() as u32;
        Self(((1 << (count as u32 * steps)) - 1) << (first as u32 * steps))
    }

    /// Returns the size of the set, in 3.75 kHz steps.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the number of 3.75 kHz steps that both sets use.
    #[must_use]
    pub const fn in_common(self, other: Self) -> u32 {
        (self.0 & other.0).count_ones()
    }

    /// Whether both have a step of 3.75 kHz in common.
    pub(super) const fn overlap(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Groups of at most 45 kHz whose fading is looked at apart, where the fading differs over the carrier.
    pub(super) const fn fading_groups(self) -> u8 {
        self.count().div_ceil(Self::STEPS_IN_GROUP) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SubcarrierSpacing::{Khz3_75, Khz15};

    #[test]
    fn tones_of_both_spacings_share_one_carrier() {
        assert_eq!(Tones::new(Khz15, 0, 12), Tones::CARRIER);
        assert_eq!(Tones::new(Khz3_75, 0, 48), Tones::CARRIER);
        assert_eq!(
            Tones::new(Khz15, 3, 1).in_common(Tones::new(Khz3_75, 15, 1)),
            1
        );
        assert_eq!(
            Tones::new(Khz15, 3, 1).in_common(Tones::new(Khz3_75, 16, 1)),
            0
        );
        assert_eq!(
            Tones::new(Khz15, 3, 3).in_common(Tones::new(Khz15, 5, 6)),
            4
        );
    }

    #[test]
    fn only_wide_sets_fade_in_groups() {
        for (count, groups) in [(1, 1), (3, 1), (6, 2), (12, 4)] {
            assert_eq!(Tones::new(Khz15, 0, count).fading_groups(), groups);
        }
        assert_eq!(Tones::new(Khz3_75, 47, 1).fading_groups(), 1);
    }
}
