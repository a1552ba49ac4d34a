use core::net::{IpAddr, SocketAddr};

use lasthop_units::Instant;

use crate::{
    Chunk, ConnectionId, DatagramError, Expectation, Held, InterfaceId, JoinError, ListenError,
    OpenError, OpenOptions, Payload, ReadOutcome, ResetReason, StreamError, StreamId, StreamKind,
    Transport, TransportInput, TransportOutput,
};

/// Layers stand on each other as `Box<dyn Transport>`: which ones is data, not a type.
impl<T: Transport + ?Sized> Transport for Box<T> {
    #[inline]
    fn handle(&mut self, now: Instant, input: TransportInput) {
        (**self).handle(now, input);
    }

    #[inline]
    fn poll(&mut self, now: Instant) -> TransportOutput {
        (**self).poll(now)
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        (**self).open_with(now, peer, options, early_data)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        (**self).listen(port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        (**self).join(group, port)
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        (**self).initial_stream(connection)
    }

    fn own_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        (**self).own_stream(now, connection)
    }

    fn open_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        (**self).open_stream(now, connection, kind)
    }

    #[inline]
    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        (**self).write(now, connection, stream, chunks)
    }

    #[inline]
    fn read(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        (**self).read(now, connection, stream, into)
    }

    #[inline]
    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        (**self).send_datagram(now, connection, chunks)
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        (**self).expect(connection, expectation);
    }

    #[inline]
    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        (**self).receive_datagram(connection)
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
        (**self).finish(now, connection, stream);
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        (**self).reset_stream(now, connection, stream, code)
    }

    fn prioritise(&mut self, connection: ConnectionId, stream: StreamId, priority: i32) {
        (**self).prioritise(connection, stream, priority);
    }

    fn outlast_streams(&mut self, connection: ConnectionId) {
        (**self).outlast_streams(connection);
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        (**self).close(now, connection, code);
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        (**self).reset(now, connection, reason);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        (**self).peer(connection)
    }

    fn held(&self) -> Held {
        (**self).held()
    }

    fn local_address(&self, towards: IpAddr, by: Option<InterfaceId>) -> Option<IpAddr> {
        (**self).local_address(towards, by)
    }
}
