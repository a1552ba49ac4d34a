use lasthop_contract::{ConnectionId, ReadOutcome, StreamId, Transport};
use lasthop_units::{DataSize, Instant};

use crate::{MessageBoundary, Reading};

/// The reader of a stream in the application's task. Each read takes a limited size, and processes every message in it
/// or only the first.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// What was read and not handed on.
    unread: Vec<u8>,
    /// What is handed on next.
    handed: Vec<u8>,
    /// How much of the message is to come whose beginning was read.
    rest: usize,
    /// That message was not the first of its read.
    is_rest_lost: bool,
    /// The peer has finished.
    is_finished: bool,
    /// There may be more below.
    may_have_more: bool,
    /// The peer has finished, and no message is left.
    is_drained: bool,
}

/// The result of reading one piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The number of application messages that begin in the piece.
    pub(crate) messages: u32,
    /// The number of processed bytes.
    pub(crate) bytes: usize,
    /// The number of discarded messages.
    pub(crate) thrown_away: u32,
    /// Whether the piece begins inside a discarded message and is invalid.
    pub(crate) is_misread: bool,
}

impl Reader {
    /// Records that data has arrived.
    pub(crate) fn note_more(&mut self) {
        self.may_have_more = true;
    }

    /// Records that the transport below has no unread data left; only the end of the stream can follow.
    pub(crate) fn note_emptied(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        (connection, stream): (ConnectionId, StreamId),
    ) {
        let end = transport.read(now, connection, stream, &mut []);
        self.may_have_more = matches!(end, Ok(ReadOutcome::Finished)) && !self.is_finished;
    }

    /// Takes the next piece, to be passed on with [`Reader::hand_on`]. Returns `None` without data.
    pub(crate) fn take(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        of: (ConnectionId, StreamId),
        boundary: Option<MessageBoundary>,
        by: (Reading, DataSize),
    ) -> Option<Piece> {
        let piece = self.take_piece(now, transport, of, boundary, by);
        self.is_drained = self.is_finished && !self.has_message(boundary);
        piece
    }

    fn take_piece(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        (connection, stream): (ConnectionId, StreamId),
        boundary: Option<MessageBoundary>,
        (reading, read_size): (Reading, DataSize),
    ) -> Option<Piece> {
        if reading == Reading::All && self.has_message(boundary) {
            return Some(self.next_message(boundary));
        }
        let is_cut = !self.unread.is_empty();
        let read = self.read(now, transport, (connection, stream), read_size);
        if read == 0 {
            return self.is_finished.then(Piece::default);
        }
        Some(match (reading, boundary) {
            (Reading::FirstMessageOnly, Some(boundary)) => Piece {
                bytes: read,
                ..self.first_message(boundary, is_cut)
            },
            _ => self.next_message(boundary),
        })
    }

    /// Reads as much as it reads at a time, from below.
    fn read(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        (connection, stream): (ConnectionId, StreamId),
        read_size: DataSize,
    ) -> usize {
        let before = self.unread.len();
        let room = read_size.as_bytes() as usize;
        let end = room.max(before + 1);
        self.unread.resize(end, 0);
        let mut length = before;
        self.may_have_more = true;
        while length < end {
            match transport.read(now, connection, stream, &mut self.unread[length..]) {
                Ok(ReadOutcome::Read(count)) => length += count,
                Ok(ReadOutcome::Blocked) | Err(_) => {
                    self.may_have_more = false;
                    break;
                }
                Ok(ReadOutcome::Finished) => {
                    (self.is_finished, self.may_have_more) = (true, false);
                    break;
                }
            }
        }
        self.unread.truncate(length);
        length - before
    }

    /// Whether a message, or a part of one, is there without another read.
    fn has_message(&self, boundary: Option<MessageBoundary>) -> bool {
        !self.unread.is_empty()
            && (self.rest > 0 || boundary.is_none_or(|first| first(&self.unread).is_some()))
    }

    /// Takes what there is of the next message.
    fn next_message(&mut self, boundary: Option<MessageBoundary>) -> Piece {
        let there = self.unread.len();
        let mut messages = 0;
        let length = if self.rest > 0 {
            self.rest
        } else {
            match boundary.map(|first| first(&self.unread)) {
                None => {
                    messages = 1;
                    there
                }
                // Its beginning does not say how long it is: it waits for more.
                Some(None) => 0,
                Some(Some(first)) => {
                    messages = u32::from(first.is_for_application);
                    first.length
                }
            }
        };
        let taken = length.min(there);
        self.rest = length - taken;
        self.handed.extend(self.unread.drain(..taken));
        Piece {
            messages,
            bytes: taken,
            ..Piece::default()
        }
    }

    /// Takes the first message of what was read; the rest of it is thrown away. `is_cut` says that it begins within the
    /// first bytes of one.
    fn first_message(&mut self, boundary: MessageBoundary, is_cut: bool) -> Piece {
        let mut piece = Piece::default();
        let mut at = self.rest.min(self.unread.len());
        let begins_inside = self.rest > 0;
        if begins_inside && !self.is_rest_lost {
            self.handed.extend_from_slice(&self.unread[..at]);
        }
        self.rest -= at;
        // What begins within a message that is lost makes no sense to its reader.
        let mut is_first = !begins_inside && !is_cut;
        piece.is_misread = is_cut || (begins_inside && self.is_rest_lost);
        while at < self.unread.len() {
            let Some(first) = boundary(&self.unread[at..]) else {
                break;
            };
            let end = (at + first.length).min(self.unread.len());
            self.rest = at + first.length - end;
            self.is_rest_lost = !is_first;
            if is_first {
                piece.messages = u32::from(first.is_for_application);
                self.handed.extend_from_slice(&self.unread[at..end]);
            } else {
                piece.thrown_away += u32::from(first.is_for_application);
            }
            (at, is_first) = (end, false);
        }
        // The beginning of a header is kept, to know where the next message begins.
        self.unread.drain(..at);
        piece
    }

    /// Passes the taken piece on.
    pub(crate) fn hand_on(&mut self, into: &mut [u8]) -> ReadOutcome {
        if self.handed.is_empty() {
            return match self.is_drained {
                true => ReadOutcome::Finished,
                false => ReadOutcome::Blocked,
            };
        }
        let count = into.len().min(self.handed.len());
        into[..count].copy_from_slice(&self.handed[..count]);
        self.handed.drain(..count);
        ReadOutcome::Read(count)
    }

    /// Whether there may be data to take.
    pub(crate) fn may_have_more(&self, boundary: Option<MessageBoundary>) -> bool {
        self.may_have_more || self.has_message(boundary)
    }

    /// Returns the memory in use, in bytes.
    pub(crate) fn held(&self) -> u64 {
        (self.unread.len() + self.handed.len()) as u64
    }
}

#[cfg(test)]
mod tests;
