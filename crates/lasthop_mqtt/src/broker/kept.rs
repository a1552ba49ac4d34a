use lasthop_broker::{
    Client, KeeperOutput, NotKept, Publication, Qos, SessionId, SharedPublication,
};
use lasthop_contract::{ConnectionId, Transport};
use lasthop_units::Instant;

use super::MqttBroker;
use crate::codec::{Acknowledgement, AcknowledgementKind, ReasonCode, Version};

/// A client whose acknowledgement is deferred until its publication is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awaiting {
    place: u32,
    /// Others may have the place by then.
    connection: ConnectionId,
    packet_id: u16,
}

impl MqttBroker {
    /// Passes a publication to the storage. If the storage fails, a client of 3.1.1 is disconnected, because any
    /// acknowledgement would report success (MQTT-3.3.5-2).
    pub(super) fn keep(
        &mut self,
        now: Instant,
        place: u32,
        session: SessionId,
        packet_id: u16,
        publication: &Publication<'_>,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let (Some(keeper), Some(session)) = (&mut self.keeper, self.sessions.get(session)) else {
            return Ok(());
        };
        let Some(connection) = self.connections.get(place) else {
            return Ok(());
        };
        let client = Client {
            identity: session.state.identity,
            client_id: session.client_id(),
        };
        let awaiting = Awaiting {
            place,
            connection: connection.id,
            packet_id,
        };
        match keeper.take(now, client, publication) {
            Ok(ticket) if publication.qos == Qos::AtLeastOnce => {
                self.unkept.insert(ticket, awaiting);
            }
            Ok(_) => {}
            Err(why) => {
                self.counters.denied += 1;
                match (connection.version, publication.qos) {
                    (Version::V5, Qos::AtLeastOnce) => {
                        self.settle(now, awaiting, Err(why), transport);
                    }
                    (Version::V5, _) => {}
                    (Version::V3_1_1, _) => return Err(reason_of(why)),
                }
            }
        }
        Ok(())
    }

    /// Processes all outputs of the storage.
    pub(super) fn hear_keeper(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(output) = self.keeper.as_mut().and_then(|keeper| keeper.poll(now)) {
            match output {
                KeeperOutput::Settled(ticket, outcome) => {
                    if let Some(awaiting) = self.unkept.remove(&ticket) {
                        self.settle(now, awaiting, outcome, transport);
                    }
                }
                KeeperOutput::Publish(message) => {
                    let publication = message.publication();
                    let mut shared = SharedPublication::of(&publication, &message);
                    self.publish_shared(now, &mut shared, transport);
                }
                KeeperOutput::Reconsider(client_id) => self.reconsider(&client_id),
                KeeperOutput::Disconnect(client_id) => self.send_away(now, &client_id, transport),
                KeeperOutput::End(client_id) => self.end_client(now, &client_id, transport),
            }
        }
    }

    /// A client is not served any more: whoever comes by its name later finds nothing of it.
    fn send_away(&mut self, now: Instant, client_id: &str, transport: &mut dyn Transport) {
        let Some(id) = self.sessions.of(client_id) else {
            return;
        };
        self.end_client(now, client_id, transport);
        // It may have ended with its connection.
        if self.sessions.of(client_id) == Some(id) {
            self.end_session(now, id, transport);
        }
    }

    /// The connection of a client ends, if it has one.
    fn end_client(&mut self, now: Instant, client_id: &str, transport: &mut dyn Transport) {
        let session = self.sessions.of(client_id);
        let session = session.and_then(|id| self.sessions.get(id));
        if let Some(place) = session.and_then(|session| session.state.connection) {
            self.end_connection(now, place, ReasonCode::NOT_AUTHORIZED, transport);
        }
    }

    /// Tells a client what its publication has come to, if it is still there.
    fn settle(
        &mut self,
        now: Instant,
        awaiting: Awaiting,
        outcome: Result<(), NotKept>,
        transport: &mut dyn Transport,
    ) {
        let Awaiting {
            place,
            connection,
            packet_id,
        } = awaiting;
        let Some(known) = self.connections.get(place) else {
            return;
        };
        if known.id != connection || self.session_at(place).is_none() {
            return;
        }
        let reason = outcome.map_or_else(reason_of, |()| ReasonCode::SUCCESS);
        if reason.is_error() && known.version == Version::V3_1_1 {
            return self.refuse(now, place, reason, transport);
        }
        let puback = Acknowledgement { packet_id, reason };
        let kind = AcknowledgementKind::Puback;
        self.acknowledge(now, place, kind, puback, None, transport);
    }
}

const fn reason_of(why: NotKept) -> ReasonCode {
    match why {
        NotKept::Denied => ReasonCode::NOT_AUTHORIZED,
        NotKept::Limit => ReasonCode::QUOTA_EXCEEDED,
        NotKept::Failed => ReasonCode::UNSPECIFIED,
    }
}
