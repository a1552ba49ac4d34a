use core::mem;

use lasthop_broker::Qos;
use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    ApplicationOutput, ConnectionId, Payload, ReadOutcome, Received, StreamId, Transport,
};
use lasthop_units::Instant;

use super::stream::Stream;
use super::{CLOSE_TIMEOUT, MqttClient, Phase, TOPIC_ALIASES};
use crate::codec::{
    Acknowledgement, AcknowledgementKind, Connack, Disconnect, Frame, MAX_PACKET_SIZE, PacketType,
    Publish, ReasonCode, Suback, Version,
};
use crate::packets::{Flow, take_packets};

/// How many messages of QoS 2 a broker of 3.1.1, which has no receive maximum, may leave unreleased.
const MAX_UNRELEASED: usize = 1020;

impl MqttClient {
    /// Reads and processes all received packets.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        transport: &mut dyn Transport,
    ) {
        let mut buffer = [0; 1024];
        while let Some(link) = &mut self.link
            && link.connection == connection
        {
            let is_control = link.control.id() == stream;
            if link.line(&mut self.session, stream).is_none() {
                return;
            }
            match transport.read(now, connection, stream, &mut buffer) {
                Ok(ReadOutcome::Read(length)) => {
                    self.feed(now, stream, &buffer[..length], transport);
                }
                Ok(ReadOutcome::Finished) => {
                    match is_control {
                        true => self.peer_finished(now, transport),
                        false => self.data_ended(now, stream, transport),
                    }
                    return;
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
    }

    fn feed(
        &mut self,
        now: Instant,
        stream: StreamId,
        bytes: &[u8],
        transport: &mut dyn Transport,
    ) {
        if self.is_closing() {
            return;
        }
        let Some((line, _)) = self.line(stream) else {
            return;
        };
        line.keep_alive.note_heard(now);
        let partial = mem::take(&mut line.stream.partial);
        let maximum = self
            .config
            .maximum_packet_size
            .map_or(MAX_PACKET_SIZE, |size| size as usize);
        let rest = take_packets(partial, bytes, maximum, |frame| {
            self.packet(now, stream, frame, transport)?;
            Ok(match self.phase {
                Phase::Closing { .. } | Phase::Waiting { .. } | Phase::Off => Flow::Stop,
                _ => Flow::Continue,
            })
        });
        match rest {
            Ok(rest) => {
                if let Some((line, _)) = self.line(stream) {
                    line.stream.partial = rest;
                }
            }
            Err(reason) => self.close(now, reason, false, transport),
        }
    }

    /// Handles the end of the broker's stream: the client closes too, and reconnects.
    pub(super) fn peer_finished(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        let connection = link.connection;
        link.control.outbox.abandon(now, transport, connection);
        if !self.is_closing() {
            self.phase = Phase::Closing {
                until: now + CLOSE_TIMEOUT,
                as_planned: false,
            };
        }
    }

    fn packet(
        &mut self,
        now: Instant,
        stream: StreamId,
        frame: &Frame<'_>,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let version = self.config.version;
        let is_connecting = matches!(self.phase, Phase::Connecting { .. });
        match frame.packet_type {
            PacketType::Connack if is_connecting => {
                let connack = Connack::read(version, frame.body)?;
                self.connected(now, &connack, transport)
            }
            _ if self.control() != Some(stream) && !frame.packet_type.goes_by_any_stream() => {
                Err(ReasonCode::PROTOCOL_ERROR)
            }
            // The broker's first packet is CONNACK (MQTT-3.2.0-1), and there is one (MQTT-3.2.0-2).
            _ if is_connecting => Err(ReasonCode::PROTOCOL_ERROR),
            PacketType::Publish => {
                let publish = Publish::read(version, frame)?;
                self.publication(now, stream, &publish, transport)
            }
            PacketType::Puback => {
                let kind = AcknowledgementKind::Puback;
                self.acknowledgement(now, stream, kind, frame.body, transport)
            }
            PacketType::Pubrec => {
                let kind = AcknowledgementKind::Pubrec;
                self.acknowledgement(now, stream, kind, frame.body, transport)
            }
            PacketType::Pubcomp => {
                let kind = AcknowledgementKind::Pubcomp;
                self.acknowledgement(now, stream, kind, frame.body, transport)
            }
            PacketType::Pubrel => {
                let kind = AcknowledgementKind::Pubrel;
                let pubrel = Acknowledgement::read(version, kind, frame.body)?;
                self.release(now, stream, pubrel.packet_id, transport);
                Ok(())
            }
            PacketType::Suback if matches!(self.phase, Phase::Subscribing { .. }) => {
                let suback = Suback::read(version, frame.body)?;
                self.subscribed(now, stream, &suback, transport)
            }
            PacketType::Pingresp if frame.body.is_empty() => {
                if let Some(link) = &mut self.link {
                    link.keep_alive.note_answer();
                }
                Ok(())
            }
            PacketType::Pingresp => Err(ReasonCode::MALFORMED_PACKET),
            PacketType::Disconnect if version == Version::V5 => {
                Disconnect::read(version, frame.body)?;
                self.peer_finished(now, transport);
                Ok(())
            }
            _ => Err(ReasonCode::PROTOCOL_ERROR),
        }
    }

    fn acknowledgement(
        &mut self,
        now: Instant,
        stream: StreamId,
        kind: AcknowledgementKind,
        body: &[u8],
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let read = Acknowledgement::read(self.config.version, kind, body)?;
        self.acknowledged(now, stream, kind, read, transport)
    }

    fn publication(
        &mut self,
        now: Instant,
        stream: StreamId,
        publish: &Publish<'_>,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let has_aliases = self.config.topic_alias;
        let Some((line, _)) = self.line(stream) else {
            return Ok(());
        };
        line.stream.note_alias(publish, has_aliases)?;
        let connection = line.connection;
        let packet_id = publish.packet_id;
        if let Some(heard) = &mut self.heard
            && publish.qos != Qos::ExactlyOnce
        {
            heard.note(publish.topic);
        }
        match publish.qos {
            Qos::AtMostOnce => self.hand_up(
                now,
                connection,
                Payload::copied_from(publish.payload),
                transport,
            ),
            Qos::AtLeastOnce => {
                let kind = AcknowledgementKind::Puback;
                self.acknowledge(now, stream, kind, packet_id, publish.payload, transport);
                self.hand_up(
                    now,
                    connection,
                    Payload::copied_from(publish.payload),
                    transport,
                );
            }
            Qos::ExactlyOnce => {
                let maximum = self.maximum_unreleased();
                if let Some((_, exchanges)) = self.line(stream)
                    && !exchanges.unreleased.contains(packet_id)
                {
                    // MQTT-3.3.4-9: the broker may not send more at a time than the client takes.
                    if exchanges.unreleased.len() >= maximum {
                        return Err(ReasonCode::RECEIVE_MAXIMUM_EXCEEDED);
                    }
                    let payload = Payload::copied_from(publish.payload);
                    exchanges.unreleased.add(packet_id, payload);
                    if let Some(heard) = &mut self.heard {
                        heard.hold(stream, packet_id, publish.topic);
                    }
                }
                let kind = AcknowledgementKind::Pubrec;
                self.acknowledge(now, stream, kind, packet_id, publish.payload, transport);
            }
        }
        Ok(())
    }

    /// How many messages of QoS 2 the broker may leave unreleased on a stream.
    fn maximum_unreleased(&self) -> usize {
        match self.config.version {
            Version::V3_1_1 => MAX_UNRELEASED,
            Version::V5 => usize::from(self.config.receive_maximum.max(1)),
        }
    }

    fn release(
        &mut self,
        now: Instant,
        stream: StreamId,
        packet_id: u16,
        transport: &mut dyn Transport,
    ) {
        let Some((mut line, exchanges)) = self.line(stream) else {
            return;
        };
        let payload = exchanges.unreleased.release(packet_id);
        let pubcomp = Acknowledgement {
            packet_id,
            reason: match payload {
                Some(_) => ReasonCode::SUCCESS,
                None => ReasonCode::PACKET_IDENTIFIER_NOT_FOUND,
            },
        };
        let id = payload.as_ref().and_then(|payload| message_id(payload));
        let kind = AcknowledgementKind::Pubcomp;
        line.write_acknowledgement(now, kind, pubcomp, id, transport);
        let connection = line.connection;
        if let Some(payload) = payload {
            if let Some(heard) = &mut self.heard {
                heard.release(stream, packet_id);
            }
            self.hand_up(now, connection, payload, transport);
        }
    }

    fn acknowledge(
        &mut self,
        now: Instant,
        stream: StreamId,
        kind: AcknowledgementKind,
        packet_id: u16,
        payload: &[u8],
        transport: &mut dyn Transport,
    ) {
        if let Some((mut line, _)) = self.line(stream) {
            let id = message_id(payload);
            let acknowledgement = Acknowledgement::success(packet_id);
            line.write_acknowledgement(now, kind, acknowledgement, id, transport);
        }
    }

    pub(super) fn hand_up(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        payload: Payload,
        transport: &mut dyn Transport,
    ) {
        let link = self.link.as_mut();
        let is_awaited = link.is_some_and(|link| link.take_awaited(&payload));
        self.outputs.push(ApplicationOutput::Received(Received {
            connection,
            payload,
        }));
        if is_awaited {
            self.finish_if_done(now, transport);
        }
    }
}

impl Stream {
    /// Keeps to the rules of topic aliases (MQTT-3.3.2-8 to -12), which have no further use here: a client
    /// subscribes to one topic.
    fn note_alias(&mut self, publish: &Publish<'_>, has_aliases: bool) -> Result<(), ReasonCode> {
        let maximum = if has_aliases { TOPIC_ALIASES } else { 0 };
        let alias = usize::from(publish.topic_alias);
        if alias > usize::from(maximum) {
            return Err(ReasonCode::TOPIC_ALIAS_INVALID);
        }
        if alias > 0 && !publish.topic.is_empty() {
            let length = self.aliases.len().max(alias);
            self.aliases.resize_with(length, Box::default);
            self.aliases[alias - 1] = publish.topic.into();
        }
        let is_unknown = publish.topic.is_empty()
            && self
                .aliases
                .get(alias.wrapping_sub(1))
                .is_none_or(|topic| topic.is_empty());
        if is_unknown {
            Err(ReasonCode::PROTOCOL_ERROR)
        } else {
            Ok(())
        }
    }
}
