use lasthop_contract::{Direction, DropReason};

use super::events::Event;
use super::{Cell, Context};
use crate::device::{AccessPurpose, DeviceKey};
use crate::phy::Subframe;

impl Cell {
    /// T300, or T301 (TS 36.331 section 7.3): a set-up that has not come as far as Msg4 has failed.
    pub(super) fn set_up_timer(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let timers = &cx.settings.config.connection;
        let now = cx.now;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let t300 = u64::from(match &timers.reestablishment {
            Some(again) if device.is_reestablishing => again.t301_ms,
            _ => timers.t300_ms,
        });
        let has_expired = device.access.as_ref().is_some_and(|access| {
            access.purpose == AccessPurpose::Connect
                && Subframe::at_or_after(access.started) + t300 <= now
        });
        if has_expired {
            self.access_fails(cx, key, true);
        }
    }

    /// Sets the timers of a connection on which something has happened.
    pub(super) fn arm_timers(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let inactivity = u64::from(cx.settings.config.connection.inactivity_ms);
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        if connection.is_set_up() && connection.inactivity_event.is_none() {
            let at = connection.active + inactivity;
            connection.inactivity_event = Some(at);
            self.events.push(at, Event::InactivityTimer(key));
        }
        let deadline = connection.poll_deadline();
        if let Some(deadline) = deadline
            && connection.poll_event.is_none()
        {
            connection.poll_event = Some(deadline);
            self.events
                .push(Subframe::at_or_after(deadline), Event::PollTimer(key));
        }
    }

    /// The answer to a poll may be overdue.
    pub(super) fn poll_timer(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let now = cx.instant;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        if connection.poll_event.take().is_none_or(|at| at > now) {
            return;
        }
        for pipe in connection.up.iter_mut().chain(&mut connection.down) {
            pipe.transmitter.handle_timeout(now, &settings.rlc);
        }
        self.after_exchange(cx, key);
    }

    /// A connection on which nothing has happened for long is released.
    pub(super) fn inactivity_timer(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let inactivity = u64::from(cx.settings.config.connection.inactivity_ms);
        let now = cx.now;
        let Some(device) = cx.device(key) else { return };
        let has_access = device.access.is_some();
        let Some(connection) = &mut device.connection else {
            return;
        };
        if connection.inactivity_event != Some(now) {
            return;
        }
        connection.inactivity_event = None;
        let is_quiet = connection.active + inactivity <= now
            && !has_access
            && !connection.is_busy()
            && !connection.queued
            && connection.uplinks.is_empty()
            && connection.downlinks.is_empty();
        if !is_quiet {
            if connection.active + inactivity <= now {
                connection.active = now;
            }
            self.arm_timers(cx, key);
            return;
        }
        if !connection.releasing {
            self.ask_for_release(cx, key);
        }
        self.serve(cx, key);
    }

    /// T3412 may have run out: an idle device tells the network that it is still there (TS 24.301 section 5.5.3.2.2).
    pub(super) fn periodic_update(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let now = cx.now;
        let settings = cx.settings;
        let Some(device) = cx.device(key) else { return };
        device.idle.update_event = None;
        if !device.is_idle() || device.is_off {
            return;
        }
        if device.is_registering {
            self.connect(cx, key);
            return;
        }
        if device.idle.periodic_update(&settings.config.idle) == Some(now) {
            device.idle.begin_update();
            self.connect(cx, key);
        } else {
            self.arm_periodic_update(cx, key);
        }
    }

    /// Sees to it that somebody looks when T3412 of an idle device runs out.
    pub(crate) fn arm_periodic_update(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(device) = cx.device(key) else { return };
        if device.idle.update_event.is_some() {
            return;
        }
        if let Some(at) = device.idle.periodic_update(&settings.config.idle) {
            device.idle.update_event = Some(at);
            self.events.push(at, Event::PeriodicUpdate(key));
        }
    }

    /// A packet may have waited longer than anybody waits.
    pub(super) fn give_up(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let wait = lasthop_units::Duration::from_millis(cx.settings.config.give_up_ms);
        let now = cx.instant;
        let settings = cx.settings;
        let Some(device) = cx.device(key) else { return };
        device.give_up_event = None;
        let oldest = device
            .since
            .iter()
            .filter_map(|since| since.front())
            .min()
            .copied();
        let Some(oldest) = oldest else { return };
        if oldest + wait > now {
            self.arm_give_up(cx, key);
            return;
        }
        if device.is_registering && settings.config.idle.attach.is_some() {
            // It registers for whatever comes later, too.
            self.drop_overdue(cx, key, &Direction::ALL);
            return;
        }
        if device.is_idle() && device.up.is_empty() {
            // The device knows nothing of it: it sleeps on.
            self.drop_overdue(cx, key, &[Direction::Down]);
            return;
        }
        if device.is_idle() {
            // One that is held back has slept so far.
            device.account_idle(&settings.config, now);
        }
        // The device stops trying: its connection and its access end, and all that waits with them.
        let access = device.access.take();
        if let Some(burst) = access.and_then(|access| access.burst) {
            cx.channel.uplink_withdrawn(burst);
        }
        if self.end_connection(cx, key, DropReason::GaveUp).is_none() {
            self.drop_packets(cx, key, DropReason::GaveUp);
        }
        self.becomes_idle(cx, key);
    }

    /// Sees to it that somebody looks when the oldest packet has waited too long.
    pub(super) fn arm_give_up(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let wait = lasthop_units::Duration::from_millis(cx.settings.config.give_up_ms);
        let Some(device) = cx.device(key) else { return };
        if device.give_up_event.is_some() {
            return;
        }
        let oldest = device.since.iter().filter_map(|since| since.front()).min();
        if let Some(oldest) = oldest {
            let at = Subframe::at_or_after(*oldest + wait);
            device.give_up_event = Some(at);
            self.events.push(at, Event::GiveUp(key));
        }
    }
}
