//! Processing times of the network and the device.

use super::events::Event;
use super::scheduler::is_up_in_order;
use super::{Cell, Context, Settings};
use crate::cell::radio_words::message_of;
use crate::config::NetworkTime;
use crate::device::{Connection, Device, DeviceKey};
use crate::radio_line::RadioLane;
use crate::rrc::DataPath;

/// What waits for base station and core, in subframes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetworkWaits {
    /// From what the scheduler knows to the DCI that it decides on.
    pub(crate) scheduler: u64,
    /// From an RRC message to the device to when it can take a grant for its answer.
    pub(crate) device_rrc: u64,
    /// From the end of a set-up to the first packet for the device that the gateway lets go.
    pub(crate) bearer: u64,
    /// From when the base station asks for it to the release.
    pub(crate) release: u64,
    /// From a packet at the gateway to the first page.
    pub(crate) paging: u64,
}

impl NetworkWaits {
    pub(crate) fn new(time: &NetworkTime) -> Self {
        let (base_station, mme) = (u64::from(time.base_station_ms), u64::from(time.mme_ms));
        let s1 = u64::from(time.s1_round_trip_ms.div_ceil(2));
        let through_gateway = base_station + s1 + mme + u64::from(time.gateway_ms);
        Self {
            scheduler: time.scheduler_ms.into(),
            device_rrc: time.device_rrc_ms.into(),
            bearer: through_gateway,
            release: time.nas_answer_ms(),
            paging: through_gateway,
        }
    }
}

impl Cell {
    /// The next step of a set-up goes once who has to be asked has answered.
    pub(super) fn begin_step(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let now = cx.now;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        let step = &connection.sequence.set_up[usize::from(connection.step)];
        let wait = match step.direction {
            lasthop_contract::Direction::Down => {
                step.answered_by.answer_ms(&settings.config.network)
            }
            lasthop_contract::Direction::Up => 0,
        };
        if wait == 0 {
            return self.queue_step(cx, key);
        }
        connection.answer_at = Some(now + wait);
        let waits = (now.start(), (now + wait).start());
        cx.watch.note(key, RadioLane::Network, waits, true, || {
            let (message, who) = (message_of(step), step.answered_by.name());
            format!("{message} waits for {who}")
        });
        self.events.push(now + wait, Event::NetworkAnswers(key));
    }

    /// A set-up is complete: packets for the device come once the gateway knows where it is.
    pub(super) fn bearer_is_made(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let wait = cx.settings.waits.bearer;
        let now = cx.now;
        if wait > 0
            && let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut())
        {
            connection.bearer_at = now + wait;
            let waits = (now.start(), (now + wait).start());
            cx.watch.note(key, RadioLane::Network, waits, true, || {
                "packets for the device wait for the gateway to move the bearer".into()
            });
            self.events.push(now + wait, Event::NetworkAnswers(key));
        }
        self.load_bearers(cx, key);
    }

    /// The base station asks the MME to release a connection; without time in the network, the release is queued.
    pub(super) fn ask_for_release(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let wait = cx.settings.waits.release;
        if wait == 0 {
            return self.queue_release(cx, key);
        }
        let now = cx.now;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        if connection.release_at.is_none() {
            connection.release_at = Some(now + wait);
            let waits = (now.start(), (now + wait).start());
            cx.watch.note(key, RadioLane::Network, waits, true, || {
                "the release waits for the MME".into()
            });
            self.events.push(now + wait, Event::NetworkAnswers(key));
        }
    }

    /// What the core was asked for may be there: the next message of a set-up, packets, the release.
    pub(super) fn network_answers(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let now = cx.now;
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let nothing_waits = nothing_waits(device, settings);
        let Some(connection) = &mut device.connection else {
            return;
        };
        let step_comes = connection.answer_at.take_if(|at| *at == now).is_some();
        let release_comes = connection.release_at.take_if(|at| *at == now).is_some();
        let is_over = connection.sequence.data == DataPath::None;
        if step_comes {
            self.queue_step(cx, key);
        }
        if release_comes && !connection_is_releasing(cx, key) {
            if is_over || nothing_waits {
                self.queue_release(cx, key);
            } else if let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) {
                // What has come meanwhile keeps the connection.
                connection.active = now;
            }
        }
        if is_set_up(cx, key) {
            self.load_bearers(cx, key);
        }
        self.serve(cx, key);
        self.arm_timers(cx, key);
    }
}

/// Whether nothing waits at either end of a connection, nor for its core.
pub(super) fn nothing_waits(device: &Device, settings: &Settings) -> bool {
    device.up.is_empty()
        && device.since[1].is_empty()
        && device.connection.as_ref().is_some_and(|connection| {
            connection.known_bytes == 0
                && is_up_in_order(connection, settings)
                && connection.waiting_bytes() == 0
                && !connection.device_has_data()
                && !connection.network_has_data()
        })
}

fn connection_is_releasing(cx: &mut Context<'_>, key: DeviceKey) -> bool {
    let connection = cx.device(key).and_then(|device| device.connection.as_ref());
    connection.is_none_or(|connection| connection.releasing)
}

fn is_set_up(cx: &mut Context<'_>, key: DeviceKey) -> bool {
    let connection = cx
        .device(key)
        .and_then(|device| device.connection.as_deref());
    connection.is_some_and(Connection::is_set_up)
}
