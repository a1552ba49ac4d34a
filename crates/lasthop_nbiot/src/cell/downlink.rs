mod arrival;
mod block;
mod resources;

use self::block::new_block;
use self::resources::Assignment;
use super::events::Event;
use super::receive::downlink_burst;
use super::scheduler::{Booking, downlink_bytes, planned_ahead, search_space};
use super::{Cell, Context, Settings};
use crate::device::{Connection, DeviceKey, Expected};
use crate::phy::{DownlinkChannel, NpdschFormat, UplinkChannel};

/// How it goes.
#[derive(Clone, Copy, Debug)]
struct Formats {
    data: NpdschFormat,
    dci_repetitions: u16,
    ack_repetitions: u16,
}

impl Cell {
    /// Takes the resources of a downlink assignment, or of two where the device has two HARQ processes and there is more.
    pub(super) fn book_downlink(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> Booking {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return Booking::Idle;
        };
        let expected = device.expected;
        let Some(connection) = &mut device.connection else {
            return Booking::Idle;
        };
        let space = *search_space(connection, settings);
        let formats = Formats::of(connection, 0, &expected, settings);
        let planned = planned_ahead(connection, &space, settings, cx.now);
        let Some(alone) = self.find_assignment(&space, &formats, planned, settings) else {
            return Booking::NoRoom;
        };
        if connection.downlinks.is_empty() {
            let block = new_block(connection, &formats, &alone, cx.instant, settings);
            connection.downlinks.push(block);
            connection.downlinks[0].luck = device.stream.unit();
        }
        let mut assignments = [Some(alone), None];
        let has_second = connection.downlinks.len() > 1 || downlink_bytes(connection, settings) > 0;
        if settings.config.connection.harq_processes > 1 && connection.resolved && has_second {
            let second = Formats::of(connection, 1, &expected, settings);
            let pair = self.find_assignments(&space, [&formats, &second], &alone, settings);
            if let Some(pair) = pair {
                assignments = pair.map(Some);
                if connection.downlinks.len() < 2 {
                    let block = new_block(connection, &second, &pair[1], cx.instant, settings);
                    connection.downlinks.push(block);
                    connection.downlinks[1].luck = device.stream.unit();
                }
            }
        }
        for (place, assignment) in assignments.iter().flatten().enumerate() {
            self.assign(cx, key, place, assignment);
        }
        Booking::Done
    }

    fn assign(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        place: usize,
        assignment: &Assignment,
    ) {
        let Assignment {
            dci,
            data,
            acknowledgement,
        } = *assignment;
        self.resources
            .timeline
            .reserve(&dci, DownlinkChannel::Npdcch);
        self.resources
            .timeline
            .reserve(&data, DownlinkChannel::Npdsch);
        self.resources
            .grid
            .reserve(&acknowledgement, UplinkChannel::Acknowledgement);
        self.report.dcis += 1;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        let counted = self.report.of(connection.level);
        counted.npdsch_sent += 1;
        let downlink = &mut connection.downlinks[place];
        counted.npdsch_repeated += u64::from(downlink.attempts > 0);
        downlink.dci = dci;
        downlink.data = data;
        downlink.acknowledgement = acknowledgement;
        downlink.attempts += 1;
        downlink.under_way = true;
        downlink.ended = false;
        let (dci_burst, data_burst) = (
            downlink_burst(&dci, downlink.dci_repetitions),
            downlink_burst(&data, downlink.format.repetitions),
        );
        cx.channel
            .downlink_starts(cx.instant, self.resources.index, &dci_burst);
        cx.channel
            .downlink_starts(cx.instant, self.resources.index, &data_burst);
        self.events.push(data.end, Event::DownlinkEnds(key));
    }
}

impl Formats {
    /// Those of the block that a HARQ process holds, or of a new one for all that waits.
    fn of(
        connection: &Connection,
        process: usize,
        expected: &Expected,
        settings: &Settings,
    ) -> Self {
        if let Some(again) = connection.downlinks.get(process) {
            return Self {
                data: again.format,
                dci_repetitions: again.dci_repetitions,
                ack_repetitions: again.ack_repetitions,
            };
        }
        let level = settings.level(connection.level);
        let bits = downlink_bytes(connection, settings) * 8;
        if connection.resolved {
            let most = settings.config.connection.largest_block.downlink_bits;
            let bits = most.map_or(bits, |most| bits.min(most.into()));
            Self {
                data: level.formats.npdsch(bits, expected),
                dci_repetitions: level.formats.dci_repetitions(expected),
                ack_repetitions: level.formats.ack_repetitions(expected),
            }
        } else {
            Self {
                data: level.access.npdsch(bits, settings.config.carrier.mode),
                dci_repetitions: level.access.dci_repetitions,
                ack_repetitions: level.access.ack_repetitions,
            }
        }
    }
}
