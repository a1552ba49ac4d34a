use core::net::SocketAddr;

use lasthop_contract::{
    Chunk, ConnectionId, OpenError, OpenOptions, Provenance, StreamError, StreamId, Transport,
    forward_transport,
};
use lasthop_units::Instant;

/// A transport that notes what is written to its streams.
pub(crate) struct Tap<T> {
    lower: T,
    pub(crate) written: Vec<u8>,
    pub(crate) spans: Vec<(Provenance, usize)>,
    /// How many bytes each write had.
    pub(crate) writes: Vec<usize>,
}

impl<T> Tap<T> {
    pub(crate) fn new(lower: T) -> Self {
        Self {
            lower,
            written: Vec::new(),
            spans: Vec::new(),
            writes: Vec::new(),
        }
    }

    pub(crate) fn lower(&mut self) -> &mut T {
        &mut self.lower
    }

    fn note(&mut self, chunks: &[Chunk<'_>], mut taken: usize) {
        if taken > 0 {
            self.writes.push(taken);
        }
        for chunk in chunks {
            let bytes = &chunk.bytes[..chunk.bytes.len().min(taken)];
            taken -= bytes.len();
            self.written.extend(bytes);
            self.spans.push((chunk.provenance, bytes.len()));
        }
    }
}

impl<T: Transport> Transport for Tap<T> {
    forward_transport! {
        self => self.lower;
        handle poll listen initial_stream read finish reset peer
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let id = self.lower.open_with(now, peer, options, early_data)?;
        self.note(early_data, early_data.iter().map(|it| it.bytes.len()).sum());
        Ok(id)
    }

    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let taken = self.lower.write(now, connection, stream, chunks)?;
        self.note(chunks, taken);
        Ok(taken)
    }
}
