use lasthop_units::{Duration, Instant};

/// A rate limiter that allows bursts of at most one second's quota (the generic cell rate algorithm, ITU-T I.371).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    /// When all that has happened is paid for.
    paid_at: Option<Instant>,
}

impl Rate {
    /// Takes `count` units if the rate of `a_second` units allows it. Returns whether it does.
    pub(crate) fn take(&mut self, now: Instant, count: u64, a_second: u64) -> bool {
        const SECOND: u64 = 1_000_000_000;
        let cost = Duration::from_nanos(count.saturating_mul(SECOND) / a_second.max(1));
        let begins = self.paid_at.unwrap_or(now).max(now);
        let paid_at = begins + cost;
        let may = paid_at <= now + Duration::from_nanos(SECOND);
        if may {
            self.paid_at = Some(paid_at);
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seconds_worth_at_once_and_then_one_by_one() {
        let mut rate = Rate::default();
        let start = Instant::ZERO;
        let taken = (0..150).filter(|_| rate.take(start, 1, 100)).count();
        assert_eq!(taken, 100);
        let later = start + Duration::from_millis(10);
        assert!(rate.take(later, 1, 100) && !rate.take(later, 1, 100));
        let rested = start + Duration::from_secs(60);
        let taken = (0..150).filter(|_| rate.take(rested, 1, 100)).count();
        assert_eq!(taken, 100);
        assert!(!Rate::default().take(start, 101, 100));
    }
}
