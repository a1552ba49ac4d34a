use core::net::SocketAddr;

use lasthop_contract::{
    Chunk, ConnectionId, ListenError, OpenError, OpenOptions, Provenance, ReadOutcome, ResetReason,
    StreamError, StreamId, Transport, TransportInput, TransportOutput,
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
    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        self.lower.poll(now)
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

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        self.lower.initial_stream(connection)
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

    fn read(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        self.lower.read(now, connection, stream, into)
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
        self.lower.finish(now, connection, stream);
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.lower.reset(now, connection, reason);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.lower.peer(connection)
    }
}
