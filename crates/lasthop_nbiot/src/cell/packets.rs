use lasthop_contract::{DropReason, LinkOutput, Packet, Port};

use super::{Cell, Context, core_port, radio_port};
use crate::device::{Device, DeviceKey, Waiting};
use crate::layer2::PDCP_LARGEST_SDU_BYTES;

/// What a packet that came to wait finds.
enum Bearer {
    /// No connection: it must be established first.
    Missing,
    /// A connection on its way, up or down: the packet waits.
    Changing,
    /// A connection that accepts the packet.
    Ready,
}

impl Cell {
    /// A device has a packet for the network.
    pub(crate) fn packet_from_device(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        packet: Packet,
    ) {
        let Some(packet) = fitting(cx, radio_port(key.slot), packet) else {
            return;
        };
        let since = cx.instant;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if device.is_off {
            cx.outputs.push_back(LinkOutput::Drop {
                port: radio_port(key.slot),
                packet,
                reason: DropReason::Detached,
            });
            return;
        }
        device.since[0].push_back(since);
        device.up.push_back(Waiting { packet });
        let bearer = bearer_of(device);
        self.arm_give_up(cx, key);
        match bearer {
            Bearer::Missing => {
                self.connect(cx, key);
            }
            Bearer::Changing => {}
            Bearer::Ready => {
                self.load_bearers(cx, key);
                if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
                    connection.assistance = None;
                    connection.report_due = true;
                }
                self.serve(cx, key);
                self.ask_for_grant(cx, key);
            }
        }
    }

    /// The core has a packet for a device.
    pub(crate) fn packet_for_device(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        packet: Packet,
    ) {
        let Some(packet) = fitting(cx, core_port(key.slot), packet) else {
            return;
        };
        let since = cx.instant;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.since[1].push_back(since);
        device.down.push_back(Waiting { packet });
        if let Some(connection) = &mut device.connection {
            connection.note_answer();
        }
        let bearer = bearer_of(device);
        self.arm_give_up(cx, key);
        match bearer {
            Bearer::Missing => self.page(cx, key),
            Bearer::Changing => self.answer_early_data(cx, key),
            Bearer::Ready => {
                self.load_bearers(cx, key);
                self.serve(cx, key);
            }
        }
    }
}

/// The packet, if PDCP takes one of its size (TS 36.323 section 4.3.1); drops it otherwise.
fn fitting(cx: &mut Context<'_>, port: Port, packet: Packet) -> Option<Packet> {
    if packet.length() <= usize::from(PDCP_LARGEST_SDU_BYTES) {
        return Some(packet);
    }
    cx.outputs.push_back(LinkOutput::Drop {
        port,
        packet,
        reason: DropReason::TooBig,
    });
    None
}

fn bearer_of(device: &Device) -> Bearer {
    match &device.connection {
        _ if device.is_idle() => Bearer::Missing,
        Some(connection)
            if connection.resolved && connection.is_set_up() && !connection.releasing =>
        {
            Bearer::Ready
        }
        _ => Bearer::Changing,
    }
}
