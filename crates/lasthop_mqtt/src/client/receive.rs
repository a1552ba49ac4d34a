use core::mem;

use lasthop_broker::Qos;
use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    ApplicationOutput, ConnectionId, Payload, ReadOutcome, Received, Transport,
};
use lasthop_units::Instant;

use super::link::Link;
use super::{CLOSE_TIMEOUT, MqttClient, Phase, TOPIC_ALIASES};
use crate::codec::{
    Acknowledgement, AcknowledgementKind, Connack, Disconnect, Frame, MAX_PACKET_SIZE, PacketType,
    Publish, ReasonCode, Suback, Version,
};
use crate::packets::{Flow, take_packets};

/// How many messages of QoS 2 a broker of 3.1.1, which has no receive maximum, may leave unreleased.
const MAX_UNRELEASED: usize = 1020;

impl MqttClient {
    /// Reads all that is there.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        transport: &mut dyn Transport,
    ) {
        let mut buffer = [0; 1024];
        while let Some(link) = &self.link
            && link.connection == connection
        {
            match transport.read(now, connection, link.outbox.stream(), &mut buffer) {
                Ok(ReadOutcome::Read(length)) => self.feed(now, &buffer[..length], transport),
                Ok(ReadOutcome::Finished) => {
                    self.peer_finished(now, transport);
                    return;
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
    }

    fn feed(&mut self, now: Instant, bytes: &[u8], transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        if matches!(self.phase, Phase::Closing { .. }) {
            return;
        }
        link.keep_alive.note_heard(now);
        let partial = mem::take(&mut link.partial);
        let maximum = self
            .config
            .maximum_packet_size
            .map_or(MAX_PACKET_SIZE, |size| size as usize);
        let rest = take_packets(partial, bytes, maximum, |frame| {
            self.packet(now, frame, transport)?;
            Ok(match self.phase {
                Phase::Closing { .. } | Phase::Waiting { .. } | Phase::Off => Flow::Stop,
                _ => Flow::Continue,
            })
        });
        match (rest, &mut self.link) {
            (Ok(rest), Some(link)) => link.partial = rest,
            (Ok(_), None) => {}
            (Err(reason), _) => self.close(now, reason, false, transport),
        }
    }

    /// The broker writes no more: so do we, and a new connection follows.
    pub(super) fn peer_finished(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        link.abandon(now, transport);
        if !matches!(self.phase, Phase::Closing { .. }) {
            self.phase = Phase::Closing {
                until: now + CLOSE_TIMEOUT,
                as_planned: false,
            };
        }
    }

    fn packet(
        &mut self,
        now: Instant,
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
            // The broker's first packet is CONNACK (MQTT-3.2.0-1), and there is one (MQTT-3.2.0-2).
            _ if is_connecting => Err(ReasonCode::PROTOCOL_ERROR),
            PacketType::Publish => {
                let publish = Publish::read(version, frame)?;
                self.publication(now, &publish, transport)
            }
            PacketType::Puback => {
                self.acknowledgement(now, AcknowledgementKind::Puback, frame.body, transport)
            }
            PacketType::Pubrec => {
                self.acknowledgement(now, AcknowledgementKind::Pubrec, frame.body, transport)
            }
            PacketType::Pubcomp => {
                self.acknowledgement(now, AcknowledgementKind::Pubcomp, frame.body, transport)
            }
            PacketType::Pubrel => {
                let kind = AcknowledgementKind::Pubrel;
                let pubrel = Acknowledgement::read(version, kind, frame.body)?;
                self.release(now, pubrel.packet_id, transport);
                Ok(())
            }
            PacketType::Suback if matches!(self.phase, Phase::Subscribing { .. }) => {
                self.subscribed(now, &Suback::read(version, frame.body)?, transport);
                Ok(())
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
        kind: AcknowledgementKind,
        body: &[u8],
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let read = Acknowledgement::read(self.config.version, kind, body)?;
        self.acknowledged(now, kind, read, transport)
    }

    fn publication(
        &mut self,
        now: Instant,
        publish: &Publish<'_>,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let Some(link) = &mut self.link else {
            return Ok(());
        };
        link.note_alias(publish, self.config.topic_alias)?;
        let connection = link.connection;
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
                self.acknowledge(
                    now,
                    AcknowledgementKind::Puback,
                    packet_id,
                    publish.payload,
                    transport,
                );
                self.hand_up(
                    now,
                    connection,
                    Payload::copied_from(publish.payload),
                    transport,
                );
            }
            Qos::ExactlyOnce => {
                if !self.session.unreleased.contains(packet_id) {
                    self.check_unreleased()?;
                    let payload = Payload::copied_from(publish.payload);
                    self.session.unreleased.add(packet_id, payload);
                    if let Some(heard) = &mut self.heard {
                        heard.hold(packet_id, publish.topic);
                    }
                }
                self.acknowledge(
                    now,
                    AcknowledgementKind::Pubrec,
                    packet_id,
                    publish.payload,
                    transport,
                );
            }
        }
        Ok(())
    }

    /// MQTT-3.3.4-9: the broker may not send more at a time than the client takes.
    fn check_unreleased(&self) -> Result<(), ReasonCode> {
        let maximum = match self.config.version {
            Version::V3_1_1 => MAX_UNRELEASED,
            Version::V5 => usize::from(self.config.receive_maximum.max(1)),
        };
        if self.session.unreleased.len() < maximum {
            Ok(())
        } else {
            Err(ReasonCode::RECEIVE_MAXIMUM_EXCEEDED)
        }
    }

    fn release(&mut self, now: Instant, packet_id: u16, transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        let payload = self.session.unreleased.release(packet_id);
        let pubcomp = Acknowledgement {
            packet_id,
            reason: match payload {
                Some(_) => ReasonCode::SUCCESS,
                None => ReasonCode::PACKET_IDENTIFIER_NOT_FOUND,
            },
        };
        let id = payload.as_ref().and_then(|payload| message_id(payload));
        let (version, kind) = (self.config.version, AcknowledgementKind::Pubcomp);
        link.write_acknowledgement(now, version, kind, pubcomp, id, transport);
        let connection = link.connection;
        if let Some(payload) = payload {
            if let Some(heard) = &mut self.heard {
                heard.release(packet_id);
            }
            self.hand_up(now, connection, payload, transport);
        }
    }

    fn acknowledge(
        &mut self,
        now: Instant,
        kind: AcknowledgementKind,
        packet_id: u16,
        payload: &[u8],
        transport: &mut dyn Transport,
    ) {
        if let Some(link) = &mut self.link {
            let (version, id) = (self.config.version, message_id(payload));
            let acknowledgement = Acknowledgement::success(packet_id);
            link.write_acknowledgement(now, version, kind, acknowledgement, id, transport);
        }
    }

    fn hand_up(
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

impl Link {
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
