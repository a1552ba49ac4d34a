use lasthop_units::DecibelMilliwatts;

use crate::provenance::named_enum;

/// A radio state by power draw, in ascending order from deep sleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RadioState {
    /// Power saving mode (TS 23.682 section 4.5.4) or switched off; only a clock runs.
    DeepSleep,
    /// Idle and not listening: between paging occasions of DRX and eDRX (TS 36.304 section 7).
    LightSleep,
    /// Connected, and neither sending nor receiving: gaps between channels, and DRX (TS 36.321 section 5.7).
    ConnectedSleep,
    /// Listening.
    Receive,
    /// Sending with this power at the antenna.
    Transmit(DecibelMilliwatts),
}

impl RadioState {
    /// The number of state kinds. The transmit power does not create further kinds.
    pub const COUNT: usize = 5;

    /// The name of each kind in result tables, in order.
    pub const NAMES: [&str; Self::COUNT] = [
        "deep_sleep",
        "light_sleep",
        "connected_sleep",
        "receive",
        "transmit",
    ];

    /// Returns the index of the kind, below [`RadioState::COUNT`].
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::DeepSleep => 0,
            Self::LightSleep => 1,
            Self::ConnectedSleep => 2,
            Self::Receive => 3,
            Self::Transmit(_) => 4,
        }
    }

    /// The name of the kind in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self.index()]
    }
}

named_enum! {
    /// The purpose of radio time.
    RadioCause {
        /// Random access: preambles, the response, Msg3 and contention resolution (TS 36.321 section 5.1), with the
        /// waiting times in between.
        RandomAccess = "random_access",
        /// RRC and NAS messages, and their scheduling.
        Signalling = "signalling",
        /// Bytes of IP packets, with the headers of the radio layers and their scheduling.
        Payload = "payload",
        /// HARQ feedback (NPUSCH format 2) and RLC status, both ways.
        Acknowledgement = "acknowledgement",
        /// Connected without traffic: the inactivity timer, connected DRX.
        Waiting = "waiting",
        /// Getting in step again: system information, and resynchronisation after a sleep and in uplink gaps.
        Synchronisation = "synchronisation",
        /// The search of a device that is not registered for a cell: NPSS and NSSS, on one carrier or on many.
        CellSearch = "cell_search",
        /// All else that a registration takes (TS 24.301 section 5.5.1): the start of the module, system information, random
        /// access, RRC and NAS messages, and the waits between attempts.
        Attach = "attach",
        /// Paging occasions while idle.
        Paging = "paging",
        /// The module firmware: start-up, and forwarding packets between application and radio.
        Module = "module",
        /// Idle between paging occasions, or in power saving mode.
        Sleep = "sleep",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_state_has_a_name_and_a_number_of_its_own() {
        let states = [
            RadioState::DeepSleep,
            RadioState::LightSleep,
            RadioState::ConnectedSleep,
            RadioState::Receive,
            RadioState::Transmit(DecibelMilliwatts::new(23.0)),
        ];
        for (index, state) in states.into_iter().enumerate() {
            assert_eq!(state.index(), index);
            assert_eq!(state.name(), RadioState::NAMES[index]);
        }
    }
}
