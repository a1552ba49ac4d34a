use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::{Duration, Energy, Power};

use crate::PowerProfile;

const CAUSES: usize = RadioCause::ALL.len();

/// Time and energy by radio state and purpose, in constant memory.
#[derive(Clone, Debug)]
pub struct EnergyAccount {
    profile: PowerProfile,
    times: [[Duration; CAUSES]; RadioState::COUNT],
    /// What sending took. It depends on the power at the antenna, unlike that of the other states.
    transmitted: [Energy; CAUSES],
}

impl EnergyAccount {
    /// Creates an empty account for radios with this power profile.
    #[must_use]
    pub fn new(profile: PowerProfile) -> Self {
        Self {
            profile,
            times: [[Duration::ZERO; CAUSES]; RadioState::COUNT],
            transmitted: [Energy::ZERO; CAUSES],
        }
    }

    /// Records a span of a radio's time.
    pub fn record(&mut self, state: RadioState, cause: RadioCause, duration: Duration) {
        let cause = cause as usize;
        self.times[state.index()][cause] += duration;
        if let RadioState::Transmit(level) = state {
            self.transmitted[cause] += self.profile.transmit.at(level) * duration;
        }
    }

    /// Returns the time in a kind of state, by its index, for a cause.
    ///
    /// # Panics
    /// When the number is not below [`RadioState::COUNT`].
    #[must_use]
    pub fn time(&self, state: usize, cause: RadioCause) -> Duration {
        self.times[state][cause as usize]
    }

    /// Returns the time in a kind of state, by its index.
    ///
    /// # Panics
    /// When the number is not below [`RadioState::COUNT`].
    #[must_use]
    pub fn time_in(&self, state: usize) -> Duration {
        self.times[state].iter().copied().sum()
    }

    /// Returns the time in all states. This is the time for which the radios were attached, if all spans were recorded.
    #[must_use]
    pub fn total_time(&self) -> Duration {
        (0..RadioState::COUNT)
            .map(|state| self.time_in(state))
            .sum()
    }

    /// Returns the energy for a cause.
    #[must_use]
    pub fn energy_for(&self, cause: RadioCause) -> Energy {
        let asleep_or_listening: Energy = [
            RadioState::DeepSleep,
            RadioState::LightSleep,
            RadioState::ConnectedSleep,
            RadioState::Receive,
        ]
        .map(|state| self.profile.draws(state) * self.time(state.index(), cause))
        .into_iter()
        .sum();
        asleep_or_listening + self.transmitted[cause as usize]
    }

    /// Returns the energy for all causes.
    #[must_use]
    pub fn total_energy(&self) -> Energy {
        RadioCause::ALL
            .into_iter()
            .map(|cause| self.energy_for(cause))
            .sum()
    }

    /// Returns the energy divided by the time; `None` without time.
    #[must_use]
    pub fn mean_power(&self) -> Option<Power> {
        let time = self.total_time();
        (time > Duration::ZERO).then(|| self.total_energy() / time)
    }
}
