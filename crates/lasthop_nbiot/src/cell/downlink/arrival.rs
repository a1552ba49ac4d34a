use lasthop_contract::RadioCause;

use crate::cell::events::Event;
use crate::cell::npusch::{npusch_burst, npusch_power_dbm};
use crate::cell::radio_use::{
    cause_of, spend_listening, spend_more_listening, spend_reception, spend_transmission,
};
use crate::cell::radio_words::{
    acknowledgement_in_words, block_down, dci_in_words, received_in_words,
};
use crate::cell::second_process::DEAF_BEFORE_CHANNEL;
use crate::cell::{Cell, Context, Settings};
use crate::channel::{BurstKind, EsN0};
use crate::config::AcknowledgementEstimation;
use crate::device::{Connection, DeviceKey, Downlink, pipe_index};
use crate::layer2::{Element, Fate, MacPdu, StatusReports};
use crate::link_tables::BlockErrorRate;
use crate::phy::{ResourceUnit, Subframe, monitoring_after_npusch};
use crate::radio_line::RadioLane;

impl Cell {
    /// The device has received an NPDSCH, or has not heard of it.
    pub(in crate::cell) fn downlink_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some((place, mut downlink)) =
            take_downlink(cx, key, |downlink| downlink.under_way && !downlink.ended)
        else {
            return;
        };
        downlink.ended = true;
        downlink.heard = self.receives_dci(cx, key, &downlink.dci, downlink.dci_repetitions);
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
            // With the first of two assignments it has listened to the second as well.
            let other = (device.connection.as_ref())
                .and_then(|connection| connection.downlinks.first())
                .filter(|other| other.under_way)
                .map(|other| (other.heard, other.dci));
            if !(place == 1 && other.is_some_and(|(heard, _)| heard)) {
                spend_listening(device, settings, &downlink.dci, cause);
                if settings.config.connection.harq_processes > 1 {
                    let also = other.filter(|_| place == 0).map(|(_, dci)| dci);
                    let until = Subframe(downlink.data.start.0 - DEAF_BEFORE_CHANNEL);
                    spend_more_listening(device, settings, also, until, cause);
                }
            }
            spend_reception(device, &downlink.data, cause);
        }
        let sent = (downlink.dci.start.start(), downlink.dci.end.start());
        cx.watch
            .note(key, RadioLane::Npdcch, sent, downlink.heard, || {
                dci_in_words("assignment", downlink.dci_repetitions)
            });
        if downlink.heard
            && let Some(device) = cx.devices.get(key)
        {
            let sent = (downlink.data.start.start(), downlink.data.end.start());
            cx.watch
                .note(key, RadioLane::Npdsch, sent, downlink.decoded, || {
                    received_in_words(
                        &block_down(device, &downlink.block),
                        &downlink.format,
                        downlink.attempts.into(),
                    )
                });
        }
        self.events.push(
            downlink.acknowledgement.span.end,
            Event::AcknowledgementEnds(key),
        );
        let elements = newly_decoded.then(|| core::mem::take(&mut downlink.block.elements));
        put_downlink(cx, key, place, downlink);
        self.acknowledge(cx, key);
        if let Some(elements) = elements {
            for element in &elements {
                self.device_receives(cx, key, element);
            }
            if let Some(downlink) = downlink_at(cx, key, place) {
                downlink.block.elements = elements;
            }
        }
    }

    /// Once all NPDSCH have ended that the base station has announced, the device says what it thinks of them.
    fn acknowledge(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let unit = ResourceUnit {
            spacing: self.resources.grid.spacing(),
            tones: 1,
        };
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(mut connection) = device.connection.take() else {
            return;
        };
        let under_way = || {
            connection
                .downlinks
                .iter()
                .filter(|downlink| downlink.under_way)
        };
        if under_way().all(|downlink| downlink.ended) {
            for downlink in connection.downlinks.iter_mut() {
                if !(downlink.under_way && downlink.heard) {
                    continue;
                }
                let power_dbm = npusch_power_dbm(
                    &cx.settings.config,
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
        }
        device.connection = Some(connection);
    }

    /// The base station has received an acknowledgement, or silence.
    pub(in crate::cell) fn acknowledgement_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.advance(cx.now);
        let settings = cx.settings;
        let Some((place, mut downlink)) =
            take_downlink(cx, key, |downlink| downlink.under_way && downlink.ended)
        else {
            return;
        };
        downlink.under_way = false;
        let mut says_yes = downlink.decoded && downlink.heard;
        let meant = says_yes;
        let is_sent = downlink.burst.is_some();
        let mut reacted = downlink.heard;
        let told = settings
            .silence_threshold
            .filter(|_| settings.config.switches.block_errors);
        if settings.config.channel.acknowledgement_estimation == AcknowledgementEstimation::Slot {
            let received = (downlink.burst.take())
                .map(|burst| cx.channel.acknowledgement_ends(key.slot, burst));
            if settings.config.switches.block_errors
                && (received.is_some() || told.is_some())
                && let Some(device) = cx.devices.get_mut(key)
            {
                // Most acknowledgements are far above the noise.
                let noise = match &received {
                    Some(received) if received.is_certain() => [0.0; 3],
                    _ => core::array::from_fn(|_| device.stream.standard_normal()),
                };
                let level = received.map_or(noise[0], |received| received.level(says_yes, noise));
                let threshold = told.unwrap_or(0.0);
                says_yes = level > threshold;
                reacted = told.map_or(reacted, |threshold| level.abs() > threshold);
            }
        } else if let Some(threshold) = told {
            let received = (downlink.burst.take()).map_or(EsN0::NOTHING, |burst| {
                cx.channel.uplink_ends(key.slot, burst)
            });
            if let Some(device) = cx.devices.get_mut(key) {
                let noise = device.stream.standard_normal();
                let level = answer_level(received, says_yes, noise);
                says_yes = level > threshold;
                reacted = level.abs() > threshold;
            }
        } else if let Some(burst) = downlink.burst.take() {
            let received = cx.channel.uplink_ends(key.slot, burst);
            if settings.config.switches.block_errors
                && let Some(device) = cx.devices.get_mut(key)
            {
                let error = BlockErrorRate::npusch_format_2().at(received.decibels());
                says_yes ^= device.stream.unit() < error;
            }
        }
        let now = cx.now;
        if is_sent {
            let span = &downlink.acknowledgement.span;
            let sent = (span.start.start(), span.end.start());
            let is_right = says_yes == meant;
            cx.watch
                .note(key, RadioLane::Acknowledgement, sent, is_right, || {
                    acknowledgement_in_words(meant, downlink.ack_repetitions)
                });
        }
        let Some(device) = cx.device(key) else { return };
        device.expected.learn_control(reacted);
        let Some(connection) = &mut device.connection else {
            return;
        };
        connection.listens_from = monitoring_after_npusch(now);
        connection.active = now;
        let level = connection.level;
        if told.is_some() && !is_sent {
            let counted = self.report.of(level);
            counted.acknowledgements_missing += 1;
            counted.silences_taken_for_acknowledgements += u64::from(says_yes);
        }
        if says_yes {
            connection.lost_blocks = 0;
            if let StatusReports::Free = settings.rlc.status_reports {
                settle(connection, &downlink.block, Fate::Arrived, settings);
            }
        } else if downlink.attempts < settings.config.connection.harq_transmissions {
            connection.downlinks.insert(place, downlink);
            if connection.downlinks.len() == 1 {
                self.serve(cx, key);
                return;
            }
        } else {
            if let StatusReports::Free = settings.rlc.status_reports {
                settle(connection, &downlink.block, Fate::Lost, settings);
            }
            connection.lost_blocks += 1;
            self.report.of(level).blocks_lost += 1;
            let asks_again = connection.poll_deadline();
            if let Some(at) = asks_again.filter(|at| *at > now.start()) {
                let waits = (now.start(), at);
                cx.watch.note(key, RadioLane::Network, waits, false, || {
                    "HARQ gives a block up, and RLC waits for t-PollRetransmit".into()
                });
            }
        }
        self.exchange_ends(cx, key);
    }
}

/// What the base station makes of an answer, over the deviation of its noise: 16 symbols a repetition, of one sign for yes
/// and of the other for no, so that the error of a decision by sign alone is that of NPUSCH format 2.
fn answer_level(received: EsN0, says_yes: bool, noise: f64) -> f64 {
    let signal = libm::sqrt(32.0 * received.ratio());
    noise + if says_yes { signal } else { -signal }
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

fn downlink_at<'a>(
    cx: &'a mut Context<'_>,
    key: DeviceKey,
    place: usize,
) -> Option<&'a mut Downlink> {
    let connection = cx.device(key)?.connection.as_mut()?;
    connection.downlinks.get_mut(place)
}

/// The first block of which something holds, and the place of its HARQ process.
fn take_downlink(
    cx: &mut Context<'_>,
    key: DeviceKey,
    holds: fn(&Downlink) -> bool,
) -> Option<(usize, Downlink)> {
    let connection = cx.device(key)?.connection.as_mut()?;
    let place = connection.downlinks.iter().position(holds)?;
    Some((place, connection.downlinks.remove(place)))
}

fn put_downlink(cx: &mut Context<'_>, key: DeviceKey, place: usize, downlink: Downlink) {
    if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
        connection.downlinks.insert(place, downlink);
    }
}
