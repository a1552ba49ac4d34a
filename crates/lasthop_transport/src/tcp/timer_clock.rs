use lasthop_units::{Duration, Instant};

use super::profile::TimerClock;

impl TimerClock {
    /// When a timer fires that is set now to a delay from now.
    pub(crate) fn firing(self, now: Instant, delay: Duration) -> Instant {
        match self {
            Self::Exact => now + delay,
            // The span since the last tick counts as a whole one.
            Self::Periodic { tick } => next_multiple(now + (delay - tick), tick),
            Self::LinuxWheel { tick } => on_the_wheel(now, delay, tick.as_nanos()),
        }
    }
}

/// The first multiple of a period that is later than an instant.
pub(crate) fn next_multiple(after: Instant, period: Duration) -> Instant {
    let period = period.as_nanos().max(1);
    Instant::from_nanos((after.as_nanos() / period + 1).saturating_mul(period))
}

/// The timer wheel (`calc_wheel_index` in `kernel/time/timer.c`): 64 slots a level, each level eight times as
/// coarse as the one below, and always rounded up to the next slot.
fn on_the_wheel(now: Instant, delay: Duration, tick: u64) -> Instant {
    let current = now.as_nanos() / tick;
    let expires = current + delay.as_nanos().div_ceil(tick);
    let distance = expires - current;
    let level = (0..8)
        .find(|level| distance < 63 << (3 * level))
        .unwrap_or(8);
    let shift = 3 * level;
    let slot = (expires >> shift) + 1;
    Instant::from_nanos((slot << shift) * tick)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_timer_of_the_wheel_is_late_by_up_to_an_eighth() {
        let wheel = TimerClock::LinuxWheel {
            tick: Duration::from_millis(4),
        };
        for (delay, at) in [(40, 44), (200, 204), (300, 320), (1000, 1024), (3000, 3072)] {
            let fires = wheel.firing(Instant::ZERO, Duration::from_millis(delay));
            assert_eq!(fires.as_nanos() / 1_000_000, at, "{delay} ms");
        }
    }
}
