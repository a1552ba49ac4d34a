use std::sync::Arc;

use lasthop_broker::{Message, Origin, Qos, QueuedMessage, Session, SessionId, SharedPublication};
use lasthop_contract::{FailureReason, MessageEvent, Transport};
use lasthop_units::Instant;

use super::MqttBroker;
use super::connection::Connection;
use super::deliver::Delivery;
use super::session::SessionState;
use crate::codec::{Acknowledgement, AcknowledgementKind, ReasonCode};
use crate::in_flight::{Due, Progress};

impl MqttBroker {
    /// Retransmits a session's in-flight messages, then sends queued ones while the window has room.
    pub(super) fn pump(&mut self, now: Instant, id: SessionId, transport: &mut dyn Transport) {
        while self.repeat_next(now, id, transport) {}
        let sending = self.config.sending;
        let is_open = self.connected(id).is_some_and(|(session, connection)| {
            sending.is_open(session.state.in_flight.len(), connection.window)
        });
        while let Some(mut queued) = self.next_queued(now, id, is_open) {
            let charge = queued.charge.take();
            let publication = queued.message.publication();
            let mut shared = SharedPublication::of(&publication, &queued.message);
            let delivery = Delivery {
                charge,
                ..Delivery::from(&queued)
            };
            self.send_first(now, id, &mut shared, delivery, transport);
        }
    }

    /// Returns a session with its connection.
    pub(super) fn connected(
        &mut self,
        id: SessionId,
    ) -> Option<(&mut Session<SessionState>, &mut Connection)> {
        let session = self.sessions.get_mut(id)?;
        let connection = self.connections.get_mut(session.state.connection?)?;
        Some((session, connection))
    }

    /// Takes the first message out of a session's queue if there is room for it, and its window was open.
    fn next_queued(&mut self, now: Instant, id: SessionId, is_open: bool) -> Option<QueuedMessage> {
        let mut expired = 0;
        let (session, connection) = self.connected(id)?;
        let next = loop {
            let has_room = session.queue.first().is_some_and(|first| {
                connection.outbox.is_empty()
                    && (first.qos == Qos::AtMostOnce
                        || is_open
                            && session.state.in_flight.len() < usize::from(connection.window))
            });
            if !has_room {
                break None;
            }
            // MQTT-3.3.2-5.
            match session.queue.pop() {
                Some(queued) if queued.message.is_expired(now) => expired += 1,
                next => break next,
            }
        };
        self.counters.expired += expired;
        next
    }

    /// Sends one thing again that a session has in flight; whether there was one, and room for it.
    fn repeat_next(&mut self, now: Instant, id: SessionId, transport: &mut dyn Transport) -> bool {
        let Some((session, connection)) = self.connected(id) else {
            return false;
        };
        if !connection.outbox.is_empty() {
            return false;
        }
        match session.state.in_flight.next_due(connection.window) {
            Some(Due::Pubrel { packet_id, message }) => {
                let (kind, message) = (AcknowledgementKind::Pubrel, message.message.id());
                let pubrel = Acknowledgement::success(packet_id);
                connection.acknowledge(now, kind, pubrel, message, transport);
            }
            Some(Due::Publish {
                packet_id,
                attempt,
                message: queued,
            }) => {
                let delivery = Delivery::from(queued);
                let message = Arc::clone(&queued.message);
                let publication = message.publication();
                connection.publish(now, &publication, &delivery, packet_id, true, transport);
                self.note_transmitted(&publication, attempt);
            }
            None => return false,
        }
        true
    }

    /// Processes a PUBACK, PUBREC or PUBCOMP.
    pub(super) fn acknowledged(
        &mut self,
        now: Instant,
        id: SessionId,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let Some((session, connection)) = self.connected(id) else {
            return Ok(());
        };
        let in_flight = &mut session.state.in_flight;
        match in_flight.acknowledge(kind, acknowledgement)? {
            Progress::Done(queued, reason) => {
                self.conclude(&queued.message, reason);
                self.pump(now, id, transport);
            }
            Progress::Release(pubrel) => {
                let queued = in_flight.message(pubrel.packet_id);
                let message = queued.and_then(|queued| queued.message.id());
                let kind = AcknowledgementKind::Pubrel;
                connection.acknowledge(now, kind, pubrel, message, transport);
            }
            Progress::Unknown => {}
        }
        Ok(())
    }

    /// Tells what became of a message of the server's own.
    fn conclude(&mut self, message: &Message, reason: ReasonCode) {
        let publication = message.publication();
        let (Origin::Broker, Some(id)) = (publication.origin, publication.id) else {
            return;
        };
        self.emit(if reason.is_error() {
            MessageEvent::Failed {
                id,
                reason: FailureReason::NoAcknowledgement,
            }
        } else {
            MessageEvent::Acknowledged { id }
        });
    }
}
