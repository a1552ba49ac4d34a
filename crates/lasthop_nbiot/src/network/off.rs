//! Devices that are switched off and on again, and base stations with an outage.

use lasthop_contract::{DropReason, Port};
use lasthop_units::Instant;

use super::NbIotNetwork;
use crate::cell::{Cell, Context};
use crate::device::DeviceKey;

impl NbIotNetwork {
    /// A device loses its power, without a word: what its radio and the base station have for it is lost.
    pub(super) fn switch_off(&mut self, now: Instant, port: Port) {
        let Some(key) = self.key_at(port) else { return };
        if self.devices.get(key).is_none_or(|device| device.is_off) {
            return;
        }
        self.interrupt(now, key, DropReason::Detached);
        self.with_cell_at(now, port, Cell::goes_off);
    }

    /// A device has power again: it finds the network and registers with it.
    pub(super) fn switch_on(&mut self, now: Instant, port: Port) {
        let Some(key) = self.key_at(port) else {
            return self.attach(now, port);
        };
        if self.devices.get(key).is_none_or(|device| !device.is_off) {
            return;
        }
        let is_silent = self.outages > 0;
        self.with_cell_at(now, port, |cell, cx, key| cell.comes_on(cx, key, is_silent));
    }

    /// No base station sends or hears any more: connections, accesses and pages end, with the packets in them.
    pub(super) fn begin_outage(&mut self, now: Instant) {
        self.outages += 1;
        if self.outages > 1 {
            return;
        }
        for slot in 0..self.devices.slots() {
            if let Some(key) = self.devices.key_of(slot) {
                self.interrupt(now, key, DropReason::Outage);
                self.with_cell_at(now, Port(2 * slot), Cell::falls_silent);
            }
        }
    }

    /// The base stations are back: who has not registered does, and whose update was due tells that he is there.
    pub(super) fn end_outage(&mut self, now: Instant) {
        self.outages = self.outages.saturating_sub(1);
        if self.outages > 0 {
            return;
        }
        for slot in 0..self.devices.slots() {
            self.with_cell_at(now, Port(2 * slot), Cell::is_back);
        }
    }

    /// Why a packet ends that finds nobody.
    pub(super) fn reason_of_nobody(&self) -> DropReason {
        match self.outages {
            0 => DropReason::NotAttached,
            _ => DropReason::Outage,
        }
    }

    /// Ends all that is under way for a device, with the packets in it. What was planned for it finds nobody.
    fn interrupt(&mut self, now: Instant, key: DeviceKey, reason: DropReason) {
        self.with_cell_of(now, key, |cell, cx| cell.interrupt(cx, key, reason));
        self.devices.renew(key.slot);
    }

    fn with_cell_at(
        &mut self,
        now: Instant,
        port: Port,
        work: impl FnOnce(&mut Cell, &mut Context<'_>, DeviceKey),
    ) {
        if let Some(key) = self.key_at(port) {
            self.with_cell_of(now, key, |cell, cx| work(cell, cx, key));
        }
    }

    fn key_at(&self, radio: Port) -> Option<DeviceKey> {
        let key = self.devices.key_of(radio.0 / 2)?;
        radio.0.is_multiple_of(2).then_some(key)
    }
}
