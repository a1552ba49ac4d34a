//! What the layer above sees of a device's transport.

use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Expectation, InterfaceId, JoinError, ListenError,
    OpenError, OpenOptions, Payload, ReadOutcome, ResetReason, StreamError, StreamId, StreamKind,
    Transport, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use super::DeviceTransport;

impl Transport for DeviceTransport {
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
            TransportInput::Stop | TransportInput::AddressChanged { .. } => {
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
        self.note_written();
        connection
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.inner.listen(port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        self.inner.join(group, port)
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        self.inner.initial_stream(connection)
    }

    fn own_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        self.inner.own_stream(now, connection)
    }

    fn open_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        self.inner.open_stream(now, connection, kind)
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

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        self.inner.send_datagram(now, connection, chunks)
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        self.inner.expect(connection, expectation);
    }

    fn receive_datagram(&mut self, _connection: ConnectionId) -> Option<Payload> {
        self.datagram.take()
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
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

    fn prioritise(&mut self, connection: ConnectionId, stream: StreamId, priority: i32) {
        self.inner.prioritise(connection, stream, priority);
    }

    fn outlast_streams(&mut self, connection: ConnectionId) {
        self.inner.outlast_streams(connection);
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        self.drop_unread(connection);
        self.inner.close(now, connection, code);
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.drop_unread(connection);
        self.inner.reset(now, connection, reason);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.inner.peer(connection)
    }

    fn local_address(&self, towards: IpAddr, by: Option<InterfaceId>) -> Option<IpAddr> {
        self.inner.local_address(towards, by)
    }
}

impl DeviceTransport {
    /// Nobody reads any more what has come by a connection.
    fn drop_unread(&mut self, connection: ConnectionId) {
        if let Some(peer) = self.inner.peer(connection) {
            self.mailboxes.forget(peer);
        }
        self.forget(connection);
    }
}
