use lasthop_units::{Duration, Instant};

use super::profile::{RttEstimator, TcpProfile};
use super::sequence::Seq;

/// Round trips and the retransmission timeout (RFC 6298). Spans are microseconds, as in Linux.
#[derive(Debug)]
pub(crate) struct RoundTrip {
    /// The smoothed round trip times 8; 0 before the first sample.
    smoothed: u32,
    /// The mean deviation times 4.
    deviation: u32,
    /// The largest deviation of this round trip, times 4 (Linux alone).
    largest_deviation: u32,
    /// What the timeout adds to the smoothed round trip.
    variance: u32,
    /// When this number is acknowledged, a round trip is over.
    round_end: Seq,
    /// The timeout, doublings included.
    timeout: u32,
    /// The least round trip of late, and when it was seen.
    least: u32,
    least_seen: Instant,
}

/// How long the least round trip counts (`tcp_min_rtt_wlen`).
const LEAST_WINDOW: Duration = Duration::from_secs(300);

/// The slow timer of lwIP in microseconds.
const LWIP_TICK: u32 = 500_000;

impl RoundTrip {
    pub(crate) fn new(profile: &TcpProfile) -> Self {
        let initial = micros(profile.initial_rto);
        let srtt = profile.initial_srtt.map_or(0, micros);
        let deviation = match profile.rtt_estimator {
            RttEstimator::Linux => initial,
            RttEstimator::Rfc6298 => srtt * 2,
            RttEstimator::Lwip => initial / LWIP_TICK,
        };
        Self {
            smoothed: srtt * 8,
            deviation,
            largest_deviation: deviation,
            variance: deviation,
            round_end: Seq(0),
            timeout: initial,
            least: u32::MAX,
            least_seen: Instant::ZERO,
        }
    }

    /// Whether there was a sample, or a value to start with.
    pub(crate) fn is_known(&self) -> bool {
        self.smoothed != 0
    }

    /// The smoothed round trip in microseconds.
    pub(crate) fn smoothed(&self) -> u32 {
        self.smoothed >> 3
    }

    /// The least round trip in microseconds; `u32::MAX` before the first sample.
    pub(crate) fn least(&self) -> u32 {
        self.least
    }

    /// The retransmission timeout, doublings included.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_nanos(u64::from(self.timeout) * 1000)
    }

    /// Takes a sample: what was sent is acknowledged up to `una`, and `next` is the next to be sent.
    pub(crate) fn sample(&mut self, rtt: u32, profile: &TcpProfile, una: Seq, next: Seq) {
        let min = micros(profile.min_rto);
        let timeout = match profile.rtt_estimator {
            RttEstimator::Linux => {
                self.sample_as_linux(rtt, min, una, next);
                (self.smoothed >> 3).saturating_add(self.variance)
            }
            RttEstimator::Rfc6298 => {
                self.sample_by_rfc6298(rtt);
                ((self.smoothed >> 3).saturating_add(self.deviation)).max(min)
            }
            RttEstimator::Lwip => {
                self.sample_as_lwip(rtt);
                ((self.smoothed >> 3) + self.deviation).saturating_mul(LWIP_TICK)
            }
        };
        self.timeout = timeout.min(micros(profile.max_rto));
    }

    /// Keeps the least round trip.
    pub(crate) fn note_least(&mut self, rtt: u32, now: Instant) {
        if rtt <= self.least || now - self.least_seen > LEAST_WINDOW {
            self.least = rtt.max(1);
            self.least_seen = now;
        }
    }

    /// Doubles the timeout (RFC 6298 section 5.5).
    pub(crate) fn back_off(&mut self, profile: &TcpProfile) {
        self.timeout = self.timeout.saturating_mul(2).min(micros(profile.max_rto));
    }

    /// The handshake gave no sample: begin more cautiously (RFC 6298 section 5.7).
    pub(crate) fn fall_back(&mut self, profile: &TcpProfile) {
        self.timeout = micros(profile.fallback_rto);
        self.variance = self.timeout;
        if profile.rtt_estimator == RttEstimator::Linux {
            self.deviation = self.timeout;
            self.largest_deviation = self.timeout;
        }
    }

    fn sample_as_linux(&mut self, rtt: u32, min: u32, una: Seq, next: Seq) {
        if self.smoothed == 0 {
            self.smoothed = rtt.saturating_mul(8).max(1);
            self.deviation = rtt.saturating_mul(2);
            self.variance = self.deviation.max(min);
            self.largest_deviation = self.variance;
            self.round_end = next;
            return;
        }
        let error = i64::from(rtt) - i64::from(self.smoothed >> 3);
        self.smoothed = clamped(i64::from(self.smoothed) + error).max(1);
        let mut change = error.abs() - i64::from(self.deviation >> 2);
        if error < 0 && change > 0 {
            // A round trip that got shorter says little about the next (Linux, RFC 6298 notwithstanding).
            change >>= 3;
        }
        self.deviation = clamped(i64::from(self.deviation) + change);
        if self.deviation > self.largest_deviation {
            self.largest_deviation = self.deviation;
            self.variance = self.variance.max(self.largest_deviation);
        }
        if una.is_after(self.round_end) {
            if self.largest_deviation < self.variance {
                self.variance -= (self.variance - self.largest_deviation) >> 2;
            }
            self.round_end = next;
            self.largest_deviation = min;
        }
    }

    fn sample_by_rfc6298(&mut self, rtt: u32) {
        if self.smoothed == 0 {
            self.smoothed = rtt.saturating_mul(8).max(1);
            self.deviation = rtt.saturating_mul(2);
            return;
        }
        let error = i64::from(rtt) - i64::from(self.smoothed >> 3);
        let spread = error.abs() - i64::from(self.deviation >> 2);
        self.deviation = clamped(i64::from(self.deviation) + spread);
        self.smoothed = clamped(i64::from(self.smoothed) + error).max(1);
    }

    fn sample_as_lwip(&mut self, rtt: u32) {
        let error = i64::from(rtt / LWIP_TICK) - i64::from(self.smoothed >> 3);
        self.smoothed = clamped(i64::from(self.smoothed) + error);
        let spread = error.abs() - i64::from(self.deviation >> 2);
        self.deviation = clamped(i64::from(self.deviation) + spread);
    }
}

/// A span in microseconds.
pub(crate) fn micros(span: Duration) -> u32 {
    u32::try_from(span.as_nanos() / 1000).unwrap_or(u32::MAX)
}

fn clamped(value: i64) -> u32 {
    u32::try_from(value.max(0)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(profile: &TcpProfile, samples: &[u32]) -> (u32, Duration) {
        let mut rtt = RoundTrip::new(profile);
        for (round, sample) in (1..).zip(samples) {
            rtt.sample(sample * 1000, profile, Seq(round), Seq(round));
        }
        (rtt.smoothed() / 1000, rtt.timeout())
    }

    #[test]
    fn linux_adds_at_least_200_ms_to_the_smoothed_round_trip() {
        let linux = TcpProfile::linux();
        assert_eq!(after(&linux, &[]), (0, Duration::from_secs(1)));
        assert_eq!(after(&linux, &[80]), (80, Duration::from_millis(280)));
        assert_eq!(after(&linux, &[800]), (800, Duration::from_millis(2400)));
        let steady = after(&linux, &[80; 50]);
        assert_eq!(steady, (80, Duration::from_millis(280)));
    }

    #[test]
    fn larmo_starts_at_3_s() {
        let larmo = TcpProfile::larmo_2019();
        assert_eq!(after(&larmo, &[]), (1000, Duration::from_secs(3)));
        // srtt = 7/8 + 0.1/8 = 0.8875, rttvar = 3/4 0.5 + 0.9/4 = 0.6.
        let (srtt, rto) = after(&larmo, &[100]);
        assert_eq!(srtt, 887);
        assert_eq!(rto.as_nanos() / 1_000_000, 3287);
    }

    #[test]
    fn lwip_settles_at_three_ticks_when_round_trips_are_short() {
        let lwip = TcpProfile::lwip_esp8266();
        assert_eq!(after(&lwip, &[]).1, Duration::from_secs(3));
        assert_eq!(after(&lwip, &[80; 20]).1, Duration::from_millis(1500));
    }
}
