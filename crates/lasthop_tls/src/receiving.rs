use core::cell::Cell;

use lasthop_contract::{
    CloseReason, ConnectionId, ReadOutcome, StreamId, Transport, TransportEvent, TransportOutput,
};
use lasthop_units::Instant;

use crate::Tls;
use crate::connection::{Connection, Labelled, send, turn_to};
use crate::session::{Session, Turn};

/// The most that waits for an application to read it; the stream below waits behind that.
const MOST_READABLE: usize = 64 * 1024;
/// The most that is taken out of the stream below at once.
const MOST_AT_ONCE: usize = 4 * 1024;

thread_local! {
    /// Room for that. Between two turns nobody needs it, so all hosts of a thread share it.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// What comes from below.
impl<T: Transport> Tls<T> {
    /// A connection that was opened below by the peer.
    pub(crate) fn accept(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        let edges = self.edges.as_ref();
        if self.connections.contains(&id) || edges.is_some_and(|it| it.parting.contains_key(&id)) {
            return;
        }
        let session = self.server.as_ref().map(|it| Session::server(&it.config));
        match (session, event.new_stream(id, &self.lower)) {
            (Some(Ok(session)), Some(stream)) if self.may_begin(id) => {
                let connection = Connection::new(session, stream, None);
                self.insert(id, connection);
                if let Some(patience) = self.server.as_ref().and_then(|it| it.patience) {
                    let edges = self.edges.get_or_insert_default();
                    edges.awaited.push_back((now + patience, id));
                }
            }
            (_, stream) => self.refuse(now, id, stream),
        }
    }

    /// Whether its peer may have one more handshake, which begins.
    fn may_begin(&mut self, id: ConnectionId) -> bool {
        let most = self
            .server
            .as_ref()
            .and_then(|it| it.handshakes_per_address);
        match (most, self.lower.peer(id)) {
            (Some(most), Some(peer)) => {
                let edges = self.edges.get_or_insert_default();
                edges.handshakes.begin(id, peer.ip(), most)
            }
            _ => true,
        }
    }

    /// Takes what the stream below has, as far as there is room for it.
    pub(crate) fn receive(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let mut room = ROOM.take();
        room.resize(MOST_AT_ONCE, 0);
        self.receive_by(now, id, stream, &mut room);
        ROOM.set(room);
    }

    fn receive_by(&mut self, now: Instant, id: ConnectionId, stream: StreamId, room: &mut [u8]) {
        turn_to(&mut self.host, now, self.lower.peer(id));
        loop {
            if let Some(connection) = self.connections.get_mut(&id)
                && connection.readable.len() >= MOST_READABLE
            {
                connection.is_held = true;
                return;
            }
            let outcome = self.lower.read(now, id, stream, room);
            let Some(connection) = self.connections.get_mut(&id) else {
                // Of a connection that is over nothing is wanted.
                if matches!(outcome, Ok(ReadOutcome::Read(_))) {
                    continue;
                }
                return;
            };
            match outcome {
                Ok(ReadOutcome::Read(count)) => {
                    let (turn, labelled) = connection.receive(&mut self.host, &room[..count]);
                    self.take_turn(now, id, &turn, &labelled);
                }
                Ok(ReadOutcome::Finished) if !connection.peer_closed => {
                    return self.give_up(now, id, CloseReason::Truncated);
                }
                _ => return,
            }
        }
    }

    /// Does what a session wants after it went on.
    pub(crate) fn take_turn(
        &mut self,
        now: Instant,
        id: ConnectionId,
        turn: &Turn,
        labelled: &Labelled,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        let stream = connection.outbox.stream();
        let outputs = &mut self.outputs;
        let mut emit = |event| outputs.push(TransportOutput::Event(id, event));
        send(&mut connection.outbox, now, &mut self.lower, id, labelled);
        if let Some(how) = connection.newly_established(turn.took_early_data) {
            if let Some(edges) = &mut self.edges {
                edges.handshakes.end(id);
            }
            emit(TransportEvent::Established(how));
            if let Some(early) = connection.take_unsent()
                && let Some(labelled) = connection.seal(&mut self.host, &early.bytes, early.spans)
            {
                // It did not leave with the hello, or the server did not take it.
                send(&mut connection.outbox, now, &mut self.lower, id, &labelled);
            }
            if core::mem::take(&mut connection.is_full) {
                emit(TransportEvent::Writable(stream));
            }
        }
        if turn.peer_closed && connection.established.is_none() {
            // That nothing follows was said by nobody in particular.
            return self.give_up(now, id, CloseReason::Truncated);
        }
        connection.peer_closed |= turn.peer_closed;
        if turn.peer_closed || !connection.readable.is_empty() {
            emit(TransportEvent::Readable(stream));
        }
        if let Some(error) = &turn.error {
            self.fail(now, id, error);
        }
    }

    pub(crate) fn flush(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        if let Some(outbox) = self.edges.as_mut().and_then(|it| it.parting.get_mut(&id)) {
            outbox.flush(now, &mut self.lower, id);
        } else if let Some(connection) = self.connections.get_mut(&id)
            && connection.outbox.flush(now, &mut self.lower, id)
            && connection.established.is_some()
            && core::mem::take(&mut connection.is_full)
        {
            self.emit(id, TransportEvent::Writable(stream));
        }
    }
}
