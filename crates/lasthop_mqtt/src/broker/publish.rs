use core::mem;
use std::sync::Arc;

use lasthop_broker::{
    Client, Holder, Message, Origin, Publication, Qos, Session, SessionId, SharedPublication,
};
use lasthop_contract::message_text::{message_id, topic_of};
use lasthop_contract::{
    ApplicationOutput, ConnectionId, FailureReason, MessageEvent, MessageId, OutgoingMessage,
    Payload, Received, Transport,
};
use lasthop_units::{Duration, Instant};

use super::MqttBroker;
use super::connection::{Aliases, Connection};
use super::deliver::{by_subscriber, session_of};
use super::session::Counted;
use crate::codec::{Acknowledgement, AcknowledgementKind, Publish, ReasonCode, Version};

impl MqttBroker {
    /// Processes a PUBLISH from a client.
    pub(super) fn publication(
        &mut self,
        now: Instant,
        place: u32,
        session: SessionId,
        publish: &Publish<'_>,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let Some(connection) = self.connections.get_mut(place) else {
            return Ok(());
        };
        // A subscription identifier comes from a server only (MQTT-3.3.4-6).
        if !publish.subscription_ids.is_empty() {
            return Err(ReasonCode::PROTOCOL_ERROR);
        }
        if publish.qos > self.config.maximum_qos {
            return Err(ReasonCode::QOS_NOT_SUPPORTED);
        }
        let (id, version) = (connection.id, connection.version);
        let resolved;
        let topic = if publish.topic_alias == 0 {
            publish.topic
        } else {
            resolved = connection.resolve_alias(publish, self.config.topic_alias_maximum)?;
            &resolved
        };
        let expiry = publish.message_expiry;
        let publication = Publication {
            topic,
            payload: publish.payload,
            properties: &publish.properties,
            qos: publish.qos,
            retain: publish.retain,
            expires_at: expiry.map(|seconds| now + Duration::from_secs(u64::from(seconds))),
            id: message_id(publish.payload),
            origin: Origin::Client(self.core.subscriber(session.0.into())),
        };
        let packet_id = publish.packet_id;
        if self.keeper.is_some() {
            return self.keep(now, place, session, packet_id, &publication, transport);
        }
        if !self.may_publish(session, topic) {
            self.counters.denied += 1;
            self.deny(now, place, publish, transport);
            return Ok(());
        }
        match publish.qos {
            Qos::AtMostOnce => {
                self.take(now, id, &publication, transport);
            }
            Qos::AtLeastOnce => {
                let has_recipient = self.take(now, id, &publication, transport);
                let puback = Acknowledgement {
                    packet_id,
                    reason: if has_recipient {
                        ReasonCode::SUCCESS
                    } else {
                        ReasonCode::NO_MATCHING_SUBSCRIBERS
                    },
                };
                let kind = AcknowledgementKind::Puback;
                self.acknowledge(now, place, kind, puback, publication.id, transport);
            }
            Qos::ExactlyOnce => {
                let is_kept = self.keep_unreleased(session, version, packet_id, &publication)?;
                let reason = match (is_kept, version) {
                    (true, _) => ReasonCode::SUCCESS,
                    (false, Version::V5) => ReasonCode::QUOTA_EXCEEDED,
                    // It has no word for it.
                    (false, Version::V3_1_1) => return Err(ReasonCode::QUOTA_EXCEEDED),
                };
                let pubrec = Acknowledgement { packet_id, reason };
                let kind = AcknowledgementKind::Pubrec;
                self.acknowledge(now, place, kind, pubrec, publication.id, transport);
            }
        }
        Ok(())
    }

    /// Answers a publication that is not allowed: 3.1.1 has no word for it, so it is acknowledged and gone (MQTT-3.3.5-2).
    fn deny(
        &mut self,
        now: Instant,
        place: u32,
        publish: &Publish<'_>,
        transport: &mut dyn Transport,
    ) {
        let kind = match publish.qos {
            Qos::AtMostOnce => return,
            Qos::AtLeastOnce => AcknowledgementKind::Puback,
            Qos::ExactlyOnce => AcknowledgementKind::Pubrec,
        };
        let denied = Acknowledgement {
            packet_id: publish.packet_id,
            reason: ReasonCode::NOT_AUTHORIZED,
        };
        self.acknowledge(now, place, kind, denied, None, transport);
    }

    /// Keeps a message of QoS 2, unless it is known already (MQTT-4.3.3-10), until the client releases it; whether there
    /// is room for it.
    fn keep_unreleased(
        &mut self,
        session: SessionId,
        version: Version,
        packet_id: u16,
        publication: &Publication<'_>,
    ) -> Result<bool, ReasonCode> {
        let maximum = match version {
            Version::V3_1_1 => self.config.max_unreleased,
            Version::V5 => self.config.max_in_flight.max(1),
        };
        let Some(known) = self.sessions.get(session) else {
            return Ok(true);
        };
        let unreleased = &known.state.unreleased;
        if unreleased.contains(packet_id) {
            return Ok(true);
        }
        // MQTT-3.3.4-7.
        if unreleased.len() >= usize::from(maximum) {
            return Err(ReasonCode::RECEIVE_MAXIMUM_EXCEEDED);
        }
        let message = Arc::new(Message::from(publication));
        let mut charge = None;
        let has_room = self.sessions.charge(session, &message, &mut charge);
        if has_room && let Some(session) = self.sessions.get_mut(session) {
            let counted = Counted {
                message,
                _charge: charge,
            };
            session.state.unreleased.add(packet_id, counted);
        }
        Ok(has_room)
    }

    /// Processes a PUBREL from a client. The message is delivered only now, as in mosquitto.
    pub(super) fn release(
        &mut self,
        now: Instant,
        place: u32,
        session: SessionId,
        packet_id: u16,
        transport: &mut dyn Transport,
    ) {
        let state = self
            .sessions
            .get_mut(session)
            .map(|session| &mut session.state);
        let message = state.and_then(|state| state.unreleased.release(packet_id));
        let pubcomp = Acknowledgement {
            packet_id,
            reason: match message {
                Some(_) => ReasonCode::SUCCESS,
                None => ReasonCode::PACKET_IDENTIFIER_NOT_FOUND,
            },
        };
        let mut id = None;
        if let Some(Counted { message, .. }) = &message
            && let Some(connection) = self.connections.get(place)
        {
            let publication = Publication {
                origin: Origin::Client(self.core.subscriber(session.0.into())),
                ..message.publication()
            };
            id = publication.id;
            self.take(now, connection.id, &publication, transport);
        }
        let kind = AcknowledgementKind::Pubcomp;
        self.acknowledge(now, place, kind, pubcomp, id, transport);
    }

    pub(super) fn acknowledge(
        &mut self,
        now: Instant,
        place: u32,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
        id: Option<MessageId>,
        transport: &mut dyn Transport,
    ) {
        if let Some(connection) = self.connections.get_mut(place) {
            connection.acknowledge(now, kind, acknowledgement, id, transport);
        }
    }

    /// Takes a client's publication: for its subscribers, and for the application above. Whether anybody wants it.
    fn take(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        publication: &Publication<'_>,
        transport: &mut dyn Transport,
    ) -> bool {
        let has_recipient = self.publish(now, publication, transport);
        if self.config.is_destination {
            self.outputs.push(ApplicationOutput::Received(Received {
                connection,
                payload: Payload::copied_from(publication.payload),
            }));
        }
        has_recipient || self.config.is_destination
    }

    /// Publishes a message of the server's application to the topic of its flow.
    pub(super) fn send(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let topic = topic_of(message.id.flow);
        let publication = Publication {
            topic: &topic,
            payload: message.payload,
            properties: &[],
            qos: self.config.qos,
            retain: false,
            expires_at: None,
            id: Some(message.id),
            origin: Origin::Broker,
        };
        if !self.publish(now, &publication, transport) {
            self.fail(message.id, FailureReason::NotConnected);
        }
    }

    /// Retains a publication if requested and delivers it to all matching subscribers. Returns whether there are any.
    pub(super) fn publish(
        &mut self,
        now: Instant,
        publication: &Publication<'_>,
        transport: &mut dyn Transport,
    ) -> bool {
        if !publication.retain && self.core.has_nobody() {
            return false;
        }
        self.publish_shared(now, &mut SharedPublication::new(publication), transport)
    }

    /// Publishes a message that may be stored already.
    pub(super) fn publish_shared(
        &mut self,
        now: Instant,
        shared: &mut SharedPublication<'_>,
        transport: &mut dyn Transport,
    ) -> bool {
        let mut matches = mem::take(&mut self.matches);
        let holder = self.holder_of(shared.publication());
        let published = self.core.publish_for(holder, shared, &mut matches);
        self.counters.dropped += published.dropped;
        self.turns.spend(matches.len());
        for of_one in by_subscriber(&matches) {
            self.deliver(now, shared, of_one, transport);
        }
        matches.clear();
        self.matches = matches;
        published.has_recipient
    }

    /// To whom a publication counts where it is retained.
    fn holder_of(&self, publication: &Publication<'_>) -> Holder {
        match publication.origin {
            Origin::Client(subscriber) if publication.retain => {
                let session = self.sessions.get(session_of(subscriber));
                session.map_or(Holder::Host, Session::holder)
            }
            _ => Holder::Host,
        }
    }

    /// Whether the client of a session may publish to a topic.
    pub(super) fn may_publish(&self, session: SessionId, topic: &str) -> bool {
        if self.core.is_alone() {
            return true;
        }
        self.sessions.get(session).is_some_and(|session| {
            let client = Client {
                identity: session.state.identity,
                client_id: session.client_id(),
            };
            self.core.may_publish(client, topic)
        })
    }

    pub(super) fn emit(&mut self, event: MessageEvent) {
        self.outputs.push(ApplicationOutput::Event(event));
    }

    pub(super) fn fail(&mut self, id: MessageId, reason: FailureReason) {
        self.emit(MessageEvent::Failed { id, reason });
    }
}

impl Connection {
    /// The topic that a number stands for from now on, or already (MQTT-3.3.2-8 to -12).
    fn resolve_alias(
        &mut self,
        publish: &Publish<'_>,
        maximum: u16,
    ) -> Result<Box<str>, ReasonCode> {
        if publish.topic_alias > maximum {
            return Err(ReasonCode::TOPIC_ALIAS_INVALID);
        }
        let known = &mut self
            .aliases
            .get_or_insert_with(|| Box::new(Aliases::default()))
            .received;
        let place = usize::from(publish.topic_alias) - 1;
        if publish.topic.is_empty() {
            let topic = known.get(place).filter(|topic| !topic.is_empty());
            return topic.cloned().ok_or(ReasonCode::PROTOCOL_ERROR);
        }
        if known.len() <= place {
            known.resize_with(place + 1, Box::default);
        }
        known[place] = publish.topic.into();
        Ok(publish.topic.into())
    }
}
