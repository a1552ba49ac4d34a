use lasthop_contract::{
    CloseReason, ConnectionId, Outbox, ResetReason, StreamId, Transport, TransportEvent,
};
use lasthop_units::Instant;
use rustls::Error;

use crate::Tls;

/// How connections end.
impl<T: Transport> Tls<T> {
    /// Ends a connection whose session is dead; its last words, the alert, were sent.
    pub(crate) fn fail(&mut self, now: Instant, id: ConnectionId, error: &Error) {
        self.end_handshake(id);
        let Some(mut connection) = self.connections.remove(&id) else {
            return;
        };
        let reason = match (error, connection.alert()) {
            (Error::AlertReceived(alert), _) => CloseReason::PeerAlert((*alert).into()),
            (_, Some(alert)) => CloseReason::Refused(alert),
            _ => CloseReason::PeerError,
        };
        connection.outbox.finish(now, &mut self.lower, id);
        self.part(id, connection.outbox);
        self.emit(id, TransportEvent::Closed(reason));
    }

    /// Ends a connection whose peer is not there, or not any more.
    pub(crate) fn give_up(&mut self, now: Instant, id: ConnectionId, reason: CloseReason) {
        self.end_handshake(id);
        self.connections.remove(&id);
        self.part(id, Outbox::new(StreamId(0)));
        self.lower.reset(now, id, ResetReason::PeerError);
        self.emit(id, TransportEvent::Closed(reason));
    }

    /// Takes that what is below is over.
    pub(crate) fn end(&mut self, id: ConnectionId, reason: CloseReason) {
        let edges = self.edges.as_mut();
        if edges.is_some_and(|it| it.parting.remove(&id).is_some()) {
            return;
        }
        let connection = self.connections.get_mut(&id);
        let reason = match (reason, connection) {
            (CloseReason::Finished, Some(it)) if it.peer_closed && it.is_finished => {
                if !it.readable.is_empty() {
                    it.is_over = true;
                    return;
                }
                reason
            }
            (CloseReason::Finished, _) => CloseReason::Truncated,
            _ => reason,
        };
        self.end_handshake(id);
        self.connections.remove(&id);
        self.emit(id, TransportEvent::Closed(reason));
    }

    /// Lets the last words of a connection leave.
    pub(crate) fn part(&mut self, id: ConnectionId, words: Outbox) {
        let edges = self.edges.get_or_insert_default();
        edges.parting.insert(id, words);
    }

    /// A handshake is over, whatever came of it.
    fn end_handshake(&mut self, id: ConnectionId) {
        if let Some(edges) = &mut self.edges {
            edges.handshakes.end(id);
        }
    }

    /// Ends handshakes that take too long, and says when to look again.
    pub(crate) fn end_late_handshakes(&mut self, now: Instant) -> Option<Instant> {
        while let Some((deadline, id)) = self.edges.as_ref()?.awaited.front().copied() {
            let connection = self.connections.get(&id);
            if connection.is_some_and(|it| it.established.is_none()) {
                if deadline > now {
                    return Some(deadline);
                }
                self.give_up(now, id, CloseReason::TimedOut);
            }
            self.edges.as_mut()?.awaited.pop_front();
        }
        None
    }
}
