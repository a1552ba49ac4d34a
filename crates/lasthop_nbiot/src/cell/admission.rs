//! Admission control: access barring and rejected connection requests.

use std::collections::VecDeque;

use super::events::Event;
use super::{Cell, Context};
use crate::device::{AccessPurpose, Connection, Content, DeviceKey, RELEASE};
use crate::phy::Subframe;
use crate::radio_line::RadioLane;
use crate::rrc::Sequence;

impl Cell {
    /// A device wants a connection of its own accord: it begins, and tells so, or is held back until it may.
    pub(super) fn connect(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> bool {
        if !self.may_register(cx, key) {
            return false;
        }
        let barring = &cx.settings.config.random_access.access_barring;
        let now = cx.now;
        let Some(device) = cx.devices.get_mut(key) else {
            return false;
        };
        let from = device.turned_away_until.max(now);
        let allowed = match barring {
            None => Some(from),
            Some(barring) => {
                let allowed = barring.allowed_from_ms(device.access_class, from.0);
                if allowed == Some(from.0) {
                    Some(from)
                } else {
                    self.report.of(device.level).barred += 1;
                    // It looks again where it listens for pages, and so each at another time.
                    let idle = &cx.settings.config.idle;
                    allowed.map(|at| device.idle.next_in_cycle(idle, Subframe(at)))
                }
            }
        };
        if allowed == Some(now) {
            self.begin_access(cx, key, AccessPurpose::Connect);
            return true;
        }
        if let Some(at) = allowed
            && device.allowed_event != allowed
        {
            device.allowed_event = allowed;
            let held = (now.start(), at.start());
            cx.watch.note(key, RadioLane::Module, held, true, || {
                "may not begin an access: barred, or turned away".into()
            });
            self.events.push(at, Event::AccessAllowed(key));
        }
        false
    }

    /// A device that was held back may begin, if it still wants to.
    pub(super) fn access_allowed(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let now = cx.now;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if device.allowed_event != Some(now) {
            return;
        }
        device.allowed_event = None;
        let wants = !device.up.is_empty() || device.is_registering || device.idle.is_updating();
        if wants && device.is_idle() && !device.is_off {
            self.connect(cx, key);
        }
    }

    /// Turns a request for a connection away, if so many devices wait that the cell takes no more. Gives whether it does.
    pub(super) fn turns_away(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        level: u8,
        listens_from: Subframe,
    ) -> bool {
        let Some(reject) = &cx.settings.config.random_access.reject else {
            return false;
        };
        let waiting: usize = self.queues.iter().map(VecDeque::len).sum();
        let now = cx.now;
        let Some(device) = cx.devices.get_mut(key) else {
            return false;
        };
        if waiting <= reject.above_waiting as usize || device.is_reestablishing {
            return false;
        }
        let message = Sequence::REJECTED.release;
        let mut connection = Box::new(Connection::new(&Sequence::REJECTED, level, now));
        connection.step = 1;
        connection.listens_from = listens_from;
        connection.releasing = true;
        connection.contention_due = true;
        connection.srb0 = Some(message.sdu(0));
        connection.on_srb0 = Some(Content {
            step: Some(RELEASE),
            packet: None,
        });
        device.connection = Some(connection);
        true
    }

    /// A device has been told to keep away for a time.
    pub(super) fn was_turned_away(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let now = cx.now;
        let wait_ms = (cx.settings.config.random_access.reject.as_ref())
            .map_or(0, |reject| u64::from(reject.wait_s) * 1000);
        if let Some(device) = cx.devices.get_mut(key) {
            device.turned_away_until = now + wait_ms;
            self.report.of(device.level).rejected += 1;
        }
    }
}
