use core::mem;

use lasthop_broker::SessionId;
use lasthop_contract::{Cause, ReadOutcome, Transport};
use lasthop_units::Instant;

use super::connection::{Phase, Role};
use super::{MqttBroker, OUTBOX_LIMIT};
use crate::codec::{
    Acknowledgement, AcknowledgementKind, Connect, Disconnect, Frame, MAX_PACKET_SIZE, PacketType,
    Publish, ReasonCode, Subscribe, Unsubscribe, Version, pingresp,
};
use crate::ledger::chunk;
use crate::packets::{Flow, take_packets};

/// How much is read at a time.
const READ_SIZE: usize = 1024;

/// So many bytes are one unit of work: a turn ends with the packet by which 160 kB are read.
const BYTES_OF_A_UNIT: usize = 16;

impl MqttBroker {
    /// Reads all that is there, unless the client does not take what we send it.
    pub(super) fn receive(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        let mut buffer = [0; READ_SIZE];
        while let Some(connection) = self.connections.get_mut(place) {
            let is_unknown = connection.phase == Phase::New && connection.role != Role::Control;
            if is_unknown || connection.is_paused || connection.outbox.size() > OUTBOX_LIMIT {
                break;
            }
            match transport.read(now, connection.id, connection.outbox.stream(), &mut buffer) {
                Ok(ReadOutcome::Read(length)) => {
                    self.turns.spend(length.div_ceil(BYTES_OF_A_UNIT));
                    self.feed(now, place, &buffer[..length], transport);
                }
                Ok(ReadOutcome::Finished) => {
                    match connection.role {
                        Role::Control => self.peer_finished(now, place, transport),
                        Role::Data(_) => self.data_finished(now, place, transport),
                    }
                    break;
                }
                Ok(ReadOutcome::Blocked) | Err(_) => break,
            }
        }
    }

    pub(super) fn feed(
        &mut self,
        now: Instant,
        place: u32,
        bytes: &[u8],
        transport: &mut dyn Transport,
    ) {
        let Some(connection) = self.connections.get_mut(place) else {
            return;
        };
        if connection.phase == Phase::Closing {
            return;
        }
        let is_heard = !bytes.is_empty();
        if is_heard {
            connection.last_heard = now;
        }
        let role = connection.role;
        let partial = mem::take(&mut connection.partial);
        let maximum = self
            .config
            .maximum_packet_size
            .map_or(MAX_PACKET_SIZE, |size| size as usize);
        if is_heard
            && let Role::Data(control) = role
            && let Some(first) = self.connections.get_mut(control)
        {
            first.last_heard = now;
        }
        let rest = take_packets(partial, bytes, maximum, |frame| {
            match self.packet(now, place, frame, transport)? {
                Flow::Continue if self.put_off(place) => Ok(Flow::Pause),
                flow => Ok(flow),
            }
        });
        match rest {
            Ok(rest) => {
                if let Some(connection) = self.connections.get_mut(place)
                    && connection.phase != Phase::Closing
                {
                    connection.partial = rest;
                }
            }
            Err(reason) => self.refuse(now, place, reason, transport),
        }
    }

    #[inline]
    fn packet(
        &mut self,
        now: Instant,
        place: u32,
        frame: &Frame<'_>,
        transport: &mut dyn Transport,
    ) -> Result<Flow, ReasonCode> {
        let Some(connection) = self.connections.get(place) else {
            return Ok(Flow::Stop);
        };
        let version = connection.version;
        match connection.phase {
            Phase::Serving(session) if frame.packet_type == PacketType::Publish => {
                let publish = Publish::read(version, frame)?;
                self.publication(now, place, session, &publish, transport)?;
                Ok(Flow::Continue)
            }
            Phase::Serving(session) => {
                self.control_packet(now, place, session, version, frame, transport)
            }
            // MQTT-3.1.0-1: the first packet is CONNECT.
            Phase::New if frame.packet_type == PacketType::Connect => {
                match Connect::read(frame.body) {
                    Ok(connect) => Ok(self.asked_to_connect(now, place, &connect, transport)),
                    Err(error) => {
                        self.refuse_connect(now, place, error, transport);
                        Ok(Flow::Continue)
                    }
                }
            }
            Phase::New => Err(ReasonCode::PROTOCOL_ERROR),
            Phase::Closing => Ok(Flow::Stop),
        }
    }

    fn control_packet(
        &mut self,
        now: Instant,
        place: u32,
        session: SessionId,
        version: Version,
        frame: &Frame<'_>,
        transport: &mut dyn Transport,
    ) -> Result<Flow, ReasonCode> {
        let body = frame.body;
        let role = self.connections.get(place).map(|it| it.role);
        if role != Some(Role::Control) && !frame.packet_type.goes_by_any_stream() {
            return Err(ReasonCode::PROTOCOL_ERROR);
        }
        match frame.packet_type {
            PacketType::Puback => {
                let kind = AcknowledgementKind::Puback;
                let read = Acknowledgement::read(version, kind, body)?;
                self.acknowledged(now, session, kind, read, transport)?;
            }
            PacketType::Pubrec => {
                let kind = AcknowledgementKind::Pubrec;
                let read = Acknowledgement::read(version, kind, body)?;
                self.acknowledged(now, session, kind, read, transport)?;
            }
            PacketType::Pubcomp => {
                let kind = AcknowledgementKind::Pubcomp;
                let read = Acknowledgement::read(version, kind, body)?;
                self.acknowledged(now, session, kind, read, transport)?;
            }
            PacketType::Pubrel => {
                let read = Acknowledgement::read(version, AcknowledgementKind::Pubrel, body)?;
                self.release(now, place, session, read.packet_id, transport);
            }
            PacketType::Subscribe => {
                let subscribe = Subscribe::read(version, body)?;
                self.subscribe(now, place, session, &subscribe, transport);
            }
            PacketType::Unsubscribe => {
                let unsubscribe = Unsubscribe::read(version, body)?;
                self.unsubscribe(now, place, session, &unsubscribe, transport);
            }
            PacketType::Pingreq if body.is_empty() => {
                if let Some(connection) = self.connections.get_mut(place) {
                    connection.write(now, transport, &[chunk(&pingresp(), Cause::KeepAlive)]);
                }
            }
            PacketType::Pingreq => return Err(ReasonCode::MALFORMED_PACKET),
            PacketType::Disconnect => {
                let disconnect = Disconnect::read(version, body)?;
                self.disconnect(now, place, session, disconnect, transport)?;
                return Ok(Flow::Stop);
            }
            // 3.1.1 has no AUTH: its type is reserved.
            PacketType::Auth if version == Version::V3_1_1 => {
                return Err(ReasonCode::MALFORMED_PACKET);
            }
            // A second CONNECT (MQTT-3.1.0-2), or what only a server sends.
            _ => return Err(ReasonCode::PROTOCOL_ERROR),
        }
        Ok(Flow::Continue)
    }
}
