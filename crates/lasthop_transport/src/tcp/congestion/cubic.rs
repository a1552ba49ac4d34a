use lasthop_units::Instant;

use crate::tcp::sequence::Seq;

/// Cubic (RFC 9438) in the integers of Linux, with its `HyStart`. Windows are segments, times milliseconds,
/// delays microseconds.
#[derive(Debug, Default)]
pub(crate) struct Cubic {
    /// What the window is multiplied by after a loss, times 1024.
    beta: u32,
    /// How many acknowledged segments let the window grow by one.
    growth_interval: u32,
    largest_window: u32,
    last_window: u32,
    last_update: u32,
    origin: u32,
    /// When the curve reaches its origin, in 1/1024 s after its start.
    plateau: u32,
    /// When the curve began; 0 when it has not.
    epoch: u32,
    acked: u32,
    /// The window that Reno would have.
    reno_window: u32,
    least_delay: u32,
    slow_start: SlowStart,
}

/// What `HyStart` knows of the present round.
#[derive(Debug, Default)]
struct SlowStart {
    is_over: bool,
    samples: u8,
    /// In microseconds.
    round_start: u32,
    last_ack: u32,
    least_delay: u32,
    end: Seq,
}

/// C = 0.4 (RFC 9438 section 5.1) as 41 / 1024 times 10.
const CUBE_SCALE: u64 = 410;
/// 2^40 / `CUBE_SCALE`.
const CUBE_FACTOR: u64 = (1 << 40) / CUBE_SCALE;

const HYSTART_LOW_WINDOW: u32 = 16;
const HYSTART_SAMPLES: u8 = 8;
const HYSTART_TRAIN_GAP: u32 = 2000;
const HYSTART_DELAY_MIN: u32 = 4000;
const HYSTART_DELAY_MAX: u32 = 16_000;

impl Cubic {
    /// A curve that falls to `beta` / 1024 of the window at a loss.
    pub(crate) fn new(beta: u32) -> Self {
        Self {
            beta,
            ..Self::default()
        }
    }

    /// The threshold after a loss at this window; the curve begins anew.
    pub(crate) fn threshold_after_loss(&mut self, window: u32) -> u32 {
        self.epoch = 0;
        let (wide, beta) = (u64::from(window), u64::from(self.beta));
        // Fast convergence (RFC 9438 section 4.7).
        self.largest_window = if window < self.largest_window {
            (wide * (1024 + beta) / 2048) as u32
        } else {
            window
        };
        ((wide * beta / 1024) as u32).max(2)
    }

    /// Forgets everything, as after a timeout.
    pub(crate) fn reset(&mut self) {
        *self = Self {
            beta: self.beta,
            ..Self::default()
        };
    }

    /// Starts a round of `HyStart` that ends when `end` is acknowledged.
    pub(crate) fn start_round(&mut self, now: Instant, end: Seq) {
        let now = micros(now);
        let round = &mut self.slow_start;
        round.round_start = now;
        round.last_ack = now;
        round.end = end;
        round.least_delay = u32::MAX;
        round.samples = 0;
    }

    /// Sending goes on after a pause, over which the curve is not to grow (RFC 9438 section 5.8).
    pub(crate) fn resume(&mut self, now: Instant, last_sent: Instant) {
        let (now, last_sent) = (millis(now), millis(last_sent));
        if self.epoch != 0 && now > last_sent {
            self.epoch = (self.epoch + (now - last_sent)).min(now);
        }
    }

    /// Takes a round trip; says whether slow start should end here.
    pub(crate) fn sample(&mut self, now: Instant, delay: u32, window: Window) -> bool {
        let delay = delay.max(1);
        let time = millis(now);
        // Samples right after a recovery say nothing.
        if self.epoch != 0 && time.wrapping_sub(self.epoch) < 1000 {
            return false;
        }
        if self.least_delay == 0 || self.least_delay > delay {
            self.least_delay = delay;
        }
        if self.slow_start.is_over || !window.is_in_slow_start || !window.hystart {
            return false;
        }
        if window.una.is_after(self.slow_start.end) {
            self.start_round(now, window.next);
        }
        if window.segments < HYSTART_LOW_WINDOW {
            return false;
        }
        let round = &mut self.slow_start;
        let micros = micros(now);
        if micros.wrapping_sub(round.last_ack) <= HYSTART_TRAIN_GAP {
            round.last_ack = micros;
            if micros.wrapping_sub(round.round_start) > self.least_delay / 2 {
                round.is_over = true;
            }
        }
        round.least_delay = round.least_delay.min(delay);
        if round.samples < HYSTART_SAMPLES {
            round.samples += 1;
        } else {
            let rise = (self.least_delay / 8).clamp(HYSTART_DELAY_MIN, HYSTART_DELAY_MAX);
            round.is_over |= round.least_delay > self.least_delay + rise;
        }
        round.is_over
    }

    /// How many acknowledged segments let the window grow by one (RFC 9438 sections 4.2 to 4.5).
    pub(crate) fn growth_interval(&mut self, now: Instant, window: u32, acked: u32) -> u32 {
        self.acked += acked;
        let now = millis(now).max(1);
        if self.last_window == window && now.wrapping_sub(self.last_update) <= 31 {
            return self.growth_interval.max(2);
        }
        if self.epoch == 0 || now != self.last_update {
            self.last_window = window;
            self.last_update = now;
            if self.epoch == 0 {
                self.begin_epoch(now, window, acked);
            }
            self.growth_interval = self.interval_of_the_curve(now, window);
        }
        self.keep_up_with_reno(window);
        self.growth_interval = self.growth_interval.max(2);
        self.growth_interval
    }

    fn begin_epoch(&mut self, now: u32, window: u32, acked: u32) {
        self.epoch = now;
        self.acked = acked;
        self.reno_window = window;
        if self.largest_window <= window {
            self.plateau = 0;
            self.origin = window;
        } else {
            self.plateau = cube_root(CUBE_FACTOR * u64::from(self.largest_window - window));
            self.origin = self.largest_window;
        }
    }

    fn interval_of_the_curve(&self, now: u32, window: u32) -> u32 {
        let time = u64::from(now - self.epoch) + u64::from(self.least_delay / 1000);
        let time = time * 1024 / 1000;
        let plateau = u64::from(self.plateau);
        // Beyond 10,000 s from the plateau the curve is cut off, so that its cube fits.
        let offset = time.abs_diff(plateau).min(10_000_000);
        let distance = (u128::from(CUBE_SCALE) * u128::from(offset).pow(3)) >> 40;
        let distance = u32::try_from(distance).unwrap_or(u32::MAX);
        let target = if time < plateau {
            self.origin.saturating_sub(distance)
        } else {
            self.origin.saturating_add(distance)
        };
        let interval = if target > window {
            window / (target - window)
        } else {
            window.saturating_mul(100)
        };
        // Before the first loss the curve knows nothing and would be too slow.
        if self.largest_window == 0 {
            interval.min(20)
        } else {
            interval
        }
    }

    fn keep_up_with_reno(&mut self, window: u32) {
        // 8 (1 + beta) / 3 / (1 - beta): the slope of the window that Reno would have, times 8 (RFC 9438 section 4.3).
        let slope = 8 * (1024 + self.beta) / 3 / (1024 - self.beta);
        let step = ((u64::from(window) * u64::from(slope)) >> 3).max(1) as u32;
        while self.acked > step {
            self.acked -= step;
            self.reno_window += 1;
        }
        if self.reno_window > window {
            let interval = window / (self.reno_window - window);
            self.growth_interval = self.growth_interval.min(interval);
        }
    }
}

/// What `HyStart` must know of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(super) segments: u32,
    pub(super) is_in_slow_start: bool,
    pub(super) hystart: bool,
    pub(super) una: Seq,
    pub(super) next: Seq,
}

fn millis(at: Instant) -> u32 {
    (at.as_nanos() / 1_000_000) as u32
}

fn micros(at: Instant) -> u32 {
    (at.as_nanos() / 1000) as u32
}

fn cube_root(value: u64) -> u32 {
    libm::cbrt(value as f64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window after this many round trips of 100 ms, each of which acknowledges a full window.
    fn window_after(cubic: &mut Cubic, start: u32, rounds: u64) -> u32 {
        let (mut window, mut count) = (start, 0);
        for round in 0..rounds {
            let now = Instant::from_nanos((1 + round * 100) * 1_000_000);
            let acknowledged = window;
            for _ in 0..acknowledged {
                count += 1;
                if count >= cubic.growth_interval(now, window, 1) {
                    count = 0;
                    window += 1;
                }
            }
        }
        window
    }

    #[test]
    fn the_window_is_back_after_k_seconds_and_flat_there() {
        // K = cbrt(30 / 0.4) = 4.2 s (RFC 9438 section 4.2); after 8 s 100 + 0.4 (8 - 4.2)^3 = 122.
        for (rounds, expected) in [(42, 95..=101), (55, 97..=103), (80, 115..=130)] {
            let mut cubic = Cubic::new(717);
            assert_eq!(cubic.threshold_after_loss(100), 70);
            let window = window_after(&mut cubic, 70, rounds);
            assert!(expected.contains(&window), "{rounds}: {window}");
        }
    }

    #[test]
    fn a_small_window_grows_as_reno_would_let_it() {
        // From 7 on, by 0.53 a round trip: 3 in six round trips.
        let mut cubic = Cubic::new(717);
        assert_eq!(cubic.threshold_after_loss(10), 7);
        let window = window_after(&mut cubic, 7, 6);
        assert!((9..=10).contains(&window), "{window}");
    }
}
