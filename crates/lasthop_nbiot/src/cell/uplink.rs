mod arrival;
mod block;
mod resources;

use self::resources::Grant;
use super::events::Event;
use super::receive::downlink_burst;
use super::scheduler::{Booking, planned_ahead, search_space, uplink_bytes};
use super::{Cell, Context, Settings};
use crate::channel::EsN0;
use crate::device::{Connection, DeviceKey, Expected, Uplink};
use crate::phy::{DownlinkChannel, NpuschFormat, UplinkChannel};

/// How the block goes for which it is.
#[derive(Clone, Copy, Debug)]
struct Formats {
    data: NpuschFormat,
    dci_repetitions: u16,
}

impl Cell {
    /// Takes the resources of a grant, or of two where the device has two HARQ processes and there is more.
    pub(super) fn book_uplink(&mut self, cx: &mut Context<'_>, key: DeviceKey) -> Booking {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return Booking::Idle;
        };
        let expected = device.expected;
        let Some(connection) = &mut device.connection else {
            return Booking::Idle;
        };
        let space = *search_space(connection, settings);
        let Some(formats) = Formats::of(connection, 0, &expected, settings) else {
            return Booking::Idle;
        };
        let planned = planned_ahead(connection, &space, settings, cx.now);
        let Some(alone) = self.find_grant(&space, &formats, planned, settings) else {
            return Booking::NoRoom;
        };
        if connection.uplinks.is_empty() {
            connection
                .uplinks
                .push(new_block(&formats, &alone, device.stream.unit()));
        }
        let mut grants = [Some(alone), None];
        if settings.config.connection.harq_processes > 1
            && let Some(second) = Formats::of(connection, 1, &expected, settings)
            && let Some(pair) = self.find_grants(&space, [&formats, &second], &alone, settings)
        {
            grants = pair.map(Some);
            if connection.uplinks.len() < 2 {
                connection
                    .uplinks
                    .push(new_block(&second, &pair[1], device.stream.unit()));
            }
        }
        connection.grant_due &= connection.uplinks.iter().all(|uplink| uplink.attempts > 0);
        for (place, grant) in grants.iter().flatten().enumerate() {
            self.grant(cx, key, place, grant);
        }
        Booking::Done
    }

    fn grant(&mut self, cx: &mut Context<'_>, key: DeviceKey, place: usize, grant: &Grant) {
        let Grant {
            dci,
            dci_repetitions,
            allocation,
        } = *grant;
        self.resources
            .timeline
            .reserve(&dci, DownlinkChannel::Npdcch);
        self.resources
            .grid
            .reserve(&allocation, UplinkChannel::Data);
        self.report.dcis += 1;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        let counted = self.report.of(connection.level);
        counted.npusch_granted += 1;
        let uplink = &mut connection.uplinks[place];
        counted.npusch_repeated += u64::from(uplink.attempts > 0);
        uplink.dci = dci;
        uplink.dci_repetitions = dci_repetitions;
        uplink.allocation = allocation;
        uplink.attempts += 1;
        uplink.under_way = true;
        uplink.granted = false;
        let burst = downlink_burst(&dci, dci_repetitions);
        cx.channel
            .downlink_starts(cx.instant, self.resources.index, &burst);
        self.events.push(dci.end, Event::GrantEnds(key));
    }
}

impl Formats {
    /// Those of the block that a HARQ process holds, or of a new one for all that waits and is in no block; `None`
    /// where a second process would have nothing to carry. A DCI goes as control information does by now.
    fn of(
        connection: &Connection,
        process: usize,
        expected: &Expected,
        settings: &Settings,
    ) -> Option<Self> {
        let formats = &settings.level(connection.level).formats;
        let dci_repetitions = formats.dci_repetitions(expected);
        if let Some(again) = connection.uplinks.get(process) {
            return Some(Self {
                data: again.format,
                dci_repetitions,
            });
        }
        let in_blocks: u32 = (connection.uplinks.iter())
            .map(|uplink| u32::from(uplink.format.block.bits))
            .sum();
        let bits = (uplink_bytes(connection, settings) * 8).saturating_sub(in_blocks);
        if process > 0 && bits == 0 {
            return None;
        }
        let most = settings.config.connection.largest_block.uplink_bits;
        Some(Self {
            data: formats.npusch(most.map_or(bits, |most| bits.min(most.into())), expected),
            dci_repetitions,
        })
    }
}

fn new_block(formats: &Formats, grant: &Grant, luck: f64) -> Uplink {
    Uplink {
        block: None,
        format: formats.data,
        dci_repetitions: grant.dci_repetitions,
        dci: grant.dci,
        allocation: grant.allocation,
        burst: None,
        attempts: 0,
        sent: 0,
        under_way: false,
        granted: false,
        received: EsN0::NOTHING,
        luck,
    }
}
