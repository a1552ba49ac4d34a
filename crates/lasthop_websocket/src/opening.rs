use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Established, Layer, Outbox, Provenance, ReadOutcome,
    ResetReason, StreamId, Transport, TransportEvent,
};
use lasthop_units::Instant;

use crate::WebSocket;
use crate::connection::{Connection, Phase};
use crate::handshake::{self, Answered, Asked};
use crate::messages::MessageKind;

pub(crate) const SET_UP: Provenance = Provenance::new(Layer::WebSocket, Cause::SessionSetUp);

/// The opening handshake (RFC 6455 section 4).
impl<T: Transport> WebSocket<T> {
    pub(crate) fn accept(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        if let Some(stream) = event.new_stream(id, &self.lower) {
            let deadline = self.deadline(now, id);
            let phase = Phase::Awaiting(Vec::new());
            let connection =
                Connection::new(Outbox::new(stream), phase, self.config.takes_text, deadline);
            self.connections.insert(id, connection);
        }
    }

    pub(crate) fn shake_hands(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let mut room = [0; 1024];
        loop {
            match self.lower.read(now, id, stream, &mut room) {
                Ok(ReadOutcome::Read(count)) => {
                    if self.take_head(now, id, &room[..count]) {
                        return self.on_readable(now, id, stream);
                    }
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
                Ok(ReadOutcome::Finished) => {
                    return self.lower.reset(now, id, ResetReason::PeerError);
                }
            }
        }
    }

    /// Takes more of a head; whether it is over with it, one way or the other.
    pub(crate) fn take_head(&mut self, now: Instant, id: ConnectionId, bytes: &[u8]) -> bool {
        let Some(connection) = self.connections.get_mut(&id) else {
            return true;
        };
        let subprotocol = self.config.subprotocol.as_deref();
        match &mut connection.phase {
            Phase::Awaiting(head) => {
                head.extend(bytes);
                match handshake::asked(head, subprotocol) {
                    Asked::Incomplete => return false,
                    Asked::Accepted(length, response) => {
                        connection.inbound.begin_with(&head[length..]);
                        self.open(now, id, &response, Established::Full);
                    }
                    Asked::Refused(response) => self.refuse(now, id, response),
                }
            }
            Phase::Asking(asking) => {
                asking.head.extend(bytes);
                match handshake::answered(&asking.head, &asking.accept, subprotocol) {
                    Answered::Incomplete => return false,
                    Answered::Open(length) => {
                        connection.inbound.begin_with(&asking.head[length..]);
                        // What the application gave was not early: the request was.
                        let how = match asking.established {
                            Established::Early => Established::Resumed,
                            how => how,
                        };
                        self.open(now, id, "", how);
                    }
                    Answered::Refused => {
                        connection.verdict = Some(CloseReason::PeerError);
                        self.lower.reset(now, id, ResetReason::PeerError);
                    }
                }
            }
            Phase::Refused | Phase::Open => {}
        }
        true
    }

    pub(crate) fn open(
        &mut self,
        now: Instant,
        id: ConnectionId,
        response: &str,
        how: Established,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.deadline = None;
        let phase = core::mem::replace(&mut connection.phase, Phase::Open);
        if let Phase::Asking(asking) = phase {
            let early = asking.early.iter().map(|(provenance, bytes)| Chunk {
                bytes,
                provenance: *provenance,
            });
            let early: Vec<Chunk<'_>> = early.collect();
            if !early.is_empty() {
                let (outbound, lower) = (&mut self.outbound, &mut self.lower);
                connection.send(now, id, MessageKind::Binary, &early, outbound, lower);
            }
        } else {
            let bytes = response.as_bytes();
            let chunk = Chunk {
                bytes,
                provenance: SET_UP,
            };
            connection.outbox.write(now, &mut self.lower, id, &[chunk]);
        }
        let wanted_to_write =
            connection.outbox.is_empty() && core::mem::take(&mut connection.is_full);
        self.emit(id, TransportEvent::Established(how));
        // What was written before the connection was open was not taken.
        if wanted_to_write && let Ok(stream) = self.lower.own_stream(now, id) {
            self.emit(id, TransportEvent::Writable(stream));
        }
    }

    pub(crate) fn refuse(&mut self, now: Instant, id: ConnectionId, response: &str) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.phase = Phase::Refused;
            let chunk = Chunk {
                bytes: response.as_bytes(),
                provenance: SET_UP,
            };
            connection.outbox.write(now, &mut self.lower, id, &[chunk]);
            connection.outbox.finish(now, &mut self.lower, id);
        }
    }
}
