//! Carriers for data only (Release 13; TS 36.331 `carrierConfigDedicated`, TS 36.321 section 5.1).
//!
//! A connection continues on one of them after Msg4, and returns to the anchor for random access and when it ends.

use super::{Cell, Context, Settings};
use crate::config::{CarrierUse, NetworkConfig};
use crate::deployment::CellIndex;
use crate::device::{Connection, DeviceKey, EarlyData};
use crate::phy::{DownlinkTimeline, UplinkGrid};

/// The resources of a carrier.
#[derive(Debug)]
pub(super) struct Resources {
    pub(super) index: CellIndex,
    pub(super) timeline: DownlinkTimeline,
    pub(super) grid: UplinkGrid,
}

impl Resources {
    /// Those of the carriers for data of a cell; none where it has none, or is itself no anchor.
    pub(super) fn for_data(index: CellIndex, settings: &Settings) -> Vec<Self> {
        let config = &settings.config;
        (1..=carriers_for_data(index, config))
            .map(|carrier| Self {
                index: CellIndex(index.0 + carrier * config.cells() as u8),
                timeline: DownlinkTimeline::new(settings.non_anchor_maps.clone()),
                grid: UplinkGrid::without_preambles(config),
            })
            .collect()
    }
}

fn carriers_for_data(index: CellIndex, config: &NetworkConfig) -> u8 {
    (config.non_anchor_carriers.as_ref())
        .filter(|others| others.serve == CarrierUse::Data)
        .filter(|_| index.as_usize() < usize::from(config.cells()))
        .map_or(0, |others| others.count)
}

impl Cell {
    /// Works with the resources of a carrier in place of the anchor's.
    pub(super) fn on_carrier<T>(&mut self, carrier: u8, work: impl FnOnce(&mut Self) -> T) -> T {
        let Some(place) = usize::from(carrier).checked_sub(1) else {
            return work(self);
        };
        core::mem::swap(&mut self.resources, &mut self.for_data[place]);
        let done = work(self);
        core::mem::swap(&mut self.resources, &mut self.for_data[place]);
        done
    }

    /// The queue of the devices of a level that wait for resources of a carrier.
    pub(super) fn queue_of(connection: &Connection) -> usize {
        usize::from(connection.carrier) * LEVELS + usize::from(connection.level)
    }

    /// Msg4 is through, and nothing is under way: the connection goes on on its carrier.
    pub(super) fn goes_to_its_carrier(cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let carrier = device.data_carrier;
        let Some(connection) = device.connection.as_mut().filter(|_| carrier > 0) else {
            return;
        };
        let stays = connection.carrier > 0
            || !connection.resolved
            || connection.released
            || connection.early != EarlyData::None;
        if !stays {
            connection.carrier = carrier;
            cx.channel.tune(key.slot, carrier);
        }
    }

    /// A device whose connection has ended is on the anchor.
    pub(super) fn goes_to_the_anchor(
        cx: &mut Context<'_>,
        key: DeviceKey,
        connection: &Connection,
    ) {
        if connection.carrier > 0 {
            cx.channel.tune(key.slot, 0);
        }
    }
}

/// The most coverage levels of a cell.
pub(super) const LEVELS: usize = 3;
