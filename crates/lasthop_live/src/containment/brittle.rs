use lasthop_contract::{
    ConnectionId, Payload, ReadOutcome, StreamError, StreamId, Transport, forward_transport,
};
use lasthop_units::Instant;

/// A test layer that panics when the peer sends a certain word. In tests, all servers have it.
pub(crate) struct Brittle<T>(T);

/// The word that triggers the panic.
pub(super) const WORD: &[u8] = b"PANIC";

impl<T> Brittle<T> {
    pub(crate) const fn new(lower: T) -> Self {
        Self(lower)
    }
}

fn check(bytes: &[u8]) {
    assert!(!bytes.starts_with(WORD), "a peer said so");
}

impl<T: Transport> Transport for Brittle<T> {
    forward_transport! {
        self => self.0;
        handle poll open_with listen join initial_stream own_stream open_stream write send_datagram expect finish
        reset_stream prioritise outlast_streams close reset forget unanswered peer held local_address
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let outcome = self.0.read(now, id, stream, into);
        if let Ok(ReadOutcome::Read(length)) = outcome {
            check(&into[..length]);
        }
        outcome
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        let datagram = self.0.receive_datagram(id);
        datagram.iter().for_each(|it| check(it));
        datagram
    }
}
