use std::rc::Rc;

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Payload, ReadOutcome, ResetReason, StreamError, StreamId,
    Transport, TransportInput, TransportOutput, forward_transport,
};
use lasthop_units::Instant;

use super::Turn;

/// A layer of a stack that records its name while it runs.
pub(crate) struct Layer<T> {
    name: &'static str,
    inner: T,
    turn: Rc<Turn>,
}

impl<T: Transport> Layer<T> {
    pub(crate) fn new(name: &'static str, inner: T, turn: &Rc<Turn>) -> Self {
        let turn = Rc::clone(turn);
        Self { name, inner, turn }
    }
}

impl<T: Transport> Transport for Layer<T> {
    forward_transport! {
        self => self.inner;
        open_with listen join initial_stream own_stream open_stream expect prioritise outlast_streams forget
        unanswered peer held local_address
    }

    fn handle(&mut self, now: Instant, input: TransportInput) {
        let inner = &mut self.inner;
        self.turn.within(self.name, || inner.handle(now, input));
    }

    #[inline]
    fn poll(&mut self, now: Instant) -> TransportOutput {
        let inner = &mut self.inner;
        self.turn.within(self.name, || inner.poll(now))
    }

    fn write(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let inner = &mut self.inner;
        self.turn
            .within(self.name, || inner.write(now, id, stream, chunks))
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let inner = &mut self.inner;
        self.turn
            .within(self.name, || inner.read(now, id, stream, into))
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let inner = &mut self.inner;
        self.turn
            .within(self.name, || inner.send_datagram(now, id, chunks))
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        let inner = &mut self.inner;
        self.turn.within(self.name, || inner.receive_datagram(id))
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let inner = &mut self.inner;
        self.turn
            .within(self.name, || inner.finish(now, id, stream));
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        let inner = &mut self.inner;
        self.turn
            .within(self.name, || inner.reset_stream(now, id, stream, code))
    }

    fn close(&mut self, now: Instant, id: ConnectionId, code: u64) {
        let inner = &mut self.inner;
        self.turn.within(self.name, || inner.close(now, id, code));
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        let inner = &mut self.inner;
        self.turn.within(self.name, || inner.reset(now, id, reason));
    }
}
