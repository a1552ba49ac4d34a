use std::collections::VecDeque;

use lasthop_units::Instant;

use crate::{Chunk, ConnectionId, Provenance, StreamId, Transport};

/// A queue of bytes to write to a stream of a connection, with their provenance.
///
/// What the transport does not take waits here until it takes more; an empty outbox holds no memory.
#[derive(Debug)]
pub struct Outbox {
    stream: StreamId,
    waiting: Option<Box<Waiting>>,
    /// The stream ends behind what waits, or has ended.
    ends: bool,
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: VecDeque<u8>,
    /// Which of the bytes have which provenance, from the first on.
    spans: VecDeque<(Provenance, usize)>,
}

impl Outbox {
    /// Creates an empty outbox for a stream.
    #[must_use]
    pub const fn new(stream: StreamId) -> Self {
        Self {
            stream,
            waiting: None,
            ends: false,
        }
    }

    /// Returns the stream of the outbox.
    #[inline]
    #[must_use]
    pub const fn stream(&self) -> StreamId {
        self.stream
    }

    /// Whether no bytes are queued.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.waiting.is_none()
    }

    /// Whether the stream ends after the queued bytes.
    #[inline]
    #[must_use]
    pub const fn is_ended(&self) -> bool {
        self.ends
    }

    /// Returns the number of queued bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.waiting
            .as_ref()
            .map_or(0, |waiting| waiting.bytes.len())
    }

    /// Writes chunks to the stream. Bytes that the transport does not accept now are queued.
    #[inline]
    pub fn write(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) {
        let mut taken = match &self.waiting {
            Some(_) => 0,
            // A connection that is gone says so by an event.
            None => transport
                .write(now, connection, self.stream, chunks)
                .unwrap_or(usize::MAX),
        };
        for chunk in chunks {
            let (bytes, before) = (chunk.bytes, taken);
            taken = taken.saturating_sub(bytes.len());
            if let Some(rest @ [_, ..]) = bytes.get(before..) {
                let waiting = self.waiting.get_or_insert_default();
                waiting.bytes.extend(rest);
                waiting.spans.push_back((chunk.provenance, rest.len()));
            }
        }
    }

    /// Writes queued bytes after [`TransportEvent::Writable`](crate::TransportEvent::Writable). Returns whether the
    /// queue is empty.
    pub fn flush(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        connection: ConnectionId,
    ) -> bool {
        let Some(waiting) = &mut self.waiting else {
            return true;
        };
        while let Some((provenance, length)) = waiting.spans.front_mut() {
            let (start, _) = waiting.bytes.as_slices();
            let bytes = &start[..start.len().min(*length)];
            let chunk = Chunk {
                bytes,
                provenance: *provenance,
            };
            let taken = transport
                .write(now, connection, self.stream, &[chunk])
                .unwrap_or(bytes.len())
                .min(bytes.len());
            if taken == 0 {
                return false;
            }
            waiting.bytes.drain(..taken);
            *length -= taken;
            if *length == 0 {
                waiting.spans.pop_front();
            }
        }
        if self.ends {
            transport.finish(now, connection, self.stream);
        }
        self.waiting = None;
        true
    }

    /// Ends the stream after the queued bytes. Further calls have no effect.
    pub fn finish(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        connection: ConnectionId,
    ) {
        if !self.ends && self.is_empty() {
            transport.finish(now, connection, self.stream);
        }
        self.ends = true;
    }

    /// Ends the stream and discards the queued bytes.
    pub fn abandon(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        connection: ConnectionId,
    ) {
        self.ends &= self.is_empty();
        self.clear();
        self.finish(now, transport, connection);
    }

    /// Discards the queued bytes after the first `size`.
    pub fn truncate(&mut self, size: usize) {
        let Some(waiting) = &mut self.waiting else {
            return;
        };
        waiting.bytes.truncate(size);
        let mut left = size;
        waiting.spans.retain_mut(|(_, length)| {
            *length = left.min(*length);
            left -= *length;
            *length > 0
        });
        if waiting.bytes.is_empty() {
            self.waiting = None;
        }
    }

    /// Discards all queued bytes.
    pub fn clear(&mut self) {
        self.waiting = None;
    }
}
