use lasthop_contract::{Chunk, ConnectionId, Outbox, Provenance, ReadOutcome, StreamId, Transport};
use lasthop_units::Instant;

/// A connection with its transport and the current time, for reading and writing.
pub(crate) struct Wire<'a> {
    pub(crate) now: Instant,
    pub(crate) transport: &'a mut dyn Transport,
    pub(crate) connection: ConnectionId,
}

/// How much is read at a time.
const READ_SIZE: usize = 4096;

impl<'a> Wire<'a> {
    pub(crate) fn new(
        now: Instant,
        transport: &'a mut dyn Transport,
        connection: ConnectionId,
    ) -> Self {
        Self {
            now,
            transport,
            connection,
        }
    }

    /// Reads received bytes of a stream up to the given room. Returns whether the peer has finished.
    pub(crate) fn read(&mut self, stream: StreamId, into: &mut Vec<u8>, room: usize) -> bool {
        let mut buffer = [0; READ_SIZE];
        while into.len() < room {
            let wanted = &mut buffer[..READ_SIZE.min(room - into.len())];
            match self
                .transport
                .read(self.now, self.connection, stream, wanted)
            {
                Ok(ReadOutcome::Read(count)) => into.extend_from_slice(&buffer[..count]),
                Ok(ReadOutcome::Blocked) | Err(_) => return false,
                Ok(ReadOutcome::Finished) => return true,
            }
        }
        false
    }

    /// Writes pieces to a stream, each with its provenance. Empty pieces are skipped.
    pub(crate) fn write(&mut self, outbox: &mut Outbox, pieces: &[(&[u8], Provenance)]) {
        let chunks: Vec<Chunk<'_>> = pieces
            .iter()
            .filter(|(bytes, _)| !bytes.is_empty())
            .map(|(bytes, provenance)| Chunk {
                bytes,
                provenance: *provenance,
            })
            .collect();
        outbox.write(self.now, self.transport, self.connection, &chunks);
    }

    /// Ends this end of a stream after the queued bytes.
    pub(crate) fn finish(&mut self, outbox: &mut Outbox) {
        outbox.finish(self.now, self.transport, self.connection);
    }
}
