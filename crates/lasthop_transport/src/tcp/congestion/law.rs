use core::fmt;
use std::sync::Arc;

use lasthop_units::{Duration, Instant};

use super::cubic::{Cubic, Window};
use crate::tcp::profile::{CongestionControl, TcpProfile};
use crate::tcp::sequence::Seq;

/// A congestion control algorithm: window growth outside slow start, and reduction at a loss.
///
/// Implement it for [`CongestionControl::own`]. Slow start, recovery and the restart after idle time belong to TCP.
pub trait CongestionLaw: fmt::Debug {
    /// Returns the number of acknowledged segments that grow the window by one. `acked` segments are newly
    /// acknowledged. Reno returns the window.
    fn growth_interval(&mut self, now: Instant, window: u32, acked: u32) -> u32;

    /// Returns the slow start threshold, in segments, after a loss at this window. Reno returns half of the window.
    fn threshold_after_loss(&mut self, window: u32) -> u32;

    /// Handles a retransmission timeout: the window is one segment and slow start restarts.
    fn after_timeout(&mut self) {}

    /// Handles a round-trip sample. Returns whether slow start ends here.
    fn sample(&mut self, _now: Instant, _round_trip: Duration, _window: u32) -> bool {
        false
    }

    /// Handles the first transmission after an idle time.
    fn resume(&mut self, _now: Instant, _last_sent: Instant) {}
}

/// A factory for congestion control algorithms, one for each connection.
///
/// Two are equal if they are the same factory.
#[derive(Clone)]
pub struct OwnLaw(Arc<dyn Fn() -> Box<dyn CongestionLaw> + Send + Sync>);

impl OwnLaw {
    pub(crate) fn new(start: impl Fn() -> Box<dyn CongestionLaw> + Send + Sync + 'static) -> Self {
        Self(Arc::new(start))
    }
}

impl fmt::Debug for OwnLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)().fmt(f)
    }
}

impl PartialEq for OwnLaw {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The law of a connection. Those of the project cost no call through a table.
#[derive(Debug)]
pub(super) enum Law {
    Reno {
        /// The window factor after a loss, times 1024.
        beta: u32,
    },
    Cubic(Box<Cubic>),
    /// Twice a box, so that the law of a connection takes little room.
    Own(Box<Box<dyn CongestionLaw>>),
}

/// What Cubic multiplies the window by after a loss (RFC 9438 section 4.6).
const CUBIC_BETA: f64 = 0.7;
/// What Reno does (RFC 5681 section 3.1).
const RENO_BETA: f64 = 0.5;

impl Law {
    pub(super) fn of(profile: &TcpProfile) -> Self {
        let beta = |usual: f64| {
            let rounded = profile.beta.unwrap_or(usual) * 1024.0 + 0.5;
            // The cast makes 0 of what is below it or no number.
            (rounded as u32).min(1023)
        };
        match &profile.congestion {
            CongestionControl::Cubic => Self::Cubic(Box::new(Cubic::new(beta(CUBIC_BETA)))),
            CongestionControl::Reno => Self::Reno {
                beta: beta(RENO_BETA),
            },
            CongestionControl::Own(law) => Self::Own(Box::new((law.0)())),
        }
    }

    pub(super) fn growth_interval(&mut self, now: Instant, window: u32, acked: u32) -> u32 {
        match self {
            Self::Reno { .. } => window,
            Self::Cubic(cubic) => cubic.growth_interval(now, window, acked),
            Self::Own(law) => law.growth_interval(now, window, acked).max(1),
        }
    }

    pub(super) fn threshold_after_loss(&mut self, window: u32) -> u32 {
        match self {
            Self::Reno { beta } => {
                let left = u64::from(window) * u64::from(*beta) / 1024;
                (left as u32).max(2)
            }
            Self::Cubic(cubic) => cubic.threshold_after_loss(window),
            Self::Own(law) => law.threshold_after_loss(window).max(2),
        }
    }

    pub(super) fn after_timeout(&mut self) {
        match self {
            Self::Reno { .. } => {}
            Self::Cubic(cubic) => cubic.reset(),
            Self::Own(law) => law.after_timeout(),
        }
    }

    pub(super) fn start_round(&mut self, now: Instant, next: Seq) {
        if let Self::Cubic(cubic) = self {
            cubic.start_round(now, next);
        }
    }

    /// Takes a round trip in microseconds; says whether slow start should end here.
    pub(super) fn sample(&mut self, now: Instant, rtt: u32, window: Window) -> bool {
        match self {
            Self::Reno { .. } => false,
            Self::Cubic(cubic) => cubic.sample(now, rtt, window),
            Self::Own(law) => {
                let round_trip = Duration::from_nanos(u64::from(rtt) * 1_000);
                law.sample(now, round_trip, window.segments) && window.is_in_slow_start
            }
        }
    }

    pub(super) fn resume(&mut self, now: Instant, last_sent: Instant) {
        match self {
            Self::Reno { .. } => {}
            Self::Cubic(cubic) => cubic.resume(now, last_sent),
            Self::Own(law) => law.resume(now, last_sent),
        }
    }
}
