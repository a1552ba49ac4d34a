use lasthop_contract::{Direction, Expectation, LinkOutput};

use super::{Cell, Context, core_port, radio_port};
use crate::config::Grants;
use crate::device::{Content, DeviceKey, RELEASE, Waiting, pipe_index};
use crate::layer2::{AmPdu, ControlElement, Element, Fate, StatusReports, buffer_size_bytes};
use crate::rrc::DataPath;

/// What the base station takes for the bytes that wait where a report has no upper bound.
const MANY_BYTES: u32 = 150_000;

impl Cell {
    /// The device takes what a block brought.
    pub(super) fn device_receives(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        element: &Element,
    ) {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(connection) = &mut device.connection else {
            return;
        };
        match element {
            Element::Control(ControlElement::ContentionResolutionIdentity) => {
                self.contention_resolved(cx, key);
            }
            Element::Control(_) => {}
            Element::Transparent => {
                if let Some(content) = connection.on_srb0.take() {
                    self.take_sdu(cx, key, Direction::Down, content);
                }
            }
            Element::Status(bearer, report) => connection.up[pipe_index(*bearer)]
                .transmitter
                .handle_status(report, &settings.rlc),
            Element::Data(bearer, pdu) => {
                let index = pipe_index(*bearer);
                let here = connection.down[index].receiver.receive(pdu, &settings.rlc);
                connection.grant_due |= pdu.poll && settings.config.connection.grant_after_downlink;
                let level = connection.level;
                self.count_retransmission(level, pdu);
                self.take_sdus(cx, key, Direction::Down, index, here);
            }
        }
    }

    /// The base station takes what a block brought.
    pub(super) fn base_station_receives(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        element: &Element,
    ) {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(connection) = &mut device.connection else {
            return;
        };
        match element {
            Element::Control(ControlElement::BufferStatus(level)) => {
                if *level == 0 || settings.config.connection.grants == Grants::AsReported {
                    connection.known_bytes = buffer_size_bytes(*level).unwrap_or(MANY_BYTES);
                }
                connection.end_report_due &= *level > 0;
            }
            Element::Control(_) | Element::Transparent => {}
            Element::Status(bearer, report) => connection.down[pipe_index(*bearer)]
                .transmitter
                .handle_status(report, &settings.rlc),
            Element::Data(bearer, pdu) => {
                let index = pipe_index(*bearer);
                let is_data =
                    index == 1 || matches!(connection.sequence.data, DataPath::Nas { .. });
                if is_data && settings.config.switches.hand_counted_blocks {
                    // It knows to the byte what waits: no report in padding follows that corrects a level.
                    connection.known_bytes = connection.waiting_bytes();
                } else if is_data && settings.config.connection.grants == Grants::OnePerRequest {
                    connection.known_bytes = 0;
                } else if is_data {
                    connection.known_bytes =
                        connection.known_bytes.saturating_sub(pdu.data_bytes.into());
                }
                let pipe = &mut connection.up[index];
                let here = pipe.receiver.receive(pdu, &settings.rlc);
                if let StatusReports::Free = settings.rlc.status_reports {
                    pipe.transmitter.settle(pdu, Fate::Arrived, &settings.rlc);
                }
                let level = connection.level;
                self.count_retransmission(level, pdu);
                self.take_sdus(cx, key, Direction::Up, index, here);
            }
        }
    }

    fn count_retransmission(&mut self, level: u8, pdu: &AmPdu) {
        if pdu.retransmission {
            self.report.of(level).rlc_retransmissions += 1;
        }
    }

    /// Takes every SDU that is complete within the first bytes of a stream.
    fn take_sdus(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        direction: Direction,
        index: usize,
        here: u32,
    ) {
        while let Some(content) = take_delivered(cx, key, direction, index, here) {
            self.take_sdu(cx, key, direction, content);
        }
    }

    pub(super) fn take_sdu(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        direction: Direction,
        content: Content,
    ) {
        if let Some(waiting) = content.packet {
            match direction {
                Direction::Up => self.packet_reaches_base_station(cx, key, waiting),
                Direction::Down => self.packet_reaches_device(cx, key, waiting),
            }
        }
        if let Some(step) = content.step {
            self.step_done(cx, key, step);
        }
    }

    fn packet_reaches_base_station(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        waiting: Waiting,
    ) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.since[0].pop_front();
        let assistance = cx.settings.assistance(&waiting.packet);
        if let Some(connection) = &mut device.connection {
            connection.assistance = assistance;
            let level = connection.level;
            self.report.of(level).packets_up += 1;
        }
        cx.core
            .deliver(cx.now.start(), core_port(key.slot), waiting.packet);
    }

    fn packet_reaches_device(&mut self, cx: &mut Context<'_>, key: DeviceKey, waiting: Waiting) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.since[1].pop_front();
        if let Some(connection) = &mut device.connection {
            self.report.of(connection.level).packets_down += 1;
            connection.grant_due |= cx.settings.config.connection.grant_after_downlink;
            // A report of level 0 can only tell now that the answer was all (TS 36.321 section 5.4.5).
            connection.end_report_due |= connection.assistance == Some(Expectation::NothingMore)
                && matches!(connection.sequence.data, DataPath::DataBearer { .. });
        }
        if let Some(packet) = cx.modules.receive(cx.instant, key, waiting.packet) {
            let port = radio_port(key.slot);
            cx.outputs.push_back(LinkOutput::Deliver { port, packet });
        }
    }
}

fn take_delivered(
    cx: &mut Context<'_>,
    key: DeviceKey,
    direction: Direction,
    index: usize,
    here: u32,
) -> Option<Content> {
    let connection = cx.device(key)?.connection.as_mut()?;
    let pipes = match direction {
        Direction::Up => &mut connection.up,
        Direction::Down => &mut connection.down,
    };
    pipes[index].transmitter.take_delivered(here)
}

const _: () = assert!(RELEASE == u8::MAX, "no set-up has as many steps");
