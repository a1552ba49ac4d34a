//! Messages of QoS 0 in datagrams (RFC 9221). They are not retransmitted.

use lasthop_broker::Qos;
use lasthop_contract::{ConnectionId, MessageEvent, MessageId, Payload, Transport};
use lasthop_units::Instant;

use super::MqttClient;
use crate::codec::PublishHead;
use crate::datagram::publication_in;
use crate::ledger::publication;

impl MqttClient {
    /// Publishes a message in one datagram. Returns false if datagrams are not enabled or the message does not fit.
    pub(super) fn publish_by_datagram(
        &mut self,
        now: Instant,
        id: MessageId,
        payload: &[u8],
        transport: &mut dyn Transport,
    ) -> bool {
        let has_datagrams = self.config.datagrams;
        let link = self.link.as_deref_mut();
        let Some(link) = link.filter(|it| has_datagrams && it.qos == Qos::AtMostOnce) else {
            return false;
        };
        let topic = self
            .topics
            .of(&self.config.prefix, id.flow, self.config.asks);
        let head = PublishHead {
            retain: self.config.retain,
            ..PublishHead::new(&topic, Qos::AtMostOnce, 0, payload.len())
        };
        let bytes = head.write(link.version);
        if bytes.len() + payload.len() > link.maximum_packet_size as usize {
            return false;
        }
        let chunks = publication(&bytes, payload, Some(id), false);
        if transport
            .send_datagram(now, link.connection, &chunks)
            .is_err()
        {
            return false;
        }
        link.keep_alive.note_sent(now);
        link.published += 1;
        link.await_return(id, self.config.awaits);
        self.emit(MessageEvent::Transmitted {
            id,
            attempt: 1,
            last: true,
            trigger: None,
        });
        true
    }

    /// Receives messages in datagrams. Other datagrams are ignored.
    pub(super) fn receive_datagrams(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        transport: &mut dyn Transport,
    ) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            let version = self.config.version;
            let publish = publication_in(&datagram, version);
            let (Some(publish), Some(link)) = (publish, &mut self.link) else {
                continue;
            };
            link.keep_alive.note_heard(now);
            if let Some(heard) = &mut self.heard {
                heard.note(publish.topic);
            }
            let payload = Payload::copied_from(publish.payload);
            self.hand_up(now, connection, payload, transport);
        }
    }
}
