use std::borrow::Cow;

use lasthop_broker::Qos;
use lasthop_contract::{
    FailureReason, MessageEvent, MessageId, OutgoingMessage, StreamId, Transport, Trigger,
};
use lasthop_units::Instant;

use super::session::OwnMessage;
use super::{MqttClient, Phase, Presence};
use crate::codec::{Acknowledgement, AcknowledgementKind, PublishHead, ReasonCode};
use crate::in_flight::{Due, Progress};

impl MqttClient {
    /// Publishes a message, or queues it until it can be sent.
    pub(super) fn send(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let is_ready = self.phase == Phase::Ready;
        let may_publish = is_ready || self.is_pipelining();
        let is_lasting = self.config.presence == Presence::Lasting;
        if !may_publish && is_lasting && self.config.qos == Qos::AtMostOnce {
            self.fail(id, FailureReason::NotConnected);
            return;
        }
        if is_ready && self.publish_by_datagram(now, id, payload, transport) {
            self.finish_if_done(now, transport);
            return;
        }
        if may_publish && self.session.exchanges.queue.is_empty() {
            let stream = self.stream_for(now, id.flow, transport);
            if let Some(stream) = stream
                && let Some((line, exchanges)) = self.line(stream)
            {
                if exchanges.queue.is_empty() && line.has_room(exchanges) {
                    self.publish(now, stream, id, payload.into(), 1, transport);
                    self.finish_if_done(now, transport);
                } else {
                    exchanges.queue.push(OwnMessage::new(id, payload));
                }
                return;
            }
        }
        self.session
            .exchanges
            .queue
            .push(OwnMessage::new(id, payload));
        if self.phase == Phase::Off {
            self.connect(now, transport);
        }
    }

    /// Sends queued messages of a stream while the window has room. On the first stream, in-flight messages of the
    /// session are retransmitted first.
    pub(super) fn pump(&mut self, now: Instant, stream: StreamId, transport: &mut dyn Transport) {
        let is_control = self.control() == Some(stream);
        let Some((mut line, _)) = self.line(stream) else {
            return;
        };
        let is_flushed = line.flush(now, transport);
        if !is_flushed || !(self.phase == Phase::Ready || self.is_pipelining()) {
            return;
        }
        if is_control {
            self.repeat(now, stream, transport);
            self.distribute(now, transport);
        } else {
            while let Some((line, exchanges)) = self.line(stream)
                && line.has_room(exchanges)
                && let Some(message) = exchanges.queue.pop()
            {
                self.publish_queued(now, stream, message, transport);
            }
            self.finish_if_once(now, stream, transport);
        }
        self.finish_if_done(now, transport);
    }

    /// Sends queued messages of the first stream, and those that wait for another stream.
    pub(super) fn pump_control(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let Some(stream) = self.control() {
            self.pump(now, stream, transport);
        }
    }

    /// Gives messages that wait for no certain stream to theirs, in order.
    fn distribute(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(flow) = self.session.exchanges.queue.first().map(|it| it.id.flow)
            && let Some(stream) = self.stream_for(now, flow, transport)
        {
            let is_control = self.control() == Some(stream);
            let Some((line, exchanges)) = self.line(stream) else {
                return;
            };
            let is_first = is_control || exchanges.queue.is_empty();
            let has_room = is_first && line.has_room(exchanges);
            if is_control && !has_room {
                return;
            }
            let Some(message) = self.session.exchanges.queue.pop() else {
                return;
            };
            if has_room {
                self.publish_queued(now, stream, message, transport);
            } else if let Some((_, exchanges)) = self.line(stream) {
                exchanges.queue.push(message);
            }
        }
    }

    fn publish_queued(
        &mut self,
        now: Instant,
        stream: StreamId,
        message: OwnMessage,
        transport: &mut dyn Transport,
    ) {
        let attempt = message.attempts.saturating_add(1);
        let payload = message.payload.into_vec().into();
        self.publish(now, stream, message.id, payload, attempt, transport);
    }

    fn publish(
        &mut self,
        now: Instant,
        stream: StreamId,
        id: MessageId,
        payload: Cow<'_, [u8]>,
        attempt: u16,
        transport: &mut dyn Transport,
    ) {
        let Some(link) = self.link.as_deref_mut() else {
            return;
        };
        let Some((mut line, exchanges)) = link.line(&mut self.session, stream) else {
            return;
        };
        let qos = line.qos;
        let packet_id = match qos {
            Qos::AtMostOnce => 0,
            _ => exchanges.in_flight.next_packet_id(),
        };
        let (topic_alias, is_set) = line.stream.topic_aliases.of(id.flow);
        let topic = if is_set {
            "".into()
        } else {
            self.topics
                .of(&self.config.prefix, id.flow, self.config.asks)
        };
        let head = PublishHead {
            topic_alias,
            retain: self.config.retain,
            ..PublishHead::new(&topic, qos, packet_id, payload.len())
        };
        if !line.write_publish(now, head, &payload, id, attempt, transport) {
            self.fail(id, FailureReason::TooLarge);
            self.finish_if_once(now, stream, transport);
            return;
        }
        line.stream.topic_aliases.note(id.flow);
        if qos > Qos::AtMostOnce {
            let message = OwnMessage::new(id, payload.into_owned());
            exchanges.in_flight.begin(packet_id, qos, attempt, message);
        }
        link.published += 1;
        link.await_return(id, self.config.awaits);
        if qos == Qos::AtMostOnce {
            link.unconfirmed.note(id);
            self.finish_if_once(now, stream, transport);
        }
        self.emit(MessageEvent::Transmitted {
            id,
            attempt,
            last: false,
            trigger: (attempt > 1).then_some(Trigger::Reconnection),
        });
    }

    /// MQTT-4.4.0-1: on a new connection what the session has in flight goes again, in its order.
    fn repeat(&mut self, now: Instant, stream: StreamId, transport: &mut dyn Transport) {
        while let Some(link) = self.link.as_deref_mut()
            && let Some((mut line, exchanges)) = link.line(&mut self.session, stream)
            && line.stream.outbox.is_empty()
            && let Some(due) = exchanges.in_flight.next_due(line.window)
        {
            match due {
                Due::Pubrel { packet_id, message } => {
                    let (kind, id) = (AcknowledgementKind::Pubrel, Some(message.id));
                    let pubrel = Acknowledgement::success(packet_id);
                    line.write_acknowledgement(now, kind, pubrel, id, transport);
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
                        ..PublishHead::new(&topic, line.qos, packet_id, payload.len())
                    };
                    line.write_publish(now, head, payload, id, attempt, transport);
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

    /// Processes a PUBACK, PUBREC or PUBCOMP.
    pub(super) fn acknowledged(
        &mut self,
        now: Instant,
        stream: StreamId,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let packet_id = acknowledgement.packet_id;
        let Some((mut line, exchanges)) = self.line(stream) else {
            return Ok(());
        };
        match exchanges.in_flight.acknowledge(kind, acknowledgement)? {
            Progress::Done(message, reason) => {
                self.conclude(message.id, reason);
                self.pump(now, stream, transport);
            }
            Progress::Release(pubrel) => {
                let message = exchanges.in_flight.message(packet_id);
                let id = message.map(|message| message.id);
                let kind = AcknowledgementKind::Pubrel;
                line.write_acknowledgement(now, kind, pubrel, id, transport);
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

    /// Disconnects if the connection is no longer needed.
    pub(super) fn finish_if_done(&mut self, now: Instant, transport: &mut dyn Transport) {
        let (link, most) = (self.link.as_ref(), self.config.messages_a_connection);
        let is_used_up = link
            .is_none_or(|it| it.awaited.is_empty() && (it.published == 0 || it.published >= most));
        if self.phase == Phase::Ready && is_used_up && self.may_sleep() {
            self.end(now, transport);
        }
    }
}
