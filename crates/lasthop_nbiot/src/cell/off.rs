//! Devices that are switched off and on again, and a cell after an outage.

use lasthop_contract::{DropReason, RadioCause, RadioState};

use super::attach::T3411_MS;
use super::events::Event;
use super::{Cell, Context};
use crate::device::{Device, DeviceKey, Registration};
use crate::phy::Subframe;

impl Cell {
    /// A device is off, after all that was under way has ended.
    pub(crate) fn goes_off(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        nothing_is_planned(device);
        device.is_off = true;
        device.is_registering = false;
        device.radio.end_registration();
        device.radio.tell(cx.instant, cx.outputs);
    }

    /// A device is on again: it registers, which gives it a new bearer, unless no base station hears it.
    pub(crate) fn comes_on(&mut self, cx: &mut Context<'_>, key: DeviceKey, is_silent: bool) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let radio = &mut device.radio;
        radio.spend(cx.instant, RadioState::DeepSleep, RadioCause::Sleep);
        device.is_off = false;
        device.is_registering = true;
        device.knows_system_information = false;
        device.idle.begin(cx.now);
        self.drop_packets(cx, key, DropReason::Detached);
        if !is_silent {
            self.connect(cx, key);
        }
    }

    /// The cell is back after an outage, in which nothing was planned for a device.
    pub(crate) fn is_back(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let now = cx.now;
        let idle = &cx.settings.config.idle;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if device.is_off {
            return;
        }
        device.knows_system_information = false;
        let is_due = device
            .idle
            .periodic_update(idle)
            .is_some_and(|at| at <= now);
        if is_due && !device.is_registering {
            device.idle.begin_update();
        }
        if is_due || device.is_registering {
            self.connect(cx, key);
        } else {
            self.arm_periodic_update(cx, key);
        }
    }

    /// The base station falls silent: a device sleeps, and knows nothing of it.
    pub(crate) fn falls_silent(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        if let Some(device) = cx.devices.get_mut(key) {
            nothing_is_planned(device);
            device.radio.tell(cx.instant, cx.outputs);
        }
    }

    /// Sees to it that a registration which has failed is tried again.
    pub(super) fn arm_registration(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let at: Subframe = cx.now + T3411_MS;
        if let Some(device) = cx.devices.get_mut(key) {
            device.idle.update_event = Some(at);
            self.events.push(at, Event::PeriodicUpdate(key));
        }
    }
}

/// Events of a device have found nobody.
fn nothing_is_planned(device: &mut Device) {
    device.give_up_event = None;
    device.registration = Registration::default();
    device.idle.update_event = None;
    device.allowed_event = None;
    device.is_reestablishing = false;
    device.paged = false;
    device.page = None;
}
