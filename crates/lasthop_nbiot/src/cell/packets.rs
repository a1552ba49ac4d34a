use lasthop_contract::{DropReason, LinkOutput, Packet};

use super::{Cell, Context, core_port, radio_port};
use crate::device::{AccessPurpose, DeviceKey, Waiting};
use crate::layer2::PDCP_LARGEST_SDU_BYTES;

impl Cell {
    /// A device has a packet for the network.
    pub(crate) fn packet_from_device(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        packet: Packet,
    ) {
        if packet.length() > usize::from(PDCP_LARGEST_SDU_BYTES) {
            cx.outputs.push_back(LinkOutput::Drop {
                port: radio_port(key.slot),
                packet,
                reason: DropReason::TooBig,
            });
            return;
        }
        let since = cx.instant;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.since[0].push_back(since);
        device.up.push_back(Waiting { packet });
        let is_idle = device.is_idle();
        let has_bearer = device
            .connection
            .as_ref()
            .is_some_and(|connection| connection.is_set_up() && !connection.releasing);
        self.arm_give_up(cx, key);
        if is_idle {
            self.begin_access(cx, key, AccessPurpose::Connect);
        } else if has_bearer {
            self.load_bearers(cx, key);
            if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
                connection.release_asked = false;
                connection.report_due = true;
            }
            self.serve(cx, key);
            self.ask_for_grant(cx, key);
        }
    }

    /// The core has a packet for a device.
    pub(crate) fn packet_for_device(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        packet: Packet,
    ) {
        if packet.length() > usize::from(PDCP_LARGEST_SDU_BYTES) {
            cx.outputs.push_back(LinkOutput::Drop {
                port: core_port(key.slot),
                packet,
                reason: DropReason::TooBig,
            });
            return;
        }
        let since = cx.instant;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.since[1].push_back(since);
        device.down.push_back(Waiting { packet });
        let is_idle = device.is_idle();
        let has_bearer = device
            .connection
            .as_ref()
            .is_some_and(|connection| connection.is_set_up() && !connection.releasing);
        self.arm_give_up(cx, key);
        if is_idle {
            self.page(cx, key);
        } else if has_bearer {
            self.load_bearers(cx, key);
            if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
                connection.release_asked = false;
            }
            self.serve(cx, key);
        }
    }
}
