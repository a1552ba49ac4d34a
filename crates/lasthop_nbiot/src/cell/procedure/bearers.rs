use lasthop_contract::Expectation;

use crate::cell::scheduler::has_bearer;
use crate::cell::{Cell, Context, Settings};
use crate::device::{AccessPurpose, Connection, Content, DeviceKey, Waiting};
use crate::layer2::Bearer;
use crate::rrc::DataPath;

impl Cell {
    /// Puts the packets that wait on the bearer that carries them.
    pub(in crate::cell) fn load_bearers(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let now = cx.now;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(connection) = &mut device.connection else {
            return;
        };
        if connection.sequence.data == DataPath::None {
            return;
        }
        let mut ups = 0;
        for (direction, queue) in [&mut device.up, &mut device.down].into_iter().enumerate() {
            if direction == 1 && !(connection.is_set_up() && now >= connection.bearer_at) {
                continue;
            }
            while let Some(waiting) = queue.pop_front() {
                ups += u32::from(direction == 0);
                put_on_bearer(connection, direction, waiting, settings);
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

    /// A connected device that has data and no prospect of a grant asks for one by random access.
    pub(in crate::cell) fn ask_for_grant(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
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
            || !connection.uplinks.is_empty()
            || !connection.downlinks.is_empty()
            || connection.network_has_data()
            || connection.releasing
            || !connection.resolved;
        if has_prospect || !connection.device_has_data() {
            return;
        }
        connection.report_due = false;
        self.begin_access(cx, key, AccessPurpose::Grant);
    }
}

/// Puts a packet on the bearer that carries it, up (0) or down (1).
pub(in crate::cell) fn put_on_bearer(
    connection: &mut Connection,
    direction: usize,
    waiting: Waiting,
    settings: &Settings,
) {
    let assistance = (settings.assistance(&waiting.packet)).filter(|_| direction == 0);
    let bytes = if settings.config.connection.rohc {
        connection.compression[direction].compressed_bytes(waiting.packet.bytes())
    } else {
        waiting.packet.length()
    } as u16;
    let (index, size) = match connection.sequence.data {
        DataPath::DataBearer { .. } => {
            if direction == 0 {
                connection.end_report_due = assistance == Some(Expectation::NothingMore)
                    && !settings.config.switches.hand_counted_blocks;
            }
            (1, Bearer::Drb.sdu(0, bytes))
        }
        DataPath::Nas { up, .. } if assistance.is_some() => (0, up.assisting_release().sdu(bytes)),
        DataPath::Nas { up, .. } if direction == 0 => (0, up.sdu(bytes)),
        DataPath::Nas { down, .. } => (0, down.sdu(bytes)),
        DataPath::None => unreachable!("packets wait for a connection that carries some"),
    };
    let content = Content {
        step: None,
        packet: Some(waiting),
    };
    let pipes = if direction == 0 {
        &mut connection.up
    } else {
        &mut connection.down
    };
    pipes[index].transmitter.offer(content, size);
}
