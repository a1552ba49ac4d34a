use core::net::SocketAddr;

use lasthop_contract::{
    Chunk, ListenError, OpenError, OpenOptions, ResetReason, StreamError, TransportInput,
    TransportOutput,
};
use lasthop_units::Duration;

use super::*;
use crate::FirstMessage;
use crate::constraints::tests::esp8266;

/// A stream that has these bytes.
struct Bytes(Vec<u8>);

const OF: (ConnectionId, StreamId) = (ConnectionId(1), StreamId(0));

impl Transport for Bytes {
    fn handle(&mut self, _: Instant, _: TransportInput) {}

    fn poll(&mut self, _: Instant) -> TransportOutput {
        TransportOutput::WaitUntil(None)
    }

    fn open_with(
        &mut self,
        _: Instant,
        _: SocketAddr,
        _: OpenOptions,
        _: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        Err(OpenError::NoFreePort)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        Err(ListenError(port))
    }

    fn read(
        &mut self,
        _: Instant,
        _: ConnectionId,
        _: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let count = into.len().min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0.drain(..count);
        Ok(match count {
            0 => ReadOutcome::Blocked,
            _ => ReadOutcome::Read(count),
        })
    }

    fn reset(&mut self, _: Instant, _: ConnectionId, _: ResetReason) {}

    fn peer(&self, _: ConnectionId) -> Option<SocketAddr> {
        None
    }
}

/// The first byte of a message says how long it is, and is even where it is for the application.
fn boundary(bytes: &[u8]) -> Option<FirstMessage> {
    let length = *bytes.first()?;
    Some(FirstMessage {
        length: usize::from(length).max(1),
        is_for_application: length % 2 == 0,
    })
}

/// All pieces that a reader takes of some bytes, with what it hands on of each.
fn pieces(reading: Reading, read_size: u64, bytes: &[u8]) -> Vec<(Piece, Vec<u8>)> {
    let (mut stream, mut reader) = (Bytes(bytes.to_vec()), Reader::default());
    let by = (reading, DataSize::from_bytes(read_size));
    let mut taken = Vec::new();
    while let Some(piece) = reader.take(Instant::ZERO, &mut stream, OF, Some(boundary), by) {
        let mut handed = vec![0; 64];
        let count = match reader.hand_on(&mut handed) {
            ReadOutcome::Read(count) => count,
            _ => 0,
        };
        handed.truncate(count);
        taken.push((piece, handed));
    }
    taken
}

/// Messages of four bytes.
fn messages(count: u8) -> Vec<u8> {
    (0..count).flat_map(|number| [4, number, 0, 0]).collect()
}

#[test]
fn a_correct_reader_takes_every_message_by_itself() {
    let taken = pieces(Reading::All, 1024, &messages(9));
    assert_eq!(taken.len(), 9);
    for (number, (piece, handed)) in taken.iter().enumerate() {
        assert_eq!(*handed, [4, number as u8, 0, 0]);
        assert_eq!((piece.messages, piece.bytes, piece.thrown_away), (1, 4, 0));
    }
}

#[test]
fn a_reader_of_first_messages_throws_the_others_of_a_read_away() {
    let taken = pieces(Reading::FirstMessageOnly, 1024, &messages(9));
    let [(piece, handed)] = &taken[..] else {
        panic!("it reads once, and not {} times", taken.len());
    };
    assert_eq!(*handed, [4, 0, 0, 0]);
    assert_eq!((piece.messages, piece.bytes, piece.thrown_away), (1, 36, 8));
    assert!(!piece.is_misread);
}

#[test]
fn a_read_that_begins_within_a_lost_message_makes_no_sense() {
    // 10 bytes: two messages and a half. The next read begins within the third, and none of its messages is the first.
    let taken = pieces(Reading::FirstMessageOnly, 10, &messages(5));
    let shown: Vec<_> = taken
        .iter()
        .map(|(piece, handed)| (handed.len(), piece.thrown_away, piece.is_misread))
        .collect();
    assert_eq!(shown, [(4, 2, false), (0, 2, true)]);
}

#[test]
fn a_first_message_that_is_longer_than_a_read_comes_in_parts() {
    let mut bytes = vec![12; 12];
    bytes.extend(messages(2));
    let taken = pieces(Reading::FirstMessageOnly, 8, &bytes);
    let handed: Vec<usize> = taken.iter().map(|(_, handed)| handed.len()).collect();
    assert_eq!(handed, [8, 4, 4]);
    assert_eq!(
        taken
            .iter()
            .map(|(piece, _)| piece.thrown_away)
            .sum::<u32>(),
        1
    );
    assert!(taken.iter().all(|(piece, _)| !piece.is_misread));
}

#[test]
fn a_word_of_the_protocol_is_no_message() {
    let taken = pieces(Reading::All, 1024, &[3, 0, 0]);
    assert_eq!(taken[0].0.messages, 0);
    let work = esp8266().work(taken[0].0.messages, taken[0].0.bytes);
    assert_eq!(work, Duration::from_nanos(133_500) * 3);
}

#[test]
fn whatever_bytes_come_and_however_they_are_cut_all_are_looked_at_once() {
    let mut random = lasthop_contract::RandomStream::named(1, "reader");
    for round in 0..2000_u64 {
        let bytes: Vec<u8> = (0..random.below(60))
            .map(|_| random.below(9) as u8)
            .collect();
        let reading = [Reading::All, Reading::FirstMessageOnly][round as usize % 2];
        let taken = pieces(reading, 1 + random.below(20), &bytes);
        let looked_at: usize = taken.iter().map(|(piece, _)| piece.bytes).sum();
        let handed: usize = taken.iter().map(|(_, handed)| handed.len()).sum();
        assert!(handed <= looked_at);
        if reading == Reading::All {
            assert_eq!(handed, bytes.len(), "{bytes:?}");
        }
        assert_eq!(looked_at, bytes.len(), "{bytes:?}");
    }
}
