use lasthop_contract::RadioCause;

use crate::cell::events::Event;
use crate::cell::npusch::{npusch_burst, npusch_power_dbm};
use crate::cell::radio_use::{cause_of, spend_assignment, spend_transmission};
use crate::cell::{Cell, Context, Settings};
use crate::channel::BurstKind;
use crate::device::{Connection, DeviceKey, Downlink, pipe_index};
use crate::layer2::{Element, Fate, MacPdu, StatusReports};
use crate::link_tables::BlockErrorRate;
use crate::phy::{ResourceUnit, monitoring_after_npusch};

impl Cell {
    /// The device has received an NPDSCH, or has not heard of it.
    pub(in crate::cell) fn downlink_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(mut downlink) = take_downlink(cx, key) else {
            return;
        };
        downlink.heard = self.hears_dci(cx, key, &downlink.dci, downlink.dci_repetitions);
        let mut newly_decoded = false;
        if downlink.heard {
            if !downlink.decoded {
                let (received, decoded) = self.decodes(
                    cx,
                    key,
                    &downlink.data,
                    &downlink.format,
                    downlink.received,
                    downlink.luck,
                );
                downlink.received = received;
                newly_decoded = decoded;
                downlink.decoded = decoded;
            }
            let Some(device) = cx.devices.get_mut(key) else {
                return;
            };
            if downlink.attempts == 1
                && let Some(target) = settings.target_block_error(device.level)
            {
                device.expected.learn(0, !newly_decoded, target);
            }
            let cause = cause_of(device, &downlink.block);
            spend_assignment(device, settings, &downlink, cause);
            let unit = ResourceUnit {
                spacing: self.grid.spacing(),
                tones: 1,
            };
            let power_dbm = npusch_power_dbm(
                &settings.config,
                device.measured_loss_db,
                unit,
                downlink.ack_repetitions,
            );
            downlink.burst = Some(cx.channel.uplink_starts(
                cx.instant,
                key.slot,
                &npusch_burst(
                    &downlink.acknowledgement,
                    unit.spacing,
                    power_dbm,
                    BurstKind::Acknowledgement,
                    downlink.ack_repetitions,
                ),
            ));
            spend_transmission(
                device,
                &downlink.acknowledgement,
                power_dbm,
                RadioCause::Acknowledgement,
            );
        }
        self.events.push(
            downlink.acknowledgement.span.end,
            Event::AcknowledgementEnds(key),
        );
        let elements = newly_decoded.then(|| core::mem::take(&mut downlink.block.elements));
        put_downlink(cx, key, downlink);
        if let Some(elements) = elements {
            for element in &elements {
                self.device_receives(cx, key, element);
            }
            if let Some(downlink) = downlink_of(cx, key) {
                downlink.block.elements = elements;
            }
        }
    }

    /// The base station has received an acknowledgement, or silence.
    pub(in crate::cell) fn acknowledgement_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.advance(cx.now);
        let settings = cx.settings;
        let Some(mut downlink) = take_downlink(cx, key) else {
            return;
        };
        downlink.under_way = false;
        let mut says_yes = downlink.decoded && downlink.heard;
        if let Some(burst) = downlink.burst.take() {
            let received = cx.channel.uplink_ends(key.slot, burst);
            if settings.config.switches.block_errors
                && let Some(device) = cx.devices.get_mut(key)
            {
                let error = BlockErrorRate::npusch_format_2().at(received.decibels());
                says_yes ^= device.stream.unit() < error;
            }
        }
        let now = cx.now;
        let Some(device) = cx.device(key) else { return };
        device.expected.learn_control(downlink.heard);
        let Some(connection) = &mut device.connection else {
            return;
        };
        connection.listens_from = monitoring_after_npusch(now);
        connection.active = now;
        let level = connection.level;
        if says_yes {
            connection.lost_blocks = 0;
            if let StatusReports::Free = settings.rlc.status_reports {
                settle(connection, &downlink.block, Fate::Arrived, settings);
            }
            self.after_exchange(cx, key);
            return;
        }
        if downlink.attempts < settings.config.connection.harq_transmissions {
            put_downlink(cx, key, downlink);
            self.serve(cx, key);
            return;
        }
        if let StatusReports::Free = settings.rlc.status_reports {
            settle(connection, &downlink.block, Fate::Lost, settings);
        }
        self.report.of(level).blocks_lost += 1;
        self.block_lost(cx, key);
    }
}

/// Tells RLC of the base station what became of a block, where that is free.
fn settle(connection: &mut Connection, block: &MacPdu, fate: Fate, settings: &Settings) {
    for element in &block.elements {
        if let Element::Data(bearer, pdu) = element {
            connection.down[pipe_index(*bearer)]
                .transmitter
                .settle(pdu, fate, &settings.rlc);
        }
    }
}

fn downlink_of<'a>(cx: &'a mut Context<'_>, key: DeviceKey) -> Option<&'a mut Downlink> {
    cx.device(key)?.connection.as_mut()?.downlink.as_mut()
}

fn take_downlink(cx: &mut Context<'_>, key: DeviceKey) -> Option<Downlink> {
    let connection = cx.device(key)?.connection.as_mut()?;
    if !connection.downlink.as_ref()?.under_way {
        return None;
    }
    connection.downlink.take()
}

fn put_downlink(cx: &mut Context<'_>, key: DeviceKey, downlink: Downlink) {
    if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
        connection.downlink = Some(downlink);
    }
}
