//! Messages of QoS 0 in datagrams (RFC 9221), in both directions.

use lasthop_broker::{Origin, Publication, Qos, SessionId};
use lasthop_contract::{MessageEvent, Transport};
use lasthop_units::Instant;

use super::MqttBroker;
use super::connection::{Connection, Phase};
use super::deliver::{Delivery, whole_seconds};
use crate::codec::PublishHead;
use crate::datagram::publication_in;
use crate::ledger::publication;

impl MqttBroker {
    /// Receives messages in datagrams from a connected client. Other datagrams are ignored.
    pub(super) fn receive_datagrams(
        &mut self,
        now: Instant,
        place: u32,
        transport: &mut dyn Transport,
    ) {
        while let Some(connection) = self.connections.get_mut(place)
            && let Some(datagram) = transport.receive_datagram(connection.id)
        {
            let Phase::Serving(session) = connection.phase else {
                continue;
            };
            let Some(publish) = publication_in(&datagram, connection.version) else {
                continue;
            };
            connection.last_heard = now;
            // What is against the rules of a publication ends a stream; a datagram has none.
            let _ = self.publication(now, place, session, &publish, transport);
        }
    }

    /// Sends a message of QoS 0 to a connected session in one datagram. Returns false if datagrams are not enabled or
    /// the message does not fit.
    pub(super) fn deliver_by_datagram(
        &mut self,
        now: Instant,
        id: SessionId,
        published: &Publication<'_>,
        delivery: &Delivery,
        transport: &mut dyn Transport,
    ) -> bool {
        let may_be = self.config.datagrams && delivery.qos == Qos::AtMostOnce;
        let Some((_, connection)) = self.connected(id).filter(|_| may_be) else {
            return false;
        };
        let has_left = connection.publish_by_datagram(now, published, delivery, transport);
        if has_left {
            self.note_sent_once(published);
        }
        has_left
    }

    /// A message of the server's own left for the first and the last time.
    fn note_sent_once(&mut self, published: &Publication<'_>) {
        if published.origin == Origin::Broker
            && let Some(id) = published.id
        {
            self.emit(MessageEvent::Transmitted {
                id,
                attempt: 1,
                last: true,
                trigger: None,
            });
        }
    }
}

impl Connection {
    fn publish_by_datagram(
        &mut self,
        now: Instant,
        published: &Publication<'_>,
        delivery: &Delivery,
        transport: &mut dyn Transport,
    ) -> bool {
        let head = PublishHead {
            retain: delivery.retain,
            message_expiry: published.expires_at.map(|at| whole_seconds(now, at)),
            subscription_ids: &delivery.ids,
            properties: published.properties,
            ..PublishHead::new(published.topic, delivery.qos, 0, published.payload.len())
        };
        let bytes = head.write(self.version);
        if bytes.len() + published.payload.len() > self.maximum_packet_size as usize {
            return false;
        }
        let chunks = publication(&bytes, published.payload, published.id, false);
        transport.send_datagram(now, self.id, &chunks).is_ok()
    }
}
