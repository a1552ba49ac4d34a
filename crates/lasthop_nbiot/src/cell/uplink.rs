mod block;

use lasthop_contract::RadioCause;

use self::block::build;
use super::events::Event;
use super::hearing::downlink_burst;
use super::npusch::{grant_delays, npusch_burst, npusch_error_rate, npusch_power_dbm};
use super::radio_use::{cause_of, spend_listening, spend_transmission};
use super::scheduler::{Booking, planned_ahead, search_space, uplink_bytes};
use super::{Cell, Context};
use crate::channel::{BurstKind, EsN0};
use crate::device::{DeviceKey, Uplink};
use crate::layer2::Element;
use crate::link_tables::Combining;
use crate::phy::{DownlinkChannel, UplinkChannel, monitoring_after_npusch};

impl Cell {
    /// Takes the resources of a grant: NPDCCH and NPUSCH.
    pub(super) fn book_uplink(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> Booking {
        let settings = cx.settings;
        let switches = &settings.config.switches;
        let Some(device) = cx.devices.get_mut(key) else {
            return Booking::Idle;
        };
        let expected = device.expected;
        let Some(connection) = &mut device.connection else {
            return Booking::Idle;
        };
        let formats = &settings.level(connection.level).formats;
        let space = search_space(connection, settings);
        let format = match &connection.uplink {
            Some(again) => again.format,
            None => formats.npusch(uplink_bytes(connection, settings) * 8, &expected),
        };
        let dci_repetitions = formats.dci_repetitions(&expected);
        let (mut from, until) = planned_ahead(connection, space, settings, cx.now);
        let (dci, allocation) = loop {
            let Some(dci) = self.timeline.find_dci(
                space,
                dci_repetitions,
                from,
                until,
                switches.first_candidate_only,
            ) else {
                return Booking::NoRoom;
            };
            let found = self.grid.find_grant(
                dci.end,
                grant_delays(switches.minimum_k0_only),
                format.duration_ms(),
                format.unit.tones,
            );
            match found {
                Some((_, allocation)) => break (dci, allocation),
                None => from = dci.end,
            }
        };
        self.timeline.reserve(&dci, DownlinkChannel::Npdcch);
        self.grid.reserve(&allocation, UplinkChannel::Data);
        self.report.dcis += 1;
        let counted = self.report.of(connection.level);
        counted.npusch_granted += 1;
        match &mut connection.uplink {
            Some(again) => {
                again.dci_repetitions = dci_repetitions;
                again.dci = dci;
                again.allocation = allocation;
                again.attempts += 1;
                again.under_way = true;
                counted.npusch_repeated += 1;
            }
            None => {
                connection.grant_due = false;
                connection.uplink = Some(Uplink {
                    block: None,
                    format,
                    dci_repetitions,
                    dci,
                    allocation,
                    burst: None,
                    attempts: 1,
                    sent: 0,
                    under_way: true,
                    received: EsN0::NOTHING,
                    luck: device.stream.unit(),
                });
            }
        }
        cx.channel.downlink_starts(
            cx.instant,
            self.index,
            &downlink_burst(&dci, dci_repetitions),
        );
        self.events.push(dci.end, Event::GrantEnds(key));
        Booking::Done
    }

    /// The device has heard a grant and fills its block, or has not heard it.
    pub(super) fn grant_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(mut uplink) = take_uplink(cx, key) else {
            return;
        };
        if self.hears_dci(cx, key, &uplink.dci, uplink.dci_repetitions) {
            let Some(device) = cx.devices.get_mut(key) else {
                return;
            };
            if uplink.block.is_none() {
                let size = uplink.format.block.bits / 8;
                uplink.block = Some(build(device, size, cx.instant, settings));
            }
            let cause = uplink
                .block
                .as_ref()
                .map_or(RadioCause::Signalling, |block| cause_of(device, block));
            spend_listening(device, settings, &uplink.dci, cause);
            let power_dbm = npusch_power_dbm(
                &settings.config,
                device.measured_loss_db,
                uplink.format.unit,
                uplink.format.repetitions,
            );
            uplink.burst = Some(cx.channel.uplink_starts(
                cx.instant,
                key.slot,
                &npusch_burst(
                    &uplink.allocation,
                    uplink.format.unit.spacing,
                    power_dbm,
                    BurstKind::Data,
                    uplink.format.repetitions,
                ),
            ));
            uplink.sent += 1;
            spend_transmission(device, &uplink.allocation, power_dbm, cause);
        }
        self.events
            .push(uplink.allocation.span.end, Event::UplinkEnds(key));
        put_uplink(cx, key, uplink);
    }

    /// The base station has received an NPUSCH, or nothing.
    pub(super) fn uplink_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.advance(cx.now);
        let settings = cx.settings;
        let Some(mut uplink) = take_uplink(cx, key) else {
            return;
        };
        uplink.under_way = false;
        let mut decoded = false;
        let heard = uplink.burst.is_some();
        if let Some(burst) = uplink.burst.take() {
            uplink.received += cx.channel.uplink_ends(key.slot, burst);
            decoded = !settings.config.switches.block_errors || is_decoded(&uplink);
        }
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.expected.learn_control(heard);
        if uplink.attempts == 1
            && uplink.sent == 1
            && let Some(target) = settings.target_block_error(device.level)
        {
            device.expected.learn(1, !decoded, target);
        }
        let Some(connection) = &mut device.connection else {
            return;
        };
        connection.listens_from = monitoring_after_npusch(cx.now);
        connection.active = cx.now;
        let level = connection.level;
        if decoded {
            connection.lost_blocks = 0;
            if let Some(block) = uplink.block {
                // A report tells what waits behind the data of its own block.
                let is_report = |element: &&Element| matches!(element, Element::Control(_));
                for element in block.elements.iter().filter(|element| !is_report(element)) {
                    self.base_station_receives(cx, key, element);
                }
                for report in block.elements.iter().filter(is_report) {
                    self.base_station_receives(cx, key, report);
                }
            }
            self.after_exchange(cx, key);
            return;
        }
        let is_lost = uplink
            .attempts
            .is_multiple_of(settings.config.connection.harq_transmissions.into());
        // A device keeps its block until a grant asks for a new one (TS 36.321 5.4.2.2), and no RLC would miss it
        // before its timer ran out: the base station goes on asking. Who heard no grant has no block, and is owed one.
        if is_lost && uplink.block.is_none() {
            connection.grant_due = !connection.releasing;
        } else {
            put_uplink(cx, key, uplink);
        }
        if is_lost {
            self.report.of(level).blocks_lost += 1;
            self.block_lost(cx, key);
        } else {
            self.serve(cx, key);
        }
    }
}

fn is_decoded(uplink: &Uplink) -> bool {
    let combining = if uplink.sent > 1 || uplink.format.has_both_redundancy_versions() {
        Combining::RedundancyVersions0And2
    } else {
        Combining::Chase
    };
    npusch_error_rate(&uplink.format, combining).at(uplink.received.decibels()) <= uplink.luck
}

fn take_uplink(cx: &mut Context<'_>, key: DeviceKey) -> Option<Uplink> {
    let connection = cx.device(key)?.connection.as_mut()?;
    if !connection.uplink.as_ref()?.under_way {
        return None;
    }
    connection.uplink.take()
}

fn put_uplink(cx: &mut Context<'_>, key: DeviceKey, uplink: Uplink) {
    if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
        connection.uplink = Some(uplink);
    }
}
