use lasthop_contract::{
    Cause, CloseReason, ConnectionId, ReadOutcome, ResetReason, StreamId, Transport, TransportEvent,
};
use lasthop_units::Instant;

use crate::WebSocket;
use crate::connection::Phase;
use crate::frame::{Fault, Opcode};

/// RFC 6455 section 7.4.1.
pub(crate) const NORMAL: u16 = 1000;
pub(crate) const GOING_AWAY: u16 = 1001;

/// Control frames, and how connections end (RFC 6455 sections 5.5, 7).
impl<T: Transport> WebSocket<T> {
    /// Sends a close frame, unless one has left (RFC 6455 section 7.1.2).
    pub(crate) fn close(&mut self, now: Instant, id: ConnectionId, status: &[u8]) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if connection.has_closed || !matches!(connection.phase, Phase::Open) {
            return;
        }
        connection.has_closed = true;
        let frame = (Opcode::Close, status, Cause::SessionTearDown);
        connection.control(now, id, frame, &mut self.outbound, &mut self.lower);
        let deadline = self.deadline(now, id);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.deadline = Some(deadline);
        }
    }

    /// Ends a connection whose peer did what it must not (RFC 6455 section 7.1.7).
    pub(crate) fn fail(&mut self, now: Instant, id: ConnectionId, fault: Fault) {
        self.close(now, id, &fault.status().to_be_bytes());
        self.end(now, id, true);
    }

    /// Nothing more comes of a connection. The server ends the stream below (RFC 6455 section 7.1.1), and a client whose peer
    /// cannot be waited for.
    pub(crate) fn end(&mut self, now: Instant, id: ConnectionId, is_broken: bool) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.is_over = true;
        if is_broken {
            connection.verdict = Some(CloseReason::PeerError);
        }
        if is_broken || !connection.is_client {
            connection.outbox.finish(now, &mut self.lower, id);
        }
        let stream = connection.outbox.stream();
        self.drain(now, id, stream);
    }

    pub(crate) fn on_control(
        &mut self,
        now: Instant,
        id: ConnectionId,
        opcode: Opcode,
        payload: &[u8],
    ) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        match opcode {
            // Of several pings the last ones may go unanswered (RFC 6455 section 5.5.3): nobody fills the memory with them.
            Opcode::Ping if connection.outbox.is_empty() && !connection.has_closed => {
                let frame = (Opcode::Pong, payload, Cause::KeepAlive);
                connection.control(now, id, frame, &mut self.outbound, &mut self.lower);
            }
            Opcode::Close if is_status(payload) => {
                self.close(now, id, payload.get(..2).unwrap_or_default());
                self.end(now, id, false);
            }
            Opcode::Close => self.fail(now, id, Fault::Protocol),
            _ => {}
        }
    }

    pub(crate) fn on_closed(&mut self, id: ConnectionId, reason: CloseReason) {
        let Some(connection) = self.connections.remove(&id) else {
            return;
        };
        if !connection.is_known() {
            return;
        }
        let was_whole = connection.has_closed && connection.is_over;
        let reason = match reason {
            _ if let Some(verdict) = connection.verdict => verdict,
            // Both have said that they are done; how the stream below ends tells nothing more (RFC 6455 section 7.1.4).
            CloseReason::PeerReset if was_whole => CloseReason::Finished,
            // A stream that ends without a word was cut off.
            CloseReason::Finished if !was_whole => CloseReason::PeerError,
            reason => reason,
        };
        self.emit(id, TransportEvent::Closed(reason));
    }

    /// Gives up those that have waited for long enough.
    pub(crate) fn give_up(&mut self, now: Instant) {
        while self.next_deadline().is_some_and(|at| at <= now)
            && let Some((_, id)) = self.deadlines.pop_front()
        {
            if let Some(connection) = self.connections.get_mut(&id) {
                connection.deadline = None;
                connection.verdict.get_or_insert(CloseReason::TimedOut);
            }
            self.lower.reset(now, id, ResetReason::NotNeeded);
        }
    }

    pub(crate) fn next_deadline(&mut self) -> Option<Instant> {
        while let Some((at, id)) = self.deadlines.front() {
            let connection = self.connections.get(id);
            if connection.is_some_and(|it| it.deadline == Some(*at)) {
                return Some(*at);
            }
            self.deadlines.pop_front();
        }
        None
    }

    /// Reads what nobody wants, until the peer has finished.
    pub(crate) fn drain(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let mut room = [0; 1024];
        loop {
            match self.lower.read(now, id, stream, &mut room) {
                Ok(ReadOutcome::Read(_)) => {}
                Ok(ReadOutcome::Finished) => break,
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.outbox.finish(now, &mut self.lower, id);
        }
    }
}

/// Whether a close frame may say this (RFC 6455 sections 5.5.1, 7.4): nothing, or a code, and why in UTF-8.
fn is_status(payload: &[u8]) -> bool {
    let Some((code, reason)) = payload.split_first_chunk() else {
        return payload.is_empty();
    };
    let is_code = matches!(u16::from_be_bytes(*code), 1000..=1003 | 1007..=1014 | 3000..=4999);
    is_code && core::str::from_utf8(reason).is_ok()
}
