//! The streams of a connection in the form of the transport contract.

use std::borrow::Cow;

use lasthop_contract::{Chunk, ReadOutcome, StreamError, StreamId, StreamKind};
use quinn_proto::{Dir, ReadError, ReadableError, Side, VarInt, WriteError};

use crate::connection::{Connection, FIRST};

/// How many bytes of several chunks are copied into one.
const TOGETHER: usize = 4096;

/// The additional state of a stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Nothing more comes.
    has_ended: bool,
    /// Whether the reader knows that the stream has ended.
    pub(crate) is_read: bool,
    /// Whether the stream was finished by this end.
    pub(crate) is_finished: bool,
    /// Whether all written data is acknowledged.
    pub(crate) is_acknowledged: bool,
    /// Whether a writer waits for room.
    pub(crate) is_full: bool,
    /// Whether either end has reset the stream.
    pub(crate) is_reset: bool,
}

impl Connection {
    /// Opens another stream.
    pub(crate) fn open(&mut self, kind: StreamKind) -> Result<StreamId, StreamError> {
        let is_reserved = !self.is_begun && self.streams.contains(&FIRST);
        let opened = match is_reserved {
            true => None,
            false => self.machine.streams().open(direction(kind)),
        };
        self.wants_stream |= opened.is_none();
        let stream = ours(opened.ok_or(StreamError::NoFurtherStream)?);
        self.is_begun |= stream == FIRST;
        let own = Stream {
            is_read: kind == StreamKind::Unidirectional,
            ..Stream::default()
        };
        self.streams.insert(stream, own);
        Ok(stream)
    }

    /// Returns the next stream that the peer opened.
    pub(crate) fn accept(&mut self, dir: Dir) -> Option<(StreamId, StreamKind)> {
        let stream = ours(self.machine.streams().accept(dir)?);
        let is_one_way = dir == Dir::Uni;
        let foreign = Stream {
            is_finished: is_one_way,
            is_acknowledged: is_one_way,
            ..Stream::default()
        };
        self.streams.insert(stream, foreign);
        Some((stream, kind(dir)))
    }

    /// Writes to a stream. Returns the number of bytes accepted.
    pub(crate) fn write(
        &mut self,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let known = self.streams.get(&stream).filter(|_| self.writes_to(stream));
        let known = known.filter(|it| !it.is_finished && !it.is_reset && !self.is_over);
        known.ok_or(StreamError::NoSuchStream)?;
        // What comes first goes first, and what the peer might refuse is given when the connection is opened.
        let taken = match self.established.is_none() || self.early.is_some() {
            true => 0,
            false => self.write_now(stream, chunks)?,
        };
        let all: usize = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        if let Some(known) = self.streams.get_mut(&stream) {
            known.is_full = taken < all;
        }
        Ok(taken)
    }

    pub(crate) fn write_now(
        &mut self,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let mut taken = 0;
        let mut machine = self.machine.send_stream(theirs(stream));
        let mut rest = chunks;
        while !rest.is_empty() {
            let (pieces, behind) = rest.split_at(written_together(rest));
            rest = behind;
            let bytes = match pieces {
                [one] => Cow::Borrowed(one.bytes),
                several => {
                    let several: Vec<&[u8]> = several.iter().map(|it| it.bytes).collect();
                    Cow::Owned(several.concat())
                }
            };
            let mut of_pieces = 0;
            while of_pieces < bytes.len() {
                match machine.write(&bytes[of_pieces..]) {
                    Ok(count) => of_pieces += count,
                    Err(WriteError::Blocked) => break,
                    Err(_) => return Err(StreamError::NoSuchStream),
                }
            }
            taken += of_pieces;
            if of_pieces < bytes.len() {
                break;
            }
        }
        self.labels.wrote(stream.0, chunks, taken);
        Ok(taken)
    }

    /// Reads from a stream. Also returns whether a packet to the peer is due, for example for flow control.
    pub(crate) fn read(
        &mut self,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<(ReadOutcome, bool), StreamError> {
        // The peer is done, and finished the stream or not: behind what has come nothing follows.
        let is_all = self.held.is_some();
        let known = self.streams.get_mut(&stream);
        let known = known.ok_or(StreamError::NoSuchStream)?;
        if known.has_ended || known.is_read {
            known.is_read = true;
            return Ok((ReadOutcome::Finished, false));
        }
        let mut machine = self.machine.recv_stream(theirs(stream));
        let mut chunks = match machine.read(true) {
            Ok(chunks) => chunks,
            Err(_) if is_all => {
                known.is_read = true;
                return Ok((ReadOutcome::Finished, false));
            }
            Err(ReadableError::ClosedStream) if self.established.is_none() => {
                return Ok((ReadOutcome::Blocked, false));
            }
            Err(_) => return Err(StreamError::NoSuchStream),
        };
        let mut count = 0;
        let outcome = loop {
            if count == into.len() {
                break ReadOutcome::Read(count);
            }
            match chunks.next(into.len() - count) {
                Ok(Some(chunk)) => {
                    into[count..count + chunk.bytes.len()].copy_from_slice(&chunk.bytes);
                    count += chunk.bytes.len();
                }
                Ok(None) => {
                    known.has_ended = true;
                    known.is_read = count == 0;
                    break match count {
                        0 => ReadOutcome::Finished,
                        _ => ReadOutcome::Read(count),
                    };
                }
                Err(ReadError::Reset(_)) => {
                    let _ = chunks.finalize();
                    return Err(StreamError::NoSuchStream);
                }
                Err(ReadError::Blocked) if count == 0 && is_all => {
                    known.is_read = true;
                    break ReadOutcome::Finished;
                }
                Err(ReadError::Blocked) if count == 0 => break ReadOutcome::Blocked,
                Err(ReadError::Blocked) => break ReadOutcome::Read(count),
            }
        };
        // The peer may be told that there is room again.
        let is_news = chunks.finalize().should_transmit();
        if outcome == ReadOutcome::Finished {
            self.forget(stream);
        }
        Ok((outcome, is_news))
    }

    /// Finishes the sending side of a stream.
    pub(crate) fn finish(&mut self, stream: StreamId) {
        let Some(known) = self.streams.get_mut(&stream) else {
            return;
        };
        let waits = self.established.is_none() || self.early.is_some();
        if !core::mem::replace(&mut known.is_finished, true) && !waits {
            self.finish_now(stream);
        }
    }

    pub(crate) fn finish_now(&mut self, stream: StreamId) {
        let _ = self.machine.send_stream(theirs(stream)).finish();
    }

    /// Resets a stream in both directions.
    pub(crate) fn reset_stream(&mut self, stream: StreamId, code: u64) -> Result<(), StreamError> {
        let known = self.streams.get_mut(&stream);
        let known = known.filter(|it| !it.is_reset);
        known.ok_or(StreamError::NoSuchStream)?.is_reset = true;
        let code = VarInt::from_u64(code).unwrap_or(VarInt::MAX);
        self.stop_writing(stream, code);
        if self.reads_from(stream) {
            let _ = self.machine.recv_stream(theirs(stream)).stop(code);
        }
        self.labels.forget(stream.0);
        Ok(())
    }

    fn stop_writing(&mut self, stream: StreamId, code: VarInt) {
        if self.writes_to(stream) {
            let _ = self.machine.send_stream(theirs(stream)).reset(code);
        }
    }

    /// Whether a stream leads from this end to the peer.
    fn writes_to(&self, stream: StreamId) -> bool {
        let stream = theirs(stream);
        stream.dir() == Dir::Bi || stream.initiator() == self.machine.side()
    }

    /// Whether a stream leads from the peer to this end.
    fn reads_from(&self, stream: StreamId) -> bool {
        let stream = theirs(stream);
        stream.dir() == Dir::Bi || stream.initiator() != self.machine.side()
    }

    /// Sets the priority of a stream.
    pub(crate) fn prioritise(&mut self, stream: StreamId, priority: i32) {
        let known = self.streams.get(&stream);
        if known.is_some_and(|it| !it.is_finished && !it.is_reset) && self.writes_to(stream) {
            let mut machine = self.machine.send_stream(theirs(stream));
            let _ = machine.set_priority(priority);
        }
    }

    /// Returns the error code of a reset that the peer just sent.
    pub(crate) fn taken_reset(&mut self, stream: StreamId) -> Option<u64> {
        let known = self.streams.get_mut(&stream)?;
        if known.is_reset {
            return None;
        }
        let mut machine = self.machine.recv_stream(theirs(stream));
        let code = machine.received_reset().ok()??;
        known.is_reset = true;
        self.stop_writing(stream, code);
        Some(code.into_inner())
    }

    /// Removes a stream that has ended in both directions. The first stream stays, because the connection ends with it,
    /// unless the connection outlasts its streams.
    pub(crate) fn forget(&mut self, stream: StreamId) {
        let is_over = |it: &Stream| it.is_read && it.is_acknowledged;
        let stands_for_all = stream == FIRST && !self.outlasts_streams;
        if !stands_for_all && self.streams.get(&stream).is_some_and(is_over) {
            self.streams.remove(&stream);
        }
    }
}

/// How many of these chunks are given to the library in one piece: the fields of a head are many and short.
fn written_together(chunks: &[Chunk<'_>]) -> usize {
    let ends = chunks.iter().scan(0, |end, chunk| {
        *end += chunk.bytes.len();
        Some(*end)
    });
    ends.take_while(|end| *end <= TOGETHER).count().max(1)
}

/// Converts a stream ID to the library's form.
pub(crate) fn theirs(stream: StreamId) -> quinn_proto::StreamId {
    let side = match stream.0 & 1 {
        0 => Side::Client,
        _ => Side::Server,
    };
    let dir = match stream.0 & 2 {
        0 => Dir::Bi,
        _ => Dir::Uni,
    };
    quinn_proto::StreamId::new(side, dir, stream.0 >> 2)
}

/// Converts a stream ID from the library's form.
pub(crate) fn ours(stream: quinn_proto::StreamId) -> StreamId {
    StreamId(VarInt::from(stream).into_inner())
}

fn direction(kind: StreamKind) -> Dir {
    match kind {
        StreamKind::Bidirectional => Dir::Bi,
        StreamKind::Unidirectional => Dir::Uni,
    }
}

fn kind(dir: Dir) -> StreamKind {
    match dir {
        Dir::Bi => StreamKind::Bidirectional,
        Dir::Uni => StreamKind::Unidirectional,
    }
}
