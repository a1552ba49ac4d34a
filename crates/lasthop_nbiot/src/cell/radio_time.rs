use std::collections::VecDeque;

use lasthop_contract::{LinkOutput, RadioCause, RadioState};
use lasthop_units::Instant;

use super::Settings;
use super::radio_use::connected_listening_share;
use crate::device::Device;

/// Tells what the radio of a device did up to `now`. What is planned goes on after it; where nothing is, it is asleep,
/// waits for an answer to its preamble, or listens to its search space.
pub(crate) fn tell_radio_time(
    device: &mut Device,
    settings: &Settings,
    now: Instant,
    outputs: &mut VecDeque<LinkOutput>,
) {
    if device.is_off {
        let radio = &mut device.radio;
        radio.spend(now, RadioState::DeepSleep, RadioCause::Sleep);
    } else if device.is_idle() {
        device.account_idle(&settings.config, now);
    } else if let Some(connection) = &device.connection
        && device.access.is_none()
    {
        let share = connected_listening_share(connection, settings);
        device.radio.listen(now, share, RadioCause::Waiting);
    } else {
        device
            .radio
            .spend(now, RadioState::LightSleep, RadioCause::RandomAccess);
    }
    device.radio.tell_up_to(now, outputs);
}
