use std::borrow::Cow;

use lasthop_broker::Qos;
use lasthop_contract::{
    Cause, FailureReason, MessageEvent, MessageId, OutgoingMessage, Transport, Trigger,
};
use lasthop_units::Instant;

use super::link::Link;
use super::session::OwnMessage;
use super::{MqttClient, Phase, Presence};
use crate::codec::{
    Acknowledgement, AcknowledgementKind, MAX_PACKET_SIZE, PublishHead, ReasonCode, Version,
};
use crate::in_flight::{Due, Progress};
use crate::ledger::{message_chunk, publication};

impl MqttClient {
    /// Publishes a message, or keeps it until it can be sent.
    pub(super) fn send(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let is_ready = self.phase == Phase::Ready;
        let is_lasting = self.config.presence == Presence::Lasting;
        if !is_ready && is_lasting && self.config.qos == Qos::AtMostOnce {
            self.fail(id, FailureReason::NotConnected);
        } else if is_ready && self.session.queue.is_empty() && self.has_room() {
            self.publish(now, id, payload.into(), 1, transport);
            self.finish_if_done(now, transport);
        } else {
            self.session.queue.push(OwnMessage {
                id,
                payload: payload.into(),
                attempts: 0,
            });
            if self.phase == Phase::Off {
                self.connect(now, transport);
            }
        }
    }

    /// Sends again what the session has in flight, then what waits, while there is room.
    pub(super) fn pump(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        if !link.flush(now, transport) || self.phase != Phase::Ready {
            return;
        }
        self.repeat(now, transport);
        while self.has_room()
            && let Some(message) = self.session.queue.pop()
        {
            let OwnMessage {
                id,
                payload,
                attempts,
            } = message;
            let attempt = attempts.saturating_add(1);
            self.publish(now, id, payload.into_vec().into(), attempt, transport);
        }
        self.finish_if_done(now, transport);
    }

    /// Whether a message can leave now: the transport takes bytes, and not too many are in flight (§4.9).
    fn has_room(&self) -> bool {
        self.link.as_ref().is_some_and(|link| {
            link.outbox.is_empty()
                && (link.qos == Qos::AtMostOnce
                    || self.session.in_flight.len() < usize::from(link.window))
        })
    }

    fn publish(
        &mut self,
        now: Instant,
        id: MessageId,
        payload: Cow<'_, [u8]>,
        attempt: u16,
        transport: &mut dyn Transport,
    ) {
        let Some(link) = &mut self.link else { return };
        let packet_id = match link.qos {
            Qos::AtMostOnce => 0,
            _ => self.session.in_flight.next_packet_id(),
        };
        let (topic_alias, is_set) = link.topic_aliases.of(id.flow);
        let topic = if is_set {
            "".into()
        } else {
            self.topics
                .of(&self.config.prefix, id.flow, self.config.asks)
        };
        let head = PublishHead {
            topic_alias,
            retain: self.config.retain,
            ..PublishHead::new(&topic, link.qos, packet_id, payload.len())
        };
        if !link.write_publish(
            now,
            self.config.version,
            head,
            &payload,
            id,
            attempt,
            transport,
        ) {
            self.fail(id, FailureReason::TooLarge);
            return;
        }
        link.topic_aliases.note(id.flow);
        link.published += 1;
        link.await_return(id, self.config.awaits);
        if link.qos == Qos::AtMostOnce {
            link.unconfirmed.note(id);
        } else {
            let message = OwnMessage {
                id,
                payload: payload.into_owned().into(),
                attempts: 0,
            };
            self.session
                .in_flight
                .begin(packet_id, link.qos, attempt, message);
        }
        self.emit(MessageEvent::Transmitted {
            id,
            attempt,
            last: false,
            trigger: (attempt > 1).then_some(Trigger::Reconnection),
        });
    }

    /// MQTT-4.4.0-1: on a new connection what is in flight goes again, in its order.
    fn repeat(&mut self, now: Instant, transport: &mut dyn Transport) {
        let version = self.config.version;
        while let Some(link) = self.link.as_mut().filter(|link| link.outbox.is_empty())
            && let Some(due) = self.session.in_flight.next_due(link.window)
        {
            match due {
                Due::Pubrel { packet_id, message } => {
                    let (kind, id) = (AcknowledgementKind::Pubrel, Some(message.id));
                    let pubrel = Acknowledgement::success(packet_id);
                    link.write_acknowledgement(now, version, kind, pubrel, id, transport);
                }
                Due::Publish {
                    packet_id,
                    attempt,
                    message,
                } => {
                    let (id, payload) = (message.id, &message.payload);
                    let topic = self
                        .topics
                        .of(&self.config.prefix, id.flow, self.config.asks);
                    let head = PublishHead {
                        dup: true,
                        retain: self.config.retain,
                        ..PublishHead::new(&topic, link.qos, packet_id, payload.len())
                    };
                    link.write_publish(now, version, head, payload, id, attempt, transport);
                    link.await_return(id, self.config.awaits);
                    self.emit(MessageEvent::Transmitted {
                        id,
                        attempt,
                        last: false,
                        trigger: Some(Trigger::Reconnection),
                    });
                }
            }
        }
    }

    /// Takes a PUBACK, PUBREC or PUBCOMP.
    pub(super) fn acknowledged(
        &mut self,
        now: Instant,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let packet_id = acknowledgement.packet_id;
        match self.session.in_flight.acknowledge(kind, acknowledgement)? {
            Progress::Done(message, reason) => {
                self.conclude(message.id, reason);
                self.pump(now, transport);
            }
            Progress::Release(pubrel) => {
                let message = self.session.in_flight.message(packet_id);
                let id = message.map(|message| message.id);
                if let Some(link) = &mut self.link {
                    let (version, kind) = (self.config.version, AcknowledgementKind::Pubrel);
                    link.write_acknowledgement(now, version, kind, pubrel, id, transport);
                }
            }
            Progress::Unknown => {}
        }
        Ok(())
    }

    fn conclude(&mut self, id: MessageId, reason: ReasonCode) {
        if reason.is_error() {
            self.refusal = Some(reason);
            self.fail(id, FailureReason::NoAcknowledgement);
        } else {
            self.emit(MessageEvent::Acknowledged { id });
        }
    }

    /// Disconnects when there is nothing to be connected for.
    pub(super) fn finish_if_done(&mut self, now: Instant, transport: &mut dyn Transport) {
        let (link, most) = (self.link.as_ref(), self.config.messages_a_connection);
        let is_used_up = link
            .is_none_or(|it| it.awaited.is_empty() && (it.published == 0 || it.published >= most));
        if self.phase == Phase::Ready && is_used_up && self.may_sleep() {
            self.close(now, ReasonCode::SUCCESS, true, transport);
        }
    }
}

impl Link {
    /// Writes a PUBLISH; false, and nothing is written, when it is larger than the broker takes (MQTT-3.2.2-15).
    #[expect(clippy::too_many_arguments, reason = "each is one field of the packet")]
    fn write_publish(
        &mut self,
        now: Instant,
        version: Version,
        head: PublishHead<'_>,
        payload: &[u8],
        id: MessageId,
        attempt: u16,
        transport: &mut dyn Transport,
    ) -> bool {
        let bytes = head.write(version);
        let size = bytes.len() + payload.len();
        if size > self.maximum_packet_size as usize || size > MAX_PACKET_SIZE {
            return false;
        }
        let chunks = publication(&bytes, payload, Some(id), attempt > 1);
        self.write(now, transport, &chunks);
        true
    }

    pub(super) fn write_acknowledgement(
        &mut self,
        now: Instant,
        version: Version,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
        id: Option<MessageId>,
        transport: &mut dyn Transport,
    ) {
        let (bytes, length) = acknowledgement.write(version, kind);
        let chunk = message_chunk(&bytes[..length], Cause::Acknowledgement, id);
        self.write(now, transport, &[chunk]);
    }
}
