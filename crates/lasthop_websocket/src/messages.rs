use lasthop_contract::{Chunk, ConnectionId, ReadOutcome, StreamError, StreamId, Transport};
use lasthop_units::Instant;

use crate::WebSocket;
use crate::inbound::Came;

/// The kind of a message (RFC 6455 section 5.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// A message of arbitrary bytes.
    Binary,
    /// A message of UTF-8 text.
    Text,
}

/// The result of reading messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageOutcome {
    /// The number of bytes read from the current message, at least one.
    Part(usize),
    /// The current message has ended. Nothing of the next message was read.
    End(MessageKind),
    /// No bytes are available now.
    Blocked,
    /// The peer has closed the stream. No more messages arrive.
    Finished,
}

/// Message by message, for what is no stream of bytes.
impl<T: Transport> WebSocket<T> {
    /// Continues to read the current message into a non-empty buffer.
    ///
    /// # Errors
    /// There is no such connection.
    pub fn read_message(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<MessageOutcome, StreamError> {
        loop {
            let connection = self.connections.get_mut(&id);
            let connection = connection.ok_or(StreamError::NoSuchStream)?;
            if connection.is_over {
                return Ok(MessageOutcome::Finished);
            }
            if !connection.is_open() {
                return Ok(MessageOutcome::Blocked);
            }
            let lower = &mut self.lower;
            let mut below = |into: &mut [u8]| {
                let outcome = lower.read(now, id, stream, into);
                outcome.unwrap_or(ReadOutcome::Blocked)
            };
            match connection.inbound.read(into, &mut below) {
                Came::Data(count) => return Ok(MessageOutcome::Part(count)),
                Came::End(kind) => return Ok(MessageOutcome::End(kind)),
                Came::Blocked => return Ok(MessageOutcome::Blocked),
                Came::Finished => self.end(now, id, true),
                Came::Fault(fault) => self.fail(now, id, fault),
                Came::Control(opcode, payload) => self.on_control(now, id, opcode, &payload),
            }
        }
    }

    /// Sends a message, possibly empty. Returns `false` if the message was not accepted and must be offered again after
    /// [`Writable`](lasthop_contract::TransportEvent::Writable).
    ///
    /// # Errors
    /// The connection is not there, or over.
    pub fn write_message(
        &mut self,
        now: Instant,
        id: ConnectionId,
        kind: MessageKind,
        chunks: &[Chunk<'_>],
    ) -> Result<bool, StreamError> {
        let connection = self.connections.get_mut(&id);
        let connection = connection.filter(|it| !it.has_closed);
        let connection = connection.ok_or(StreamError::NoSuchStream)?;
        if !connection.is_open() || !connection.outbox.is_empty() {
            connection.is_full = true;
            return Ok(false);
        }
        connection.send(now, id, kind, chunks, &mut self.outbound, &mut self.lower);
        Ok(true)
    }
}
