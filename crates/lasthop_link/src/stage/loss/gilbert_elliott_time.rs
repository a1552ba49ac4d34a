use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Instant, Probability};
use serde::{Deserialize, Serialize};

use crate::ConfigError;
use crate::config::read_checked;

/// Bursty loss by a Gilbert-Elliott chain in time: good and bad periods with exponentially distributed lengths.
///
/// The periods are a function of seed, name and time alone, never of the packets: whoever sends over this link,
/// and however much, meets the same bad periods. The start is stationary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct GilbertElliottTime {
    #[serde(rename = "mean_good_ns")]
    mean_good: Duration,
    #[serde(rename = "mean_bad_ns")]
    mean_bad: Duration,
    loss_in_good: Probability,
    loss_in_bad: Probability,
}

read_checked!(GilbertElliottTime);

/// Below this a jump over a quiet hour would take billions of steps.
const SHORTEST_MEAN: Duration = Duration::from_nanos(1_000);

impl GilbertElliottTime {
    /// Creates a loss model from the mean length of good and bad periods and the loss probability in each.
    ///
    /// # Errors
    /// [`ConfigError::HoldingTimeTooShort`] for a mean below one microsecond.
    pub fn new(
        mean_good: Duration,
        mean_bad: Duration,
        loss_in_good: Probability,
        loss_in_bad: Probability,
    ) -> Result<Self, ConfigError> {
        let model = Self {
            mean_good,
            mean_bad,
            loss_in_good,
            loss_in_bad,
        };
        model.checked()
    }

    fn checked(self) -> Result<Self, ConfigError> {
        if self.mean_good.min(self.mean_bad) < SHORTEST_MEAN {
            return Err(ConfigError::HoldingTimeTooShort);
        }
        Ok(self)
    }

    /// Returns the long-run share of time in the bad state.
    #[must_use]
    pub fn share_bad(&self) -> f64 {
        let (good, bad) = (self.mean_good.as_secs_f64(), self.mean_bad.as_secs_f64());
        bad / (good + bad)
    }

    pub(super) fn start(self, seed: u64, prefix: &str) -> GilbertElliottTimeLoss {
        let mut periods = RandomStream::named(seed, format_args!("{prefix}/loss/periods"));
        let bad = periods.unit() < self.share_bad();
        let mut loss = GilbertElliottTimeLoss {
            model: self,
            bad,
            until: Instant::ZERO,
            periods,
            draws: RandomStream::named(seed, format_args!("{prefix}/loss/draws")),
        };
        // What is left of an exponential period is distributed as a whole one.
        loss.hold();
        loss
    }
}

#[derive(Debug)]
pub(crate) struct GilbertElliottTimeLoss {
    model: GilbertElliottTime,
    bad: bool,
    /// When the present period ends.
    until: Instant,
    periods: RandomStream,
    draws: RandomStream,
}

impl GilbertElliottTimeLoss {
    pub(super) fn takes(&mut self, at: Instant) -> bool {
        while self.until <= at && self.until < Instant::FAR_FUTURE {
            self.bad = !self.bad;
            self.hold();
        }
        let loss = if self.bad {
            self.model.loss_in_bad
        } else {
            self.model.loss_in_good
        };
        self.draws.chance(loss)
    }

    fn hold(&mut self) {
        let mean = if self.bad {
            self.model.mean_bad
        } else {
            self.model.mean_good
        };
        self.until += self.periods.exponential(mean);
    }
}
