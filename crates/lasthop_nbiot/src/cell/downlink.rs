mod arrival;

use lasthop_units::Instant;

use super::events::Event;
use super::hearing::downlink_burst;
use super::scheduler::{Booking, downlink_bytes, planned_ahead, search_space};
use super::{Cell, Context};
use crate::channel::EsN0;
use crate::device::{Connection, DeviceKey, Downlink};
use crate::layer2::{Bearer, ControlElement, MacPdu, MacPduBuilder};
use crate::phy::{DownlinkChannel, UplinkChannel};

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
