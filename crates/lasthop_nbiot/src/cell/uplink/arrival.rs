use lasthop_contract::RadioCause;
use smallvec::SmallVec;

use super::block::build;
use crate::cell::events::Event;
use crate::cell::npusch::{npusch_burst, npusch_error_rate, npusch_power_dbm};
use crate::cell::radio_use::{cause_of, spend_listening, spend_more_listening, spend_transmission};
use crate::cell::radio_words::{block_up, dci_in_words, sent_in_words};
use crate::cell::second_process::DEAF_BEFORE_CHANNEL;
use crate::cell::{Cell, Context, Settings};
use crate::channel::BurstKind;
use crate::device::{Device, DeviceKey, Uplink};
use crate::layer2::Element;
use crate::link_tables::Combining;
use crate::phy::{Subframe, monitoring_after_npusch};
use crate::radio_line::RadioLane;

impl Cell {
    /// The device has heard a grant and fills its block, or has not heard it.
    pub(in crate::cell) fn grant_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some((place, mut uplink)) =
            take_uplink(cx, key, |uplink| uplink.under_way && !uplink.granted)
        else {
            return;
        };
        uplink.granted = true;
        let hears = self.receives_dci(cx, key, &uplink.dci, uplink.dci_repetitions);
        let sent = (uplink.dci.start.start(), uplink.dci.end.start());
        cx.watch.note(key, RadioLane::Npdcch, sent, hears, || {
            dci_in_words("grant", uplink.dci_repetitions)
        });
        if hears {
            let Some(device) = cx.devices.get_mut(key) else {
                return;
            };
            if uplink.block.is_none() {
                let size = uplink.format.block.bits / 8;
                uplink.block = Some(build(device, size, cx.instant, settings));
            }
            let cause = cause_of_block(device, &uplink);
            let connection = device.connection.as_deref();
            let other = connection.and_then(|c| c.uplinks.first());
            let other = other.filter(|other| other.under_way).map(|other| {
                let heard = other.granted && other.burst.is_some();
                (heard, other.dci)
            });
            match other {
                // With the first of two grants it has listened to the second as well.
                Some((true, _)) if place == 1 => {}
                _ => {
                    spend_listening(device, settings, &uplink.dci, cause);
                    if settings.config.connection.harq_processes > 1 {
                        let also = other.filter(|_| place == 0).map(|(_, dci)| dci);
                        let until = Subframe(uplink.allocation.span.start.0 - DEAF_BEFORE_CHANNEL);
                        spend_more_listening(device, settings, also, until, cause);
                    }
                }
            }
            let power_dbm = power_dbm(device, &uplink, settings);
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
        }
        self.events
            .push(uplink.allocation.span.end, Event::UplinkEnds(key));
        put_uplink(cx, key, place, uplink);
        transmit(cx, key);
    }

    /// The base station has received an NPUSCH, or nothing.
    pub(in crate::cell) fn uplink_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.advance(cx.now);
        let settings = cx.settings;
        let Some((place, mut uplink)) =
            take_uplink(cx, key, |uplink| uplink.under_way && uplink.granted)
        else {
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
        let span = &uplink.allocation.span;
        let sent = (span.start.start(), span.end.start());
        if let Some(block) = uplink.block.as_ref().filter(|_| heard) {
            cx.watch.note(key, RadioLane::Npusch, sent, decoded, || {
                let carried = block_up(device, block);
                sent_in_words(&carried, &uplink.format, &uplink.allocation, uplink.sent)
            });
        }
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
            self.exchange_ends(cx, key);
            return;
        }
        let is_lost = uplink
            .attempts
            .is_multiple_of(settings.config.connection.harq_transmissions.into());
        // A device keeps its block until a grant asks for a new one (TS 36.321 section 5.4.2.2), and no RLC would miss it
        // before its timer ran out: the base station goes on asking. Who heard no grant has no block, and is owed one.
        if is_lost && uplink.block.is_none() {
            connection.grant_due = !connection.releasing;
        } else {
            connection.uplinks.insert(place, uplink);
        }
        if is_lost {
            connection.lost_blocks += 1;
            self.report.of(level).blocks_lost += 1;
        } else if connection.uplinks.len() == 1 {
            self.serve(cx, key);
            return;
        }
        self.exchange_ends(cx, key);
    }
}

/// Once all grants have come that the base station has sent, the device's radio sends what they are for, in their order.
fn transmit(cx: &mut Context<'_>, key: DeviceKey) {
    let settings = cx.settings;
    let Some(device) = cx.devices.get_mut(key) else {
        return;
    };
    let Some(connection) = &device.connection else {
        return;
    };
    let under_way = || connection.uplinks.iter().filter(|uplink| uplink.under_way);
    if !under_way().all(|uplink| uplink.granted) {
        return;
    }
    let sent: SmallVec<[_; 2]> = under_way()
        .filter(|uplink| uplink.burst.is_some())
        .map(|uplink| {
            let cause = cause_of_block(device, uplink);
            (
                uplink.allocation,
                power_dbm(device, uplink, settings),
                cause,
            )
        })
        .collect();
    for (allocation, power_dbm, cause) in sent {
        spend_transmission(device, &allocation, power_dbm, cause);
    }
}

fn cause_of_block(device: &Device, uplink: &Uplink) -> RadioCause {
    (uplink.block.as_ref()).map_or(RadioCause::Signalling, |block| cause_of(device, block))
}

fn power_dbm(device: &Device, uplink: &Uplink, settings: &Settings) -> f64 {
    npusch_power_dbm(
        &settings.config,
        device.measured_loss_db,
        uplink.format.unit,
        uplink.format.repetitions,
    )
}

fn is_decoded(uplink: &Uplink) -> bool {
    let combining = if uplink.sent > 1 || uplink.format.has_both_redundancy_versions() {
        Combining::RedundancyVersions0And2
    } else {
        Combining::Chase
    };
    npusch_error_rate(&uplink.format, combining).at(uplink.received.decibels()) <= uplink.luck
}

/// The first block of which something holds, and the place of its HARQ process.
fn take_uplink(
    cx: &mut Context<'_>,
    key: DeviceKey,
    holds: fn(&Uplink) -> bool,
) -> Option<(usize, Uplink)> {
    let connection = cx.device(key)?.connection.as_mut()?;
    let place = connection.uplinks.iter().position(holds)?;
    Some((place, connection.uplinks.remove(place)))
}

fn put_uplink(cx: &mut Context<'_>, key: DeviceKey, place: usize, uplink: Uplink) {
    if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
        connection.uplinks.insert(place, uplink);
    }
}
