use lasthop_contract::{ConnectionId, StreamId};

use crate::reader::Reader;

/// The readers of the streams of a device's connections.
#[derive(Debug, Default)]
pub(super) struct Readers(Vec<((ConnectionId, StreamId), Reader)>);

impl Readers {
    /// Returns the reader of a stream that was read before.
    pub(super) fn get(&mut self, of: (ConnectionId, StreamId)) -> Option<&mut Reader> {
        let place = self.0.iter().position(|(it, _)| *it == of)?;
        Some(&mut self.0[place].1)
    }

    /// Returns the reader of a stream, and creates it at the first read.
    pub(super) fn get_or_begin(&mut self, of: (ConnectionId, StreamId)) -> &mut Reader {
        let place = self.0.iter().position(|(it, _)| *it == of);
        let place = place.unwrap_or_else(|| {
            self.0.push((of, Reader::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    /// Returns the memory that all readers use, in bytes.
    pub(super) fn held(&self) -> u64 {
        self.0.iter().map(|(_, reader)| reader.held()).sum()
    }

    /// Removes the readers of a closed connection.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.0.retain(|((it, _), _)| *it != connection);
    }
}
