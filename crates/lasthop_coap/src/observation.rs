use lasthop_units::{Duration, Instant};

/// The observer's state for the order of notifications (RFC 7641 section 3.4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation {
    sequence: u32,
    at: Instant,
}

/// After this long, whatever comes is newer.
const SEQUENCE_LIFETIME: Duration = Duration::from_secs(128);

impl Observation {
    pub(crate) const fn begun_with(sequence: u32, at: Instant) -> Self {
        Self { sequence, at }
    }

    /// Accepts a notification if it is newer than the newest so far. Returns whether it is.
    pub(crate) fn take(&mut self, sequence: u32, at: Instant) -> bool {
        let (before, half) = (self.sequence, 1 << 23);
        let is_newer = before < sequence && sequence - before < half
            || before > sequence && before - sequence > half
            || at > self.at + SEQUENCE_LIFETIME;
        if is_newer {
            *self = Self::begun_with(sequence, at);
        }
        is_newer
    }

    /// Accepts the response to a repeated registration, if it is not older than the newest notification. A piggybacked
    /// response is always accepted, because a server that lost its state counts from the beginning.
    pub(crate) fn take_answer(&mut self, sequence: u32, at: Instant, is_separate: bool) -> bool {
        if !is_separate {
            *self = Self::begun_with(sequence, at);
        }
        sequence == self.sequence || self.take(sequence, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_numbers_that_wrap() {
        let at = Instant::ZERO;
        let is_newer = |before, sequence| Observation::begun_with(before, at).take(sequence, at);
        assert!(is_newer(1, 2) && is_newer(0, (1 << 23) - 1) && is_newer((1 << 24) - 1, 0));
        assert!(!is_newer(2, 1) && !is_newer(0, 1 << 23) && !is_newer(0, (1 << 24) - 1));
        assert!(!is_newer(7, 7));
    }

    #[test]
    fn what_comes_late_is_newer_whatever_its_number() {
        let mut observation = Observation::begun_with(9, Instant::ZERO);
        assert!(!observation.take(3, Instant::ZERO + Duration::from_secs(128)));
        assert!(observation.take(3, Instant::ZERO + Duration::from_secs(129)));
    }
}
