//! Conversion of the library's connection events to transport events.

use lasthop_contract::{
    CloseReason, ConnectionId, Established, StreamId, Transport, TransportEvent,
};
use lasthop_units::Instant;
use quinn_proto::{Dir, Event, StreamEvent};

use crate::connection::FIRST;
use crate::outcome::{DONE, GIVEN_UP, close_reason};
use crate::quic::{Quic, of_slots};
use crate::streams::ours;

impl<T: Transport> Quic<T> {
    pub(crate) fn take_events(&mut self, now: Instant, id: ConnectionId) {
        while let Some(connection) = of_slots(&mut self.slots, id)
            && let Some(event) = connection.machine.poll()
        {
            match event {
                Event::Connected => {
                    if connection.established.is_none() {
                        let how = connection.connected();
                        self.established(id, how);
                    }
                }
                Event::ConnectionLost { reason } => {
                    let reason = close_reason(&reason);
                    if connection.holds(reason) {
                        self.emit(id, TransportEvent::Readable(FIRST));
                    } else if connection.over() {
                        self.emit(id, TransportEvent::Closed(reason));
                    }
                }
                Event::Stream(event) => self.on_stream(now, id, event),
                Event::DatagramReceived => self.emit(id, TransportEvent::DatagramReadable),
                Event::HandshakeDataReady | Event::DatagramsUnblocked => {}
            }
        }
        if let Some(connection) = of_slots(&mut self.slots, id) {
            let remote = connection.machine.remote_address();
            let has_moved = core::mem::replace(&mut connection.peer, remote) != remote;
            if has_moved && !connection.is_over {
                self.emit(id, TransportEvent::Rebound);
            }
        }
    }

    fn established(&mut self, id: ConnectionId, how: Established) {
        self.emit(id, TransportEvent::Established(how));
        let Some(connection) = of_slots(&mut self.slots, id) else {
            return;
        };
        if connection.is_client() {
            connection.begin();
        }
        let first = connection.streams.get_mut(&FIRST);
        if first.is_some_and(|it| core::mem::take(&mut it.is_full)) {
            self.emit(id, TransportEvent::Writable(FIRST));
        }
    }

    fn on_stream(&mut self, now: Instant, id: ConnectionId, event: StreamEvent) {
        let Some(connection) = of_slots(&mut self.slots, id) else {
            return;
        };
        match event {
            StreamEvent::Opened { dir } => self.accept_streams(id, dir),
            StreamEvent::Readable { id: stream } => {
                let stream = ours(stream);
                match connection.taken_reset(stream) {
                    Some(code) => self.given_up(now, id, stream, code),
                    None => self.emit(id, TransportEvent::Readable(stream)),
                }
            }
            StreamEvent::Writable { id: stream } => {
                let stream = ours(stream);
                connection.begin();
                let known = connection.streams.get_mut(&stream);
                if known.is_some_and(|it| core::mem::take(&mut it.is_full)) {
                    self.emit(id, TransportEvent::Writable(stream));
                }
            }
            StreamEvent::Finished { id: stream } => {
                let stream = ours(stream);
                if let Some(known) = connection.streams.get_mut(&stream) {
                    known.is_acknowledged = true;
                }
                connection.labels.forget(stream.0);
                connection.forget(stream);
            }
            StreamEvent::Stopped {
                id: stream,
                error_code,
            } => {
                let stream = ours(stream);
                if connection
                    .reset_stream(stream, error_code.into_inner())
                    .is_ok()
                {
                    self.given_up(now, id, stream, error_code.into_inner());
                }
            }
            StreamEvent::Available { .. } => {
                if core::mem::take(&mut connection.wants_stream) {
                    self.emit(id, TransportEvent::StreamsAllowed);
                }
            }
        }
    }

    /// The peer gave a stream up. With the first one the connection ends, unless it outlasts it: what stands on it has lost its
    /// beginning.
    fn given_up(&mut self, now: Instant, id: ConnectionId, stream: StreamId, code: u64) {
        self.emit(id, TransportEvent::StreamReset(stream, code));
        let outlasts = self.get(id).is_some_and(|it| it.outlasts_streams);
        if stream == FIRST && !outlasts {
            self.end(now, id, GIVEN_UP, CloseReason::PeerReset);
        }
    }

    fn accept_streams(&mut self, id: ConnectionId, dir: Dir) {
        while let Some(connection) = of_slots(&mut self.slots, id)
            && let Some((stream, kind)) = connection.accept(dir)
        {
            // Before the handshake is over a client is heard by its early data alone.
            if connection.established.is_none() {
                let how = connection.establish(true);
                self.emit(id, TransportEvent::Established(how));
            }
            self.emit(id, TransportEvent::StreamOpened(stream, kind));
            self.emit(id, TransportEvent::Readable(stream));
        }
    }

    /// Closes a connection when both ends have finished its first stream and all data is acknowledged.
    pub(crate) fn end_if_done(&mut self, now: Instant, id: ConnectionId) {
        let Some(connection) = self.get(id).filter(|it| !it.is_over) else {
            return;
        };
        let is_read = connection.streams.get(&FIRST).is_none_or(|it| it.is_read);
        let held = connection.held.filter(|_| is_read);
        if let Some(reason) = held.or(connection.is_done()) {
            self.end(now, id, DONE, reason);
        }
    }
}
