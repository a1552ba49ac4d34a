//! The interface of a device's security layer to the layer above.

use core::net::SocketAddr;

use lasthop_contract::{
    Awaited, Chunk, ConnectionId, DatagramError, Expectation, OpenError, OpenOptions, ResetReason,
    Transport, TransportInput, TransportOutput, forward_transport,
};
use lasthop_units::Instant;

use super::SecuredTransport;

impl Transport for SecuredTransport {
    forward_transport! {
        self => self.inner;
        listen join initial_stream own_stream open_stream write read receive_datagram finish
        reset_stream prioritise outlast_streams forget unanswered peer local_address
    }

    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        (self.inner.expectation(awaited)).filter(|_| self.waiting.is_empty())
    }

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
        self.early_writes.begin(opened);
        Ok(opened)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        match self.early_writes.keep(connection, chunks) {
            true => Ok(()),
            false => self.inner.send_datagram(now, connection, chunks),
        }
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        if !self.early_writes.expect(connection, expectation) {
            self.inner.expect(connection, expectation);
        }
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        self.drop_untold(connection);
        self.inner.close(now, connection, code);
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.drop_untold(connection);
        self.inner.reset(now, connection, reason);
    }
}
