use lasthop_contract::{
    CloseReason, ConnectionId, Outbox, ResetReason, StreamId, Transport, TransportEvent,
};
use lasthop_units::Instant;
use rustls::Error;

use crate::Tls;
use crate::connection::{Labelled, send, turn_to};

// Level and description (RFC 8446 section 6).
const CLOSE_NOTIFY: [u8; 2] = [1, 0];
const INTERNAL_ERROR: [u8; 2] = [2, 80];

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
        self.say_goodbye(now, id);
        self.connections.remove(&id);
        self.part(id, Outbox::new(StreamId(0)));
        self.lower.reset(now, id, ResetReason::PeerError);
        self.emit(id, TransportEvent::Closed(reason));
    }

    /// Has a connection of a server for strangers say that nothing follows, before it is reset. In the middle of a
    /// handshake there may be no keys to say it by.
    pub(crate) fn say_goodbye(&mut self, now: Instant, id: ConnectionId) {
        let server = self.server.as_ref();
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if server.is_none_or(|it| it.patience.is_none())
            || core::mem::replace(&mut connection.is_finished, true)
        {
            return;
        }
        turn_to(&mut self.host, now, None);
        let alert = match connection.has_keys() {
            true => connection.close(&mut self.host),
            false => Labelled::plain_alert(CLOSE_NOTIFY),
        };
        send(&mut connection.outbox, now, &mut self.lower, id, &alert);
        connection.outbox.finish(now, &mut self.lower, id);
    }

    /// Refuses a connection that has said nothing yet.
    pub(crate) fn refuse(&mut self, now: Instant, id: ConnectionId, stream: Option<StreamId>) {
        if self.server.is_some()
            && let Some(stream) = stream
        {
            let mut words = Outbox::new(stream);
            let alert = Labelled::plain_alert(INTERNAL_ERROR);
            send(&mut words, now, &mut self.lower, id, &alert);
            words.finish(now, &mut self.lower, id);
        }
        self.part(id, Outbox::new(StreamId(0)));
        self.lower.reset(now, id, ResetReason::NotNeeded);
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
