use std::sync::Arc;

use lasthop_units::{DataSize, Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// A recorded trace of send opportunities: each lets a number of bytes pass. Unused opportunities are lost. Cheap to
/// clone.
///
/// This is the link of mahimahi (Netravali et al., USENIX ATC 2015, `link_queue.cc`): several small packets pass at one
/// moment, and a large one takes the bytes of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Columns", into = "Columns")]
pub struct Opportunities {
    times: Arc<[Duration]>,
    period: Duration,
    size: DataSize,
    overhead: DataSize,
}

impl Opportunities {
    /// Creates a trace from its times since the start of the run, repeated with a period.
    ///
    /// At each of these times `size` may pass. A packet takes `overhead` in addition to its own bytes.
    ///
    /// # Errors
    /// [`ConfigError::Opportunities`] when there is no moment, one is before the one ahead of it or after the period, the
    /// period is zero or nothing may pass.
    pub fn new(
        times: impl IntoIterator<Item = Duration>,
        period: Duration,
        size: DataSize,
        overhead: DataSize,
    ) -> Result<Self, ConfigError> {
        let times: Arc<[Duration]> = times.into_iter().collect();
        let is_in_order = times.windows(2).all(|pair| pair[0] <= pair[1]);
        let is_within = times.last().is_some_and(|last| *last <= period);
        if !is_in_order || !is_within || period == Duration::ZERO || size.as_bytes() == 0 {
            return Err(ConfigError::Opportunities);
        }
        Ok(Self {
            times,
            period,
            size,
            overhead,
        })
    }

    pub(super) fn start(&self) -> OpportunityService {
        OpportunityService {
            of: self.clone(),
            next: Place::default(),
            at: Instant::ZERO,
            left: 0,
        }
    }

    fn at(&self, place: Place) -> Instant {
        let rounds = place.round.saturating_mul(self.period.as_nanos());
        let into = self.times[place.number].as_nanos();
        Instant::from_nanos(rounds.saturating_add(into))
    }

    /// The first moment at or after an instant.
    fn first_from(&self, at: Instant) -> Place {
        let period = self.period.as_nanos();
        let (round, into) = (at.as_nanos() / period, at.as_nanos() % period);
        // The end of a round is the beginning of the next one.
        if into == 0 && round > 0 {
            let number = self.times.partition_point(|time| *time < self.period);
            if number < self.times.len() {
                let round = round - 1;
                return Place { round, number };
            }
        }
        let number = self.times.partition_point(|time| time.as_nanos() < into);
        if number < self.times.len() {
            return Place { round, number };
        }
        Place {
            round: round + 1,
            number: 0,
        }
    }
}

/// A moment: of which repetition, and which of its moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    round: u64,
    number: usize,
}

/// A link that lets packets pass at moments, at work.
#[derive(Debug)]
pub(crate) struct OpportunityService {
    of: Opportunities,
    /// The moment after the last one that was used.
    next: Place,
    /// The moment that was used last, and what may still pass then.
    at: Instant,
    left: u64,
}

impl OpportunityService {
    pub(super) fn turn(&self, at: Instant) -> Instant {
        if self.left > 0 && self.at >= at {
            return self.at;
        }
        self.of.at(self.of.first_from(at).max(self.next))
    }

    pub(super) fn serve(&mut self, turn: Instant, size: DataSize) -> Instant {
        let mut bytes = size.as_bytes().saturating_add(self.of.overhead.as_bytes());
        loop {
            if self.left == 0 || self.at < turn {
                let place = self.of.first_from(turn).max(self.next);
                self.at = self.of.at(place);
                self.left = self.of.size.as_bytes();
                self.next = if place.number + 1 < self.of.times.len() {
                    Place {
                        number: place.number + 1,
                        ..place
                    }
                } else {
                    Place {
                        round: place.round + 1,
                        number: 0,
                    }
                };
            }
            let passing = bytes.min(self.left);
            self.left -= passing;
            bytes -= passing;
            if bytes == 0 {
                return self.at;
            }
        }
    }
}

/// Moments as they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    times_ns: Vec<Duration>,
    period_ns: Duration,
    opportunity_bytes: DataSize,
    overhead_bytes: DataSize,
}

impl TryFrom<Columns> for Opportunities {
    type Error = ConfigError;
    fn try_from(columns: Columns) -> Result<Self, ConfigError> {
        Self::new(
            columns.times_ns,
            columns.period_ns,
            columns.opportunity_bytes,
            columns.overhead_bytes,
        )
    }
}

impl From<Opportunities> for Columns {
    fn from(of: Opportunities) -> Self {
        Self {
            times_ns: of.times.to_vec(),
            period_ns: of.period,
            opportunity_bytes: of.size,
            overhead_bytes: of.overhead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn service(times: &[u64], period: u64) -> OpportunityService {
        let times = times.iter().map(|time| Duration::from_millis(*time));
        let (size, overhead) = (DataSize::from_bytes(1504), DataSize::from_bytes(4));
        Opportunities::new(times, Duration::from_millis(period), size, overhead)
            .unwrap()
            .start()
    }

    fn leaves(service: &mut OpportunityService, at_ms: u64, bytes: u64) -> u64 {
        let size = DataSize::from_bytes(bytes);
        let turn = service.turn(Instant::from_nanos(at_ms * MS));
        service.serve(turn, size).as_nanos() / MS
    }

    #[test]
    fn a_full_packet_takes_one_moment_and_the_trace_repeats() {
        let mut service = service(&[2, 5, 5, 9], 9);
        let left: Vec<u64> = (0..6).map(|_| leaves(&mut service, 0, 1500)).collect();
        assert_eq!(left, [2, 5, 5, 9, 11, 14]);
    }

    #[test]
    fn small_packets_share_a_moment_and_a_large_one_takes_several() {
        let mut service = service(&[2, 5, 9], 9);
        // 500 + 4 each: two whole, the third has 496 B of its 504 B at 2 ms.
        let left: Vec<u64> = (0..3).map(|_| leaves(&mut service, 1, 500)).collect();
        assert_eq!(left, [2, 2, 5]);
    }

    #[test]
    fn what_comes_after_a_moment_does_not_use_what_it_left() {
        let mut service = service(&[2, 5, 9], 9);
        assert_eq!(leaves(&mut service, 1, 100), 2);
        assert_eq!(leaves(&mut service, 3, 100), 5);
        // A packet that comes at a moment uses it, and so at the end of a round.
        assert_eq!(leaves(&mut service, 9, 1500), 9);
        assert_eq!(leaves(&mut service, 9, 1500), 11);
        assert_eq!(leaves(&mut service, 90, 1500), 90);
    }

    #[test]
    fn moments_that_cannot_be_are_refused() {
        let of = |times: &[u64], period: u64| {
            let times = times.iter().map(|time| Duration::from_millis(*time));
            let size = DataSize::from_bytes(1504);
            Opportunities::new(times, Duration::from_millis(period), size, size).is_err()
        };
        assert!(of(&[], 5) && of(&[3, 2], 5) && of(&[7], 5) && of(&[0], 0));
    }
}
