use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::Instant;

use super::Device;
use crate::config::NetworkConfig;
use crate::phy::Subframe;

/// How far a device is that registers (TS 24.301 section 5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Registration {
    /// The attach attempt counter: attempts that failed since it was switched on, or since T3402 expired.
    pub(crate) failed_attempts: u8,
    /// Cell searches in a row that found nothing.
    pub(crate) failed_searches: u32,
    /// When it tries again; `None` while it tries.
    pub(crate) waits_until: Option<Subframe>,
}

impl Device {
    /// Tells what the radio of an idle device did from where its log ended until `until`.
    ///
    /// One that waits to register again has no paging occasions. Where it has found a cell it stays in step with it; where not,
    /// there is nothing to listen to and it sleeps deeply.
    pub(crate) fn account_idle(&mut self, config: &NetworkConfig, until: Instant) {
        if !self.is_registering || config.idle.attach.is_none() {
            self.idle.account(config, until, &mut self.radio);
        } else if self.knows_system_information {
            self.radio
                .spend(until, RadioState::LightSleep, RadioCause::Attach);
        } else {
            self.radio
                .spend(until, RadioState::DeepSleep, RadioCause::Sleep);
        }
    }
}
