use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::Instant;

use super::events::Event;
use super::random_access::downlink_burst;
use super::scheduler::{Booking, downlink_bytes, planned_ahead, search_space};
use super::uplink::{npusch_burst, npusch_power_dbm, spend_transmission};
use super::{Cell, Context};
use crate::channel::{BurstKind, EsN0};
use crate::device::{Connection, Device, DeviceKey, Downlink, pipe_index};
use crate::layer2::{Bearer, ControlElement, Element, Fate, MacPdu, MacPduBuilder, StatusReports};
use crate::link_tables::BlockErrorRate;
use crate::phy::{
    DownlinkChannel, DownlinkSpan, NpdschFormat, ResourceUnit, SearchSpace, UplinkChannel,
    monitoring_after_npusch,
};
use crate::rrc::DataPath;

/// The bearers, in the order of a connection's pipes.
const BEARERS: [Bearer; 2] = [Bearer::Srb1, Bearer::Drb];

impl Cell {
    /// Takes the resources of a downlink assignment: NPDCCH, NPDSCH and acknowledgement.
    pub(super) fn book_downlink(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> Booking {
        let settings = cx.settings;
        let switches = &settings.config.switches;
        let Some(device) = cx.devices.get_mut(key) else {
            return Booking::Idle;
        };
        let expected = device.expected;
        let Some(connection) = &mut device.connection else {
            return Booking::Idle;
        };
        let level = settings.level(connection.level);
        let space = search_space(connection, settings);
        let (format, dci_repetitions, ack_repetitions) = match &connection.downlink {
            Some(again) => (again.format, again.dci_repetitions, again.ack_repetitions),
            None => {
                let bits = downlink_bytes(connection, settings) * 8;
                if connection.resolved {
                    (
                        level.formats.npdsch(bits, &expected),
                        level.formats.dci_repetitions(&expected),
                        level.formats.ack_repetitions(&expected),
                    )
                } else {
                    (
                        level.access.npdsch(bits, settings.config.carrier.mode),
                        level.access.dci_repetitions,
                        level.access.ack_repetitions,
                    )
                }
            }
        };
        let (mut from, until) = planned_ahead(connection, space, settings, cx.now);
        let (dci, data, acknowledgement) = loop {
            let Some(dci) = self.timeline.find_dci(
                space,
                dci_repetitions,
                from,
                until,
                switches.first_candidate_only,
            ) else {
                return Booking::NoRoom;
            };
            let found = self.timeline.find_npdsch(
                space.rmax(),
                dci.end,
                format.subframes(),
                switches.minimum_k0_only,
            );
            // A millisecond later there is hardly more room.
            let Some((_, data)) = found else {
                from = space.next_start(dci.end);
                continue;
            };
            let found =
                self.grid
                    .find_acknowledgement(data.end, ack_repetitions, switches.minimum_k0_only);
            match found {
                Some((_, acknowledgement)) => break (dci, data, acknowledgement),
                None => from = space.next_start(dci.end),
            }
        };
        self.timeline.reserve(&dci, DownlinkChannel::Npdcch);
        self.timeline.reserve(&data, DownlinkChannel::Npdsch);
        self.grid
            .reserve(&acknowledgement, UplinkChannel::Acknowledgement);
        self.report.dcis += 1;
        let counted = self.report.of(connection.level);
        counted.npdsch_sent += 1;
        match &mut connection.downlink {
            Some(again) => {
                again.dci = dci;
                again.data = data;
                again.acknowledgement = acknowledgement;
                again.attempts += 1;
                again.under_way = true;
                counted.npdsch_repeated += 1;
            }
            None => {
                let block = build(connection, format.block.bits / 8, cx.instant, settings);
                connection.downlink = Some(Downlink {
                    block,
                    format,
                    dci_repetitions,
                    ack_repetitions,
                    dci,
                    data,
                    acknowledgement,
                    burst: None,
                    attempts: 1,
                    under_way: true,
                    received: EsN0::NOTHING,
                    luck: device.stream.unit(),
                    decoded: false,
                    heard: false,
                });
            }
        }
        let (dci_burst, data_burst) = (
            downlink_burst(&dci, dci_repetitions),
            downlink_burst(&data, format.repetitions),
        );
        cx.channel
            .downlink_starts(cx.instant, self.index, &dci_burst);
        cx.channel
            .downlink_starts(cx.instant, self.index, &data_burst);
        self.events.push(data.end, Event::DownlinkEnds(key));
        Booking::Done
    }

    /// The device has received an NPDSCH, or has not heard of it.
    pub(super) fn downlink_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
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
                device.coupling_loss_db,
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
    pub(super) fn acknowledgement_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
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
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
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

    /// Whether a device receives an NPDSCH by what it had before and this transmission.
    fn decodes(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        data: &DownlinkSpan,
        format: &NpdschFormat,
        before: EsN0,
        luck: f64,
    ) -> (EsN0, bool) {
        if !cx.settings.config.switches.block_errors {
            return (before, true);
        }
        let received = before
            + cx.channel
                .downlink_ends(key.slot, &downlink_burst(data, format.repetitions));
        let rate = BlockErrorRate::npdsch(
            cx.settings.table_carrier,
            format.block.i_tbs,
            format.block.column,
        )
        .expect("a block of the carrier has a curve");
        (received, rate.at(received.decibels()) <= luck)
    }

    /// The same for a message that is sent once.
    pub(super) fn hears_npdsch(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        data: &DownlinkSpan,
        format: &NpdschFormat,
        before: EsN0,
    ) -> (EsN0, bool) {
        let Some(device) = cx.devices.get_mut(key) else {
            return (before, false);
        };
        let luck = device.stream.unit();
        self.decodes(cx, key, data, format, before, luck)
    }
}

/// What a block is for: the device's packets, signalling, or acknowledgements alone.
pub(super) fn cause_of(device: &Device, block: &MacPdu) -> RadioCause {
    let composition = &block.composition;
    let carries_packets = device.connection.as_ref().is_some_and(|connection| {
        matches!(connection.sequence.data, DataPath::Nas { .. }) && connection.is_set_up()
    });
    if composition.payload_bytes > 0 || (carries_packets && composition.signalling_bytes > 0) {
        RadioCause::Payload
    } else if composition.signalling_bytes + composition.control_element_bytes > 0 {
        RadioCause::Signalling
    } else {
        RadioCause::Acknowledgement
    }
}

/// The radio of a device from where its log ends until a DCI for it begins: it listens to its search space.
pub(super) fn spend_listening(
    device: &mut Device,
    settings: &super::Settings,
    dci: &DownlinkSpan,
    cause: RadioCause,
) {
    let Some(connection) = device.connection.as_deref() else {
        return;
    };
    let space = *search_space(connection, settings);
    let listens_from = connection.listens_from;
    device.radio.spend(
        listens_from.min(dci.start).start(),
        RadioState::ConnectedSleep,
        cause,
    );
    let waits_long = dci.start - listens_from > 2 * space.period();
    let waiting = if waits_long {
        RadioCause::Waiting
    } else {
        cause
    };
    device.radio.begin(dci.start.start());
    let share = if waits_long {
        connected_listening_share(connection, settings)
    } else {
        listening_share(&space, settings)
    };
    device.radio.listen(dci.start.start(), share, waiting);
    device
        .radio
        .spend(dci.end.start(), RadioState::Receive, cause);
}

/// The share of time in which a connected device listens that nothing is sent to: by connected DRX, where it has one, and
/// to its search space.
pub(super) fn connected_listening_share(
    connection: &Connection,
    settings: &super::Settings,
) -> f64 {
    let share = listening_share(search_space(connection, settings), settings);
    match &settings.level(connection.level).drx {
        Some(drx) => share * drx.on as f64 / drx.cycle as f64,
        None => share,
    }
}

/// The share of time in which a search space has candidates.
fn listening_share(space: &SearchSpace, settings: &super::Settings) -> f64 {
    let (subframes, usable) = settings.maps.all().period();
    f64::from(space.rmax()) * subframes as f64 / usable as f64 / space.period() as f64
}

/// The radio of a device during an assignment, up to the end of its NPDSCH.
fn spend_assignment(
    device: &mut Device,
    settings: &super::Settings,
    downlink: &Downlink,
    cause: RadioCause,
) {
    spend_listening(device, settings, &downlink.dci, cause);
    let (start, end) = (downlink.data.start.start(), downlink.data.end.start());
    let radio = &mut device.radio;
    radio.spend(start, RadioState::ConnectedSleep, cause);
    radio.spend(end, RadioState::Receive, cause);
}

fn build(
    connection: &mut Connection,
    size_bytes: u16,
    now: Instant,
    settings: &super::Settings,
) -> MacPdu {
    let mut block = MacPduBuilder::new(size_bytes, settings.subheaders);
    if connection.contention_due && block.control(ControlElement::ContentionResolutionIdentity) {
        connection.contention_due = false;
    }
    if let Some(message) = connection.srb0
        && block.transparent(message)
    {
        connection.srb0 = None;
    }
    for (up, bearer) in connection.up.iter_mut().zip(BEARERS) {
        block.status(bearer, &mut up.receiver);
    }
    for (down, bearer) in connection.down.iter_mut().zip(BEARERS) {
        block.data(bearer, &mut down.transmitter, now, &settings.rlc);
    }
    block.finish()
}

/// Tells RLC of the base station what became of a block, where that is free.
fn settle(connection: &mut Connection, block: &MacPdu, fate: Fate, settings: &super::Settings) {
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
