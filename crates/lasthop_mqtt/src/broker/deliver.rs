use lasthop_broker::{
    Charge, Origin, Publication, Qos, QueuedMessage, SessionId, SharedPublication, Subscriber,
    SubscriptionIds, SubscriptionMatch,
};
use lasthop_contract::{FailureReason, MessageEvent, Transport, Trigger};
use lasthop_units::Instant;

use super::MqttBroker;
use super::connection::Connection;
use super::subscribe::subscription_ids;
use crate::codec::{MAX_PACKET_SIZE, PublishHead};
use crate::ledger::publication;

/// The options for the delivery of a publication to one subscriber.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) qos: Qos,
    pub(super) retain: bool,
    pub(super) ids: SubscriptionIds,
    /// The charge that the message already has.
    pub(super) charge: Option<Box<Charge>>,
}

impl From<&QueuedMessage> for Delivery {
    fn from(queued: &QueuedMessage) -> Self {
        Self {
            qos: queued.qos,
            retain: queued.retain,
            ids: queued.ids.clone(),
            charge: None,
        }
    }
}

impl Delivery {
    /// What all matching subscriptions of one session come to: the best quality (MQTT-3.3.4-2), one copy.
    fn of(publication: &Publication<'_>, matches: &[SubscriptionMatch<Subscriber>]) -> Self {
        let options = || matches.iter().map(|found| &found.options);
        let best = options().map(|options| options.maximum_qos).max();
        Self {
            qos: best.unwrap_or_default().min(publication.qos),
            // MQTT-3.3.1-12 and -13.
            retain: publication.retain && options().any(|options| options.retain_as_published),
            ids: subscription_ids(options()),
            charge: None,
        }
    }
}

impl MqttBroker {
    /// Delivers publications from other services of the host to all matching subscribers.
    pub(super) fn deliver_from_others(
        &mut self,
        now: Instant,
        delivery: &lasthop_broker::Delivery,
        transport: &mut dyn Transport,
    ) {
        let publication = delivery.message.publication();
        let mut shared = SharedPublication::of(&publication, &delivery.message);
        for of_one in by_subscriber(&delivery.matches) {
            self.deliver(now, &mut shared, of_one, transport);
        }
    }

    /// Sends a publication to one session at once if possible, or queues it.
    pub(super) fn deliver(
        &mut self,
        now: Instant,
        shared: &mut SharedPublication<'_>,
        matches: &[SubscriptionMatch<Subscriber>],
        transport: &mut dyn Transport,
    ) {
        let Some(id) = matches.first().map(|found| session_of(found.subscriber)) else {
            return;
        };
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let delivery = Delivery::of(shared.publication(), matches);
        let connection = session
            .state
            .connection
            .and_then(|place| self.connections.get_mut(place));
        let Some(connection) = connection else {
            // MQTT-3.1.2-5: QoS 0 is not kept for a client that is not there.
            if delivery.qos > Qos::AtMostOnce {
                self.queue(id, shared, delivery);
            } else {
                self.give_up(shared.publication(), FailureReason::NotConnected);
            }
            return;
        };
        let has_room = connection.outbox.is_empty()
            && match delivery.qos {
                // MQTT-4.6.0-6: it may overtake messages of another quality only.
                Qos::AtMostOnce => !session.queue.has_at_most_once(),
                _ => {
                    session.queue.is_empty()
                        && self
                            .config
                            .sending
                            .is_open(session.state.in_flight.len(), connection.window)
                }
            };
        if !has_room {
            self.queue(id, shared, delivery);
            return;
        }
        self.send_first(now, id, shared, delivery, transport);
        if self.pending.is_some()
            && let Some(place) = self.sessions.get(id).and_then(|it| it.state.connection)
        {
            // Where that is too much, connections end behind the packet at hand.
            self.count_pending(place, transport);
        }
    }

    fn queue(&mut self, id: SessionId, shared: &mut SharedPublication<'_>, delivery: Delivery) {
        let Delivery {
            qos,
            retain,
            ids,
            charge,
        } = delivery;
        let message = shared.message();
        let queued = QueuedMessage {
            message,
            qos,
            retain,
            ids,
            charge,
        };
        if !self.sessions.enqueue(id, queued) {
            self.counters.dropped += 1;
            self.give_up(shared.publication(), FailureReason::QueueFull);
        }
    }

    /// Reports that a message will not reach a subscriber.
    pub(super) fn give_up(&mut self, publication: &Publication<'_>, reason: FailureReason) {
        if let Some(id) = publication.id {
            self.fail(id, reason);
        }
    }

    /// Sends a publication to a connected session for the first time.
    pub(super) fn send_first(
        &mut self,
        now: Instant,
        id: SessionId,
        shared: &mut SharedPublication<'_>,
        mut delivery: Delivery,
        transport: &mut dyn Transport,
    ) {
        if self.deliver_by_datagram(now, id, shared.publication(), &delivery, transport) {
            return;
        }
        if delivery.qos > Qos::AtMostOnce
            && self.sessions.budget().is_limited()
            && !self
                .sessions
                .charge(id, &shared.message(), &mut delivery.charge)
        {
            self.counters.dropped += 1;
            self.give_up(shared.publication(), FailureReason::QueueFull);
            return;
        }
        let Some((session, connection)) = self.connected(id) else {
            return;
        };
        let in_flight = &mut session.state.in_flight;
        let packet_id = match delivery.qos {
            Qos::AtMostOnce => 0,
            _ => in_flight.next_packet_id(),
        };
        let was_sent = connection.publish(
            now,
            shared.publication(),
            &delivery,
            packet_id,
            false,
            transport,
        );
        if !was_sent {
            // MQTT-3.1.2-25: as if it had been sent.
            self.counters.dropped += 1;
            self.give_up(shared.publication(), FailureReason::TooLarge);
            return;
        }
        let Delivery {
            qos,
            retain,
            ids,
            charge,
        } = delivery;
        if qos > Qos::AtMostOnce {
            let message = shared.message();
            let queued = QueuedMessage {
                message,
                qos,
                retain,
                ids,
                charge,
            };
            in_flight.begin(packet_id, qos, 1, queued);
        } else if shared.publication().origin == Origin::Broker
            && let Some(id) = shared.publication().id
        {
            connection.unconfirmed.note(id);
        }
        self.note_transmitted(shared.publication(), 1);
    }

    pub(super) fn note_transmitted(&mut self, publication: &Publication<'_>, attempt: u16) {
        if publication.origin == Origin::Broker
            && let Some(id) = publication.id
        {
            self.emit(MessageEvent::Transmitted {
                id,
                attempt,
                last: false,
                trigger: (attempt > 1).then_some(Trigger::Reconnection),
            });
        }
    }
}

impl Connection {
    /// Writes a PUBLISH. Returns false, and writes nothing, if the packet is larger than the client accepts.
    pub(super) fn publish(
        &mut self,
        now: Instant,
        published: &Publication<'_>,
        delivery: &Delivery,
        packet_id: u16,
        is_repetition: bool,
        transport: &mut dyn Transport,
    ) -> bool {
        let (topic_alias, is_known) = self.alias_for(published.topic);
        let rest = published.expires_at.map(|at| whole_seconds(now, at));
        let head = PublishHead {
            dup: is_repetition && delivery.qos > Qos::AtMostOnce,
            retain: delivery.retain,
            topic: if is_known { "" } else { published.topic },
            topic_alias,
            // MQTT-3.3.2-6: what is left of it.
            message_expiry: rest,
            subscription_ids: &delivery.ids,
            properties: published.properties,
            ..PublishHead::new("", delivery.qos, packet_id, published.payload.len())
        };
        let bytes = head.write(self.version);
        let size = bytes.len() + published.payload.len();
        if size > self.maximum_packet_size as usize || size > MAX_PACKET_SIZE {
            self.forget_alias(published.topic, is_known);
            return false;
        }
        let chunks = publication(&bytes, published.payload, published.id, is_repetition);
        self.write(now, transport, &chunks);
        true
    }

    /// Takes a number back that no packet told the client.
    fn forget_alias(&mut self, topic: &str, is_known: bool) {
        if !is_known && let Some(aliases) = &mut self.aliases {
            aliases.sent.remove(topic);
        }
    }
}

/// Groups subscriptions by session.
pub(super) fn by_subscriber(
    matches: &[SubscriptionMatch<Subscriber>],
) -> impl Iterator<Item = &[SubscriptionMatch<Subscriber>]> {
    matches.chunk_by(|one, next| one.subscriber == next.subscriber)
}

/// Returns the session of a subscriber.
pub(super) const fn session_of(subscriber: Subscriber) -> SessionId {
    SessionId(subscriber.number as u32)
}

pub(super) fn whole_seconds(now: Instant, at: Instant) -> u32 {
    let nanos = at.as_nanos().saturating_sub(now.as_nanos());
    u32::try_from(nanos.div_ceil(1_000_000_000)).unwrap_or(u32::MAX)
}
