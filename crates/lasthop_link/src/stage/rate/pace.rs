use core::num::NonZeroU64;

use lasthop_units::{BitRate, DataSize, Instant};

/// How long data takes at a rate, to a fraction of a nanosecond.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pace {
    /// A byte takes a whole number of nanoseconds. For usual rates this avoids a division.
    NanosPerByte(u64),
    /// A byte takes a fraction of nanoseconds.
    BitsPerSecond(NonZeroU64),
}

const BIT_NANOS_PER_BYTE: u64 = 8_000_000_000;

/// A point in time to a fraction of a nanosecond, counted in units of 1 ns / rate.
///
/// A byte at 3 bit/s takes no whole number of nanoseconds. With the remainder kept, a million packets take the
/// time of a million packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExactTime {
    nanos: u64,
    /// Below the rate.
    remainder: u64,
}

impl Pace {
    pub(super) fn of(rate: BitRate) -> Self {
        let rate = rate.as_bits_per_second();
        match NonZeroU64::new(rate) {
            Some(rate) if BIT_NANOS_PER_BYTE % rate != 0 => Self::BitsPerSecond(rate),
            _ => Self::NanosPerByte(BIT_NANOS_PER_BYTE / rate),
        }
    }

    /// A time and what the data takes.
    pub(super) fn after(self, time: ExactTime, size: DataSize) -> ExactTime {
        let (nanos, remainder) = self.passing_time(size);
        let nanos = time.nanos.saturating_add(nanos);
        let Self::BitsPerSecond(rate) = self else {
            return ExactTime {
                nanos,
                remainder: 0,
            };
        };
        // Both are below the rate, so that their sum may exceed u64 but not twice the rate.
        let (sum, overflow) = time.remainder.overflowing_add(remainder);
        if overflow || sum >= rate.get() {
            ExactTime {
                nanos: nanos.saturating_add(1),
                remainder: sum.wrapping_sub(rate.get()),
            }
        } else {
            ExactTime {
                nanos,
                remainder: sum,
            }
        }
    }

    /// The first whole nanosecond at or after a time less what the data takes.
    pub(super) fn ceil_before(self, time: ExactTime, size: DataSize) -> Instant {
        let (nanos, remainder) = self.passing_time(size);
        let up = u64::from(time.remainder > remainder);
        // Before the start of the run is the start of the run.
        Instant::from_nanos(time.nanos.saturating_add(up).saturating_sub(nanos))
    }

    /// Returns whole nanoseconds, and the remainder in units of 1 ns / rate.
    fn passing_time(self, size: DataSize) -> (u64, u64) {
        let bytes = size.as_bytes();
        match (self, bytes.checked_mul(BIT_NANOS_PER_BYTE)) {
            (Self::NanosPerByte(nanos), _) => (bytes.saturating_mul(nanos), 0),
            (Self::BitsPerSecond(rate), Some(bit_nanos)) => (bit_nanos / rate, bit_nanos % rate),
            (Self::BitsPerSecond(rate), None) => {
                let bit_nanos = u128::from(bytes) * u128::from(BIT_NANOS_PER_BYTE);
                let rate = u128::from(rate.get());
                let nanos = u64::try_from(bit_nanos / rate).unwrap_or(u64::MAX);
                (nanos, (bit_nanos % rate) as u64)
            }
        }
    }
}

impl ExactTime {
    /// The first whole nanosecond at or after this time.
    pub(super) fn ceil(self) -> Instant {
        Instant::from_nanos(self.nanos.saturating_add(u64::from(self.remainder > 0)))
    }

    /// This time, or `at` if that is later. Within one nanosecond it is this time: a fraction that was waited
    /// for is not lost.
    pub(super) fn max(self, at: Instant) -> Self {
        if self.ceil() >= at {
            self
        } else {
            Self {
                nanos: at.as_nanos(),
                remainder: 0,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(bits: u64) -> Pace {
        Pace::of(BitRate::from_bits_per_second(bits).unwrap())
    }

    #[test]
    fn a_million_packets_take_the_time_of_a_million_packets() {
        let (size, pace) = (DataSize::from_bytes(1), pace(3));
        let mut time = ExactTime::default();
        for _ in 0..1_000_000 {
            time = pace.after(time, size);
        }
        // 8e6 bit at 3 bit/s.
        assert_eq!(time.ceil(), Instant::from_nanos(2_666_666_666_666_667));
    }

    #[test]
    fn passing_times_are_those_of_exact_arithmetic() {
        for bits in [1, 7, 9_600, 50_000, 1_000_000_007, 8_000_000_001, u64::MAX] {
            for bytes in [0, 1, 40, 409, 65_535, 1_u64 << 33] {
                let bit_nanos = u128::from(bytes) * 8_000_000_000;
                let exact = (bit_nanos / u128::from(bits), bit_nanos % u128::from(bits));
                let (nanos, remainder) = pace(bits).passing_time(DataSize::from_bytes(bytes));
                assert!(
                    (u128::from(nanos), u128::from(remainder)) == exact || nanos == u64::MAX,
                    "{bytes} B at {bits} bit/s"
                );
            }
        }
    }

    #[test]
    fn adding_and_taking_away_meet_at_the_same_nanosecond() {
        for bits in [1, 7, 9_600, 50_000, 1_000_000_007, u64::MAX] {
            for bytes in [0, 1, 409, 65_535] {
                let (size, pace) = (DataSize::from_bytes(bytes), pace(bits));
                let start = ExactTime::default().max(Instant::from_nanos(17));
                let there = pace.after(start, size);
                assert_eq!(
                    pace.ceil_before(there, size),
                    start.ceil(),
                    "{size} at {bits}"
                );
            }
        }
    }
}
