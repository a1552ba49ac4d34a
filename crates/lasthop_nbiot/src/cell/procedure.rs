mod bearers;
mod release;

pub(super) use bearers::put_on_bearer;
pub(super) use release::put_back;

use lasthop_contract::{Direction, Expectation};

use super::network_time::nothing_waits;
use super::{Cell, Context};
use crate::device::{
    AccessPurpose, Connection, Content, DeviceKey, RELEASE, Registration, pipe_index,
};
use crate::layer2::{
    Bearer, buffer_size_bytes, buffer_size_index, data_volume_bytes, data_volume_index,
};
use crate::phy::Subframe;
use crate::rrc::{DataPath, Sequence, With};

/// What the base station takes for the data volume where Msg3 has no upper bound.
const LARGE_VOLUME_BYTES: u32 = 3_000;

impl Cell {
    /// The base station has a Msg3: it answers a request, or knows that a connected device wants a grant.
    pub(super) fn msg3_received(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        (level, early): (u8, bool),
        listens_from: Subframe,
    ) {
        let settings = cx.settings;
        let access = cx.device(key).and_then(|d| d.access.as_ref());
        let Some(purpose) = access.map(|access| access.purpose) else {
            return;
        };
        match purpose {
            AccessPurpose::Connect if self.turns_away(cx, key, level, listens_from) => {}
            AccessPurpose::Connect if early => {
                self.early_data_received(cx, key, level, listens_from);
            }
            AccessPurpose::Connect => {
                let Some(device) = cx.devices.get_mut(key) else {
                    return;
                };
                let in_queue: u32 = (device.up.iter())
                    .map(|waiting| waiting.packet.length() as u32 + 1)
                    .sum();
                let sequence = if device.is_reestablishing {
                    Sequence::reestablishment_of(&settings.config.connection)
                } else if device.is_registering {
                    Sequence::attach_of(&settings.config.connection)
                } else if device.idle.is_updating() && device.up.is_empty() {
                    Sequence::tracking_area_update_of(&settings.config.connection)
                } else {
                    settings.sequence
                };
                let mut connection = Box::new(Connection::new(sequence, level, cx.now));
                connection.step = 1;
                connection.listens_from = listens_from;
                connection.known_bytes =
                    data_volume_bytes(data_volume_index(in_queue)).unwrap_or(LARGE_VOLUME_BYTES);
                device.connection = Some(connection);
                self.begin_step(cx, key);
            }
            AccessPurpose::Grant => {
                let Some(device) = cx.devices.get_mut(key) else {
                    return;
                };
                device.access = None;
                self.report.of(level).scheduling_requests += 1;
                if let Some(connection) = &mut device.connection {
                    let level = buffer_size_index(connection.waiting_bytes());
                    connection.known_bytes = buffer_size_bytes(level).unwrap_or(LARGE_VOLUME_BYTES);
                    connection.grant_due = true;
                    connection.listens_from = listens_from;
                    connection.active = cx.now;
                    if connection.carrier > 0 {
                        cx.channel.tune(key.slot, connection.carrier);
                    }
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
        let Some(device) = cx.device(key) else { return };
        let Some(connection) = device.connection.as_mut() else {
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
            let is_over = connection.sequence.data == DataPath::None;
            let is_registering = core::mem::take(&mut device.is_registering);
            device.registration = Registration::default();
            device.radio.end_registration();
            let counted = self.report.of(connection.level);
            let is_reestablished = core::mem::take(&mut device.is_reestablishing);
            counted.set_ups += u64::from(!is_reestablished);
            counted.re_establishments += u64::from(is_reestablished);
            counted.tracking_area_updates += u64::from(is_over);
            counted.registrations += u64::from(is_registering);
            if is_over {
                self.ask_for_release(cx, key);
            } else if is_reestablished {
                // The gateway knows where it is.
                self.load_bearers(cx, key);
            } else {
                self.bearer_is_made(cx, key);
            }
        } else {
            self.begin_step(cx, key);
        }
    }

    /// Queues the message of the step that is next, at whoever sends it.
    pub(super) fn queue_step(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let ready_from = cx.now + cx.settings.waits.device_rrc;
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
                    connection.on_srb0 = Some(content);
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
                connection.ready_from = ready_from;
                connection.report_due |= step.with == With::BufferStatus;
                if step.with == With::UserData {
                    self.load_bearers(cx, key);
                }
            }
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
        if connection.assistance == Some(Expectation::NothingMore)
            && !connection.end_report_due
            && connection.is_set_up()
            && !connection.releasing
            && nothing_waits(device, cx.settings)
        {
            self.ask_for_release(cx, key);
        }
        self.serve(cx, key);
        self.ask_for_grant(cx, key);
        self.arm_timers(cx, key);
    }
}
