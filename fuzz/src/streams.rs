use std::collections::BTreeMap;
use std::net::SocketAddr;

use lasthop_contract::{
    Chunk, ConnectionId, ListenError, OpenError, OpenOptions, ReadOutcome, ResetReason,
    StreamError, StreamId, StreamKind, Transport, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

/// A connection of many streams, of which one end is played: what it says is put there, what it is told is counted.
#[derive(Default)]
pub(crate) struct Streams {
    incoming: BTreeMap<StreamId, Half>,
    opened: u64,
    /// How many bytes the other end was told.
    pub(crate) told: usize,
    pub(crate) is_over: bool,
}

#[derive(Default)]
struct Half {
    bytes: Vec<u8>,
    is_finished: bool,
}

impl Streams {
    /// Says something on a stream; whether it is the first.
    pub(crate) fn say(&mut self, stream: StreamId, bytes: &[u8], is_last: bool) -> bool {
        let is_new = !self.incoming.contains_key(&stream);
        let half = self.incoming.entry(stream).or_default();
        if !half.is_finished {
            half.bytes.extend_from_slice(bytes);
            half.is_finished = is_last;
        }
        is_new
    }
}

impl Transport for Streams {
    fn handle(&mut self, _now: Instant, _input: TransportInput) {}

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        TransportOutput::WaitUntil(None)
    }

    fn open_with(
        &mut self,
        _now: Instant,
        _peer: SocketAddr,
        _options: OpenOptions,
        _early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        Ok(ConnectionId(0))
    }

    fn listen(&mut self, _port: u16) -> Result<(), ListenError> {
        Ok(())
    }

    fn open_stream(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        self.opened += 1;
        Ok(StreamId(self.opened * 4 + 3))
    }

    fn write(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let length = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        self.told += length;
        Ok(length)
    }

    fn read(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let half = self.incoming.get_mut(&stream);
        let half = half.ok_or(StreamError::NoSuchStream)?;
        if half.bytes.is_empty() {
            return Ok(match half.is_finished {
                true => ReadOutcome::Finished,
                false => ReadOutcome::Blocked,
            });
        }
        let length = into.len().min(half.bytes.len());
        into[..length].copy_from_slice(&half.bytes[..length]);
        half.bytes.drain(..length);
        Ok(ReadOutcome::Read(length))
    }

    fn reset_stream(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        stream: StreamId,
        _code: u64,
    ) -> Result<(), StreamError> {
        let half = self.incoming.entry(stream).or_default();
        half.bytes.clear();
        half.is_finished = true;
        Ok(())
    }

    fn reset(&mut self, _now: Instant, _connection: ConnectionId, _reason: ResetReason) {
        self.is_over = true;
    }

    fn peer(&self, _connection: ConnectionId) -> Option<SocketAddr> {
        None
    }
}
