use lasthop_contract::{Direction, Expectation};
use lasthop_units::Instant;

use super::events::Event;
use super::procedure::put_on_bearer;
use super::{Cell, Context, Settings};
use crate::device::{
    AccessPurpose, Connection, Content, Device, DeviceKey, EarlyData, RELEASE, Waiting, pipe_index,
};
use crate::layer2::{
    AmTransmitter, Bearer, ControlElement, Demand, HeaderCompression, MacPduBuilder,
    data_volume_bytes, data_volume_index,
};
use crate::phy::Subframe;
use crate::rrc::{DataPath, Nas, Sequence, Step};

/// How many packets go with Msg3: all that wait, if it is a request for a connection and they fit into the level's
/// transport block of early data; `None` otherwise, so that the request is a usual one (TS 36.331 section 5.3.3.1b).
pub(super) fn early_packets(device: &Device, settings: &Settings) -> Option<u8> {
    let access = device.access.as_ref()?;
    let (sequence, _) = settings.early_data?;
    let entry = settings.level(access.level).early_entry.as_ref()?;
    let there = access.early_bytes_there;
    if access.purpose != AccessPurpose::Connect
        || device.is_registering
        || device.is_reestablishing
        || (device.up.is_empty() && there == 0)
    {
        return None;
    }
    let packets = u8::try_from(device.up.len()).ok()?;
    let request = &sequence.set_up[0];
    let mut block = MacPduBuilder::new(entry.msg3.block.bits / 8, settings.subheaders);
    block.control(ControlElement::DataVolumeAndPowerHeadroom(0));
    let assists = |waiting: &Waiting| settings.assistance(&waiting.packet).is_some();
    let fits = if request.nas.is_some() {
        // A NAS message carries one packet.
        let one = (there == 0 && packets == 1) || packets == 0;
        let bytes = device
            .up
            .front()
            .map_or(there, |waiting| waiting.packet.length() as u16);
        one && block.transparent(request.sdu(bytes))
    } else {
        let mut data = AmTransmitter::new();
        if there > 0 {
            data.offer((), Bearer::Drb.sdu(0, there));
        }
        let mut compression = HeaderCompression::new();
        for Waiting { packet } in &device.up {
            let bytes = if settings.config.connection.rohc {
                compression.compressed_bytes(packet.bytes())
            } else {
                packet.length()
            };
            data.offer((), Bearer::Drb.sdu(0, bytes as u16));
        }
        let told = !device.up.back().is_some_and(assists)
            || block.control(ControlElement::QualityReportAndReleaseAssistance);
        told && block.transparent(request.sdu(0))
            && block.data(Bearer::Drb, &mut data, Instant::ZERO, &settings.rlc)
            && !data.has_data()
    };
    fits.then_some(packets)
}

impl Cell {
    /// The base station has a Msg3 with data: they go on to the core. Msg4 is held back for an answer of the far end,
    /// unless the device expects none, or there is more already.
    pub(super) fn early_data_received(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        level: u8,
        listens_from: Subframe,
    ) {
        let settings = cx.settings;
        let (Some((sequence, _)), Some(device)) = (settings.early_data, cx.devices.get_mut(key))
        else {
            return;
        };
        let Some(access) = &mut device.access else {
            return;
        };
        let packets = usize::from(access.early_packets.unwrap_or(0)).min(device.up.len());
        let arrived: Vec<Waiting> = device.up.drain(..packets).collect();
        access.early_bytes_there += (arrived.iter())
            .map(|waiting| waiting.packet.length() as u16)
            .sum::<u16>();
        let left: u32 = (device.up.iter())
            .map(|waiting| waiting.packet.length() as u32 + 1)
            .sum();
        let mut connection = Box::new(Connection::new(sequence, level, cx.now));
        connection.step = 1;
        connection.listens_from = listens_from;
        connection.early = EarlyData::Held;
        connection.bearer_at = cx.now + settings.waits.bearer;
        connection.known_bytes = data_volume_bytes(data_volume_index(left)).unwrap_or(left);
        device.connection = Some(connection);
        if let DataPath::Nas { .. } = sequence.data {
            for waiting in arrived {
                let content = Content {
                    step: None,
                    packet: Some(waiting),
                };
                self.take_sdu(cx, key, Direction::Up, content);
            }
        } else {
            self.receive_on_bearer(cx, key, arrived, &sequence.set_up[0]);
        }
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let is_complete = (device.connection.as_ref())
            .is_some_and(|c| c.assistance == Some(Expectation::NothingMore));
        if is_complete || !device.up.is_empty() || !device.down.is_empty() {
            self.answer_early_data(cx, key);
        } else {
            let wait = settings.level(level).entry(true).contention_resolution / 2;
            self.events.push(cx.now + wait, Event::EarlyAnswer(key));
        }
    }

    /// Takes packets that came with a request on the data bearer, through RLC.
    fn receive_on_bearer(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        packets: Vec<Waiting>,
        request: &Step,
    ) {
        let settings = cx.settings;
        let now = cx.instant;
        let Some(connection) = cx.device(key).and_then(|d| d.connection.as_mut()) else {
            return;
        };
        let entry = settings.level(connection.level).entry(true);
        let assists = (packets.last()).and_then(|last| settings.assistance(&last.packet));
        for waiting in packets {
            put_on_bearer(connection, 0, waiting, settings);
        }
        let mut block = MacPduBuilder::new(entry.msg3.block.bits / 8, settings.subheaders);
        block.control(ControlElement::DataVolumeAndPowerHeadroom(0));
        if assists.is_some() {
            block.control(ControlElement::QualityReportAndReleaseAssistance);
            connection.end_report_due = false;
        }
        block.transparent(request.sdu(0));
        let data = &mut connection.up[pipe_index(Bearer::Drb)].transmitter;
        block.data(Bearer::Drb, data, now, &settings.rlc);
        for element in &block.finish().elements {
            self.base_station_receives(cx, key, element);
        }
    }

    /// The base station answers early data, if it has not: Msg4 brings what waits for the device and ends the access, or
    /// sets up a connection where that does not fit or the device has more.
    pub(super) fn answer_early_data(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let (Some(connection), Some((early, fallback))) =
            (&mut device.connection, settings.early_data)
        else {
            return;
        };
        if connection.early != EarlyData::Held {
            return;
        }
        if cx.now < connection.bearer_at {
            let at = connection.bearer_at;
            self.events.push(at, Event::EarlyAnswer(key));
            return;
        }
        if !device.up.is_empty() || !fits_msg4(connection, &device.down, early, settings) {
            connection.early = EarlyData::None;
            connection.sequence = fallback;
            self.report.of(connection.level).early_data_fallbacks += 1;
            self.begin_step(cx, key);
            self.serve(cx, key);
            return;
        }
        connection.early = EarlyData::Ends;
        connection.releasing = true;
        connection.contention_due = true;
        if early.release.bearer == Bearer::Srb0 {
            let packet = device.down.pop_front();
            connection.srb0 = Some(complete_message(early, packet.as_ref()));
            connection.on_srb0 = Some(Content {
                step: Some(RELEASE),
                packet,
            });
        } else {
            for waiting in device.down.drain(..) {
                put_on_bearer(connection, 1, waiting, settings);
            }
            self.queue_release(cx, key);
        }
        self.serve(cx, key);
    }
}

/// Whether all that waits for a device fits into Msg4 beside the message that ends the access.
fn fits_msg4(
    connection: &Connection,
    waiting: &std::collections::VecDeque<Waiting>,
    early: &Sequence,
    settings: &Settings,
) -> bool {
    let mut demand =
        Demand::new(settings.subheaders).and_control(ControlElement::ContentionResolutionIdentity);
    if early.release.bearer == Bearer::Srb0 {
        // A NAS message carries one packet.
        if waiting.len() > 1 {
            return false;
        }
        demand = demand.and_transparent(complete_message(early, waiting.front()));
    } else {
        for pipe in &connection.up {
            demand = demand.and_status(&pipe.receiver);
        }
        let (mut release, mut data) = (AmTransmitter::new(), AmTransmitter::new());
        release.offer((), early.release.sdu(0));
        for Waiting { packet } in waiting {
            data.offer((), Bearer::Drb.sdu(0, packet.length() as u16));
        }
        demand = demand.and_data(&release).and_data(&data);
    }
    let bits = demand.bytes() * 8;
    let mode = settings.config.carrier.mode;
    let largest = settings.level(connection.level).access.npdsch(bits, mode);
    u32::from(largest.block.bits) >= bits
}

/// The message on SRB0 that ends the access, around a packet if there is one.
fn complete_message(early: &Sequence, packet: Option<&Waiting>) -> crate::layer2::SduSize {
    match packet {
        None => early.release.sdu(0),
        Some(waiting) => {
            (early.release.around(Nas::DataTransport)).sdu(waiting.packet.length() as u16)
        }
    }
}
