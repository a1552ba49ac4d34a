//! Re-establishment of a connection after a radio link failure.

use lasthop_contract::{RadioCause, RadioState};

use super::events::Event;
use super::{Cell, Context};
use crate::device::{Access, AccessPurpose, DeviceKey};
use crate::phy::Subframe;
use crate::radio_line::RadioLane;

impl Cell {
    /// A device whose radio link has failed finds its cell again and asks it for its connection (TS 36.331 section 5.3.7); gives
    /// whether it does. What RLC held is sent again.
    pub(super) fn reestablishes(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> bool {
        let Some(again) = &cx.settings.config.connection.reestablishment else {
            return false;
        };
        let Some(device) = cx.devices.get_mut(key) else {
            return false;
        };
        let is_set_up = (device.connection.as_ref())
            .is_some_and(|connection| connection.resolved && connection.is_set_up());
        if !is_set_up {
            return false;
        }
        self.abandon_connection(cx, key);
        let Some(device) = cx.devices.get_mut(key) else {
            return false;
        };
        device.radio.cut(cx.instant);
        device.is_reestablishing = true;
        let level = device.level;
        let search_ms = cx.settings.config.levels[usize::from(level)].synchronisation_ms;
        let ready = Subframe::at_or_after(cx.instant) + u64::from(search_ms);
        device.radio.spend(
            ready.start(),
            RadioState::Receive,
            RadioCause::Synchronisation,
        );
        let search = (cx.instant, ready.start());
        cx.watch.note(key, RadioLane::Module, search, true, || {
            "the radio link has failed; finds its cell again".into()
        });
        device.access = Some(Access::new(AccessPurpose::Connect, level, ready.start()));
        self.events
            .push(ready + u64::from(again.t301_ms), Event::SetUpTimer(key));
        self.send_preamble(cx, key, ready);
        true
    }
}
