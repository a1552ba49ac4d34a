//! What the layer above sees of what secures a device's connections.

use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Expectation, InterfaceId, JoinError, ListenError,
    OpenError, OpenOptions, Payload, ReadOutcome, ResetReason, StreamError, StreamId, StreamKind,
    Transport, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use super::SecuredTransport;

impl Transport for SecuredTransport {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match input {
            // Who waits here is asked anyway.
            TransportInput::Timeout if self.inner_deadline.is_none_or(|at| at > now) => return,
            TransportInput::Crash(_) | TransportInput::Stop => self.forget_all(),
            _ => {}
        }
        self.inner.handle(now, input);
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
        let opened = self.inner.open_with(now, peer, options, early_data)?;
        self.said_early.begin(opened);
        Ok(opened)
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
        self.inner.write(now, connection, stream, chunks)
    }

    fn read(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        self.inner.read(now, connection, stream, into)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        match self.said_early.keep(connection, chunks) {
            true => Ok(()),
            false => self.inner.send_datagram(now, connection, chunks),
        }
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        if !self.said_early.expect(connection, expectation) {
            self.inner.expect(connection, expectation);
        }
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        self.inner.receive_datagram(connection)
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
        self.inner.reset_stream(now, connection, stream, code)
    }

    fn prioritise(&mut self, connection: ConnectionId, stream: StreamId, priority: i32) {
        self.inner.prioritise(connection, stream, priority);
    }

    fn outlast_streams(&mut self, connection: ConnectionId) {
        self.inner.outlast_streams(connection);
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        self.drop_untold(connection);
        self.inner.close(now, connection, code);
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.drop_untold(connection);
        self.inner.reset(now, connection, reason);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.inner.peer(connection)
    }

    fn local_address(&self, towards: IpAddr, by: Option<InterfaceId>) -> Option<IpAddr> {
        self.inner.local_address(towards, by)
    }
}
