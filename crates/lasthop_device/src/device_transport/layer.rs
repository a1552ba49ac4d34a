//! The interface of a device's transport to the layer above.

use core::net::SocketAddr;

use lasthop_contract::{
    Awaited, Chunk, ConnectionId, Expectation, OpenError, OpenOptions, Payload, ReadOutcome,
    ResetReason, StreamError, StreamId, Transport, TransportInput, TransportOutput,
    forward_transport,
};
use lasthop_units::Instant;

use super::DeviceTransport;

impl Transport for DeviceTransport {
    forward_transport! {
        self => self.inner;
        listen join initial_stream own_stream open_stream send_datagram expect prioritise
        outlast_streams unanswered peer local_address
    }

    /// What waits for the tasks of the device may have more sent.
    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        let is_done = self.frames.is_empty() && self.waiting.is_empty() && self.at_work.is_none();
        (self.inner.expectation(awaited)).filter(|_| is_done)
    }

    fn handle(&mut self, now: Instant, input: TransportInput) {
        match input {
            TransportInput::Packet(packet) => self.arrive(now, packet),
            TransportInput::Timeout => {
                if self.inner_deadline.is_some_and(|at| at <= now) {
                    self.inner.handle(now, TransportInput::Timeout);
                }
            }
            TransportInput::Crash(_) => {
                self.crash();
                self.inner.handle(now, input);
            }
            TransportInput::Stop
            | TransportInput::AddressChanged { .. }
            | TransportInput::AddressNoticed
            | TransportInput::InterfaceMtu { .. } => {
                self.inner.handle(now, input);
            }
        }
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        self.advance(now)
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let connection = self.inner.open_with(now, peer, options, early_data);
        if let Ok(connection) = connection {
            self.note_opened(connection);
        }
        self.note_written();
        connection
    }

    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let taken = self.inner.write(now, connection, stream, chunks);
        self.note_written();
        taken
    }

    fn read(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let reader = self.readers.get((connection, stream));
        Ok(reader.map_or(ReadOutcome::Blocked, |reader| reader.hand_on(into)))
    }

    fn receive_datagram(&mut self, _connection: ConnectionId) -> Option<Payload> {
        self.datagram.take()
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
        self.leave(connection);
        self.inner.finish(now, connection, stream);
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        self.drop_unread(connection);
        self.inner.reset_stream(now, connection, stream, code)
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        self.drop_unread(connection);
        self.inner.close(now, connection, code);
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.drop_unread(connection);
        self.inner.reset(now, connection, reason);
    }
}

impl DeviceTransport {
    /// Drops the unread data of a connection that the application no longer reads.
    pub(super) fn drop_unread(&mut self, connection: ConnectionId) {
        if let Some(peer) = self.inner.peer(connection) {
            self.mailboxes.forget(peer);
        }
        self.forget(connection);
    }
}
