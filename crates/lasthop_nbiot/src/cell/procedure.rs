use lasthop_contract::Direction;

use super::events::Event;
use super::scheduler::has_bearer;
use super::{Cell, Context};
use crate::device::{AccessPurpose, Connection, Content, DeviceKey, RELEASE, pipe_index};
use crate::layer2::{
    Bearer, buffer_size_bytes, buffer_size_index, data_volume_bytes, data_volume_index,
};
use crate::phy::Subframe;
use crate::rrc::{DataPath, With};

/// What the base station takes for the data volume where Msg3 has no upper bound.
const LARGE_VOLUME_BYTES: u32 = 3_000;

impl Cell {
    /// The base station has a Msg3: it answers a request, or knows that a connected device wants a grant.
    pub(super) fn msg3_received(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        level: u8,
        listens_from: Subframe,
    ) {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &device.access else { return };
        let in_queue: u32 = (device.up.iter())
            .map(|waiting| waiting.packet.length() as u32 + 1)
            .sum();
        match access.purpose {
            AccessPurpose::Connect => {
                let mut connection = Box::new(Connection::new(settings.sequence, level, cx.now));
                connection.step = 1;
                connection.listens_from = listens_from;
                connection.known_bytes =
                    data_volume_bytes(data_volume_index(in_queue)).unwrap_or(LARGE_VOLUME_BYTES);
                device.connection = Some(connection);
                self.begin_step(cx, key);
            }
            AccessPurpose::Grant => {
                device.access = None;
                self.report.of(level).scheduling_requests += 1;
                if let Some(connection) = &mut device.connection {
                    let waiting: u32 = (connection.up.iter())
                        .map(|pipe| pipe.transmitter.waiting_bytes())
                        .sum();
                    connection.known_bytes =
                        buffer_size_bytes(buffer_size_index(waiting)).unwrap_or(LARGE_VOLUME_BYTES);
                    connection.grant_due = true;
                    connection.listens_from = listens_from;
                    connection.active = cx.now;
                }
            }
        }
        self.serve(cx, key);
    }

    /// Msg4 names the device.
    pub(super) fn contention_resolved(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(connection) = &mut device.connection else {
            return;
        };
        if !connection.resolved {
            connection.resolved = true;
            device.access = None;
            device.paged = false;
            self.report.of(connection.level).accesses += 1;
        }
    }

    /// A message of the set-up has arrived, or that of the release.
    pub(super) fn step_done(&mut self, cx: &mut Context<'_>, key: DeviceKey, step: u8) {
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        if step == RELEASE {
            connection.released = true;
            return;
        }
        if step != connection.step {
            return;
        }
        connection.step += 1;
        if connection.is_set_up() {
            let level = connection.level;
            self.report.of(level).set_ups += 1;
            self.load_bearers(cx, key);
        } else {
            self.begin_step(cx, key);
        }
    }

    /// Queues the message of the step that is next, at whoever sends it.
    fn begin_step(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(connection) = &mut device.connection else {
            return;
        };
        let number = connection.step;
        let step = &connection.sequence.set_up[usize::from(number)];
        let packet = match step.nas {
            Some(nas) if nas.carries_packet() => device.up.pop_front(),
            _ => None,
        };
        let size = step.sdu(
            packet
                .as_ref()
                .map_or(0, |waiting| waiting.packet.length() as u16),
        );
        let content = Content {
            step: Some(number),
            packet,
        };
        match step.direction {
            Direction::Down => {
                connection.contention_due |= matches!(
                    step.with,
                    With::ContentionResolution | With::ContentionResolutionAndUserData
                );
                if step.bearer == Bearer::Srb0 {
                    connection.srb0 = Some(size);
                } else {
                    connection.down[pipe_index(step.bearer)]
                        .transmitter
                        .offer(content, size);
                }
            }
            Direction::Up => {
                connection.up[pipe_index(step.bearer)]
                    .transmitter
                    .offer(content, size);
                connection.grant_due = true;
                connection.report_due |= step.with == With::BufferStatus;
                if step.with == With::UserData {
                    self.load_bearers(cx, key);
                }
            }
        }
    }

    /// Puts the packets that wait on the bearer that carries them.
    pub(super) fn load_bearers(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(connection) = &mut device.connection else {
            return;
        };
        let rohc = settings.config.connection.rohc;
        let mut ups = 0;
        for (direction, queue) in [&mut device.up, &mut device.down].into_iter().enumerate() {
            if direction == 1 && !connection.is_set_up() {
                continue;
            }
            while let Some(waiting) = queue.pop_front() {
                let bytes = if rohc {
                    connection.compression[direction].compressed_bytes(waiting.packet.bytes())
                } else {
                    waiting.packet.length()
                } as u16;
                let (index, size) = match connection.sequence.data {
                    DataPath::DataBearer { .. } => (1, Bearer::Drb.sdu(0, bytes)),
                    DataPath::Nas { up, down } => {
                        (0, if direction == 0 { up } else { down }.sdu(bytes))
                    }
                };
                let content = Content {
                    step: None,
                    packet: Some(waiting),
                };
                let pipes = if direction == 0 {
                    ups += 1;
                    &mut connection.up
                } else {
                    &mut connection.down
                };
                pipes[index].transmitter.offer(content, size);
            }
        }
        if ups > 0
            && let DataPath::DataBearer {
                first_with_buffer_status: true,
            } = connection.sequence.data
        {
            connection.report_due = true;
        }
    }

    /// An exchange with a device has ended: what comes next?
    pub(super) fn after_exchange(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.radio.tell(cx.instant, cx.outputs);
        let Some(connection) = &mut device.connection else {
            return;
        };
        if connection.released {
            self.connection_released(cx, key);
            return;
        }
        let failed = |pipes: &[crate::device::Pipe; 2]| {
            pipes
                .iter()
                .any(|pipe| pipe.transmitter.failure().is_some())
        };
        if failed(&connection.up) || failed(&connection.down) {
            self.radio_link_fails(cx, key);
            return;
        }
        let nothing_waits = connection.known_bytes == 0
            && !connection.device_has_data()
            && !connection.network_has_data()
            && device.up.is_empty()
            && device.down.is_empty();
        if connection.release_asked
            && nothing_waits
            && connection.is_set_up()
            && !connection.releasing
        {
            self.queue_release(cx, key);
        }
        self.serve(cx, key);
        self.ask_for_grant(cx, key);
        self.arm_timers(cx, key);
    }

    /// Queues the message that ends a connection.
    pub(super) fn queue_release(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
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

    /// A connected device that has data and no prospect of a grant asks for one by random access.
    pub(super) fn ask_for_grant(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.device(key) else { return };
        if device.access.is_some() {
            return;
        }
        let Some(connection) = &mut device.connection else {
            return;
        };
        let has_prospect = connection.is_busy()
            || connection.queued
            || connection.grant_due
            || (connection.known_bytes > 0 && has_bearer(connection))
            || connection.uplink.is_some()
            || connection.downlink.is_some()
            || connection.network_has_data()
            || connection.releasing
            || !connection.resolved;
        if has_prospect || !connection.device_has_data() {
            return;
        }
        connection.report_due = false;
        self.begin_access(cx, key, AccessPurpose::Grant);
    }

    /// The device has the message that ends its connection, and the base station knows.
    fn connection_released(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(mut connection) = device.connection.take() else {
            return;
        };
        self.leave_queue(cx.now, key, &connection);
        let counted = self.report.of(connection.level);
        counted.releases += 1;
        counted.connected_ms += cx.now - connection.began;
        // What came too late for this connection is for the next one.
        for (pipes, queue) in [
            (&mut connection.up, &mut device.up),
            (&mut connection.down, &mut device.down),
        ] {
            for pipe in pipes.iter_mut().rev() {
                let late: Vec<_> = pipe.transmitter.take_all().collect();
                for content in late.into_iter().rev() {
                    if let Some(waiting) = content.packet {
                        queue.push_front(waiting);
                    }
                }
            }
        }
        self.becomes_idle(cx, key);
    }

    /// A device has no connection any more: it sleeps, unless something waits already.
    pub(super) fn becomes_idle(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.radio.cut(cx.instant);
        device.radio.tell(cx.instant, cx.outputs);
        device.idle.begin(cx.now);
        device.paged = false;
        if !device.up.is_empty() {
            self.begin_access(cx, key, AccessPurpose::Connect);
            return;
        }
        if let Some(at) = device.idle.periodic_update(&cx.settings.config.idle) {
            self.events.push(at, Event::PeriodicUpdate(key));
        }
        self.page(cx, key);
    }
}
