use crate::cell::{Cell, Context};
use crate::device::{Connection, Content, Device, DeviceKey, EarlyData, RELEASE, pipe_index};

impl Cell {
    /// Queues the message that ends a connection.
    pub(in crate::cell) fn queue_release(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        let step = connection.sequence.release;
        connection.releasing = true;
        connection.grant_due = false;
        connection.down[pipe_index(step.bearer)].transmitter.offer(
            Content {
                step: Some(RELEASE),
                packet: None,
            },
            step.sdu(0),
        );
    }

    /// The device has the message that ends its connection, and the base station knows.
    pub(super) fn connection_released(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(mut connection) = device.connection.take() else {
            return;
        };
        self.leave_queue(cx, key, &connection);
        let is_turned_away = connection.sequence.turns_away();
        let counted = self.report.of(connection.level);
        if is_turned_away {
            // It never was a connection.
        } else if connection.early == EarlyData::Ends {
            counted.early_data += 1;
        } else {
            counted.releases += 1;
            counted.connected_ms += cx.now - connection.began;
        }
        // What came too late for this connection is for the next one.
        if let Some(device) = cx.devices.get_mut(key) {
            put_back(&mut connection, device);
        }
        if is_turned_away {
            self.was_turned_away(cx, key);
        }
        self.becomes_idle(cx, key);
    }

    /// A device has no connection any more: it sleeps, unless something waits already.
    pub(in crate::cell) fn becomes_idle(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.radio.cut(cx.instant);
        device.radio.tell(cx.instant, cx.outputs);
        device.idle.begin(cx.now);
        device.paged = false;
        device.is_reestablishing = false;
        if device.is_registering && cx.settings.config.idle.attach.is_some() {
            self.registration_failed(cx, key);
            return;
        }
        if !device.up.is_empty() && self.connect(cx, key) {
            return;
        }
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if device.is_registering {
            self.arm_registration(cx, key);
            return;
        }
        self.arm_periodic_update(cx, key);
        self.page(cx, key);
    }
}

/// Gives the packets that a connection holds back to the device and to the network, in front of others.
pub(in crate::cell) fn put_back(connection: &mut Connection, device: &mut Device) {
    let (up, down) = connection.take_packets();
    for (packets, queue) in [(up, &mut device.up), (down, &mut device.down)] {
        for waiting in packets.into_iter().rev() {
            queue.push_front(waiting);
        }
    }
}
