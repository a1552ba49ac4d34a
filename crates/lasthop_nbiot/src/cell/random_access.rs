mod preamble;
mod response;

pub(super) use preamble::{EntryPoint, Opportunity};
pub(super) use response::Response;

use lasthop_contract::{RadioCause, RadioState};

use super::events::Event;
use super::radio_use::connected_listening_share;
use super::{Cell, Context};
use crate::device::{Access, AccessPhase, AccessPurpose, DeviceKey};
use crate::phy::{PREAMBLE_RETRY_MS, Subframe};
use crate::radio_line::RadioLane;

impl Cell {
    /// A device begins a random access.
    pub(super) fn begin_access(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        purpose: AccessPurpose,
    ) {
        let instant = cx.instant;
        let settings = cx.settings;
        let Some(device) = cx.device(key) else { return };
        if device.is_idle() {
            device.account_idle(&settings.config, instant);
        }
        let (level, earliest) = match (purpose, &device.connection) {
            (AccessPurpose::Grant, Some(connection)) => {
                let earliest = Subframe::at_or_after(instant).max(connection.listens_from);
                let share = connected_listening_share(connection, settings);
                device.radio.listen(instant, share, RadioCause::Waiting);
                (connection.level, earliest)
            }
            _ => (device.level, self.wake_up(cx, key)),
        };
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.access = Some(Access::new(purpose, level, instant.max(earliest.start())));
        if device.connection.as_ref().is_some_and(|c| c.carrier > 0) {
            cx.channel.tune(key.slot, 0);
        }
        if purpose == AccessPurpose::Connect {
            let t300 = u64::from(settings.config.connection.t300_ms);
            let at = cx.now.max(earliest) + t300;
            self.events.push(at, Event::SetUpTimer(key));
        }
        self.send_preamble(cx, key, earliest);
    }

    /// A response window has ended without a response, or contention was lost: the next attempt, or none.
    pub(super) fn access_retry(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &mut device.access else {
            return;
        };
        if access.phase != AccessPhase::Response || cx.now < access.deadline {
            return;
        }
        self.report.of(access.level).responses_failed += 1;
        device.radio.spend(
            cx.now.start(),
            RadioState::Receive,
            RadioCause::RandomAccess,
        );
        self.next_attempt(cx, key);
    }

    /// Contention has not been resolved in this device's favour within its time.
    pub(super) fn contention_timer(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &device.access else { return };
        if access.phase != AccessPhase::Contention || cx.now < access.deadline {
            return;
        }
        self.report.of(access.level).contentions_lost += 1;
        device.radio.spend(
            cx.now.start(),
            RadioState::Receive,
            RadioCause::RandomAccess,
        );
        if access.purpose == AccessPurpose::Connect && device.connection.is_some() {
            self.forget_connection(cx, key);
        }
        self.next_attempt(cx, key);
    }

    pub(super) fn next_attempt(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let random_access = &cx.settings.config.random_access;
        let levels = cx.settings.levels.len() as u8;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &mut device.access else {
            return;
        };
        if access.attempts >= random_access.preamble_attempts {
            self.access_fails(cx, key, false);
            return;
        }
        let entry = (cx.settings.level(access.level)).entry(access.early_packets.is_some());
        if access.attempts_at_level >= entry.attempts && access.level + 1 < levels {
            access.level += 1;
            access.attempts_at_level = 0;
        }
        let waits = if access.backs_off {
            device
                .stream
                .below(u64::from(random_access.back_off_ms) + 1)
        } else {
            0
        };
        if waits > 0 {
            let backs_off = (cx.now.start(), (cx.now + waits).start());
            cx.watch.note(key, RadioLane::Module, backs_off, true, || {
                "backs off".into()
            });
        }
        let earliest = cx.now + PREAMBLE_RETRY_MS + waits;
        self.send_preamble(cx, key, earliest);
    }
}
