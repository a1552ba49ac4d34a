//! What the records of a datagram say of themselves in the clear.

use lasthop_contract::DiscardReason;

use crate::crypto_context::Opening;
use crate::hello::{RECORD_HEADER_LENGTH, TLS12_CID};

/// The first bits of a sealed record of DTLS 1.3 (RFC 9147 section 4).
const UNIFIED: u8 = 0b001;
/// Where a record of DTLS 1.2 says of which epoch it is (RFC 6347 section 4.1).
const EPOCH: usize = 3;
/// Where its connection ID begins (RFC 9146 section 4).
const CONNECTION_ID: usize = 11;
/// That of the only keys of a session of DTLS 1.2: there is no renegotiation.
const OF_THE_SESSION: [u8; 2] = [0, 1];

/// Why a datagram is of no use to an end that has no session with its sender.
pub(crate) fn of_no_session(datagram: &[u8]) -> DiscardReason {
    match datagram.first() {
        Some(&TLS12_CID) => DiscardReason::UnknownConnectionId,
        _ if is_sealed(datagram) => DiscardReason::NoSession,
        _ => DiscardReason::Malformed,
    }
}

/// Why a datagram was of no use to a session whose records carry this connection ID, where it was of none: it is sealed, and
/// nothing of it was opened.
pub(crate) fn unopened(
    datagram: &[u8],
    opening: Opening,
    connection_id: &[u8],
) -> Option<DiscardReason> {
    if opening.has_opened || !is_sealed(datagram) {
        return None;
    }
    let of_connection = |it: &[u8]| !connection_id.is_empty() && it.starts_with(connection_id);
    let is_unified = datagram[0] >> 5 == UNIFIED;
    let has_id = datagram[0] == TLS12_CID;
    Some(if opening.has_failed {
        DiscardReason::BadRecord
    } else if has_id && !datagram.get(CONNECTION_ID..).is_some_and(of_connection) {
        DiscardReason::UnknownConnectionId
    } else if !is_unified && datagram[EPOCH..EPOCH + 2] != OF_THE_SESSION {
        DiscardReason::NoSession
    } else {
        // Its keys are those of the session, and it was not tried to open it.
        DiscardReason::Replayed
    })
}

/// Whether its first record is.
fn is_sealed(datagram: &[u8]) -> bool {
    match datagram.first() {
        Some(kind) if kind >> 5 == UNIFIED => true,
        Some(_) => datagram.len() >= RECORD_HEADER_LENGTH && datagram[EPOCH..EPOCH + 2] != [0, 0],
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIED: Opening = Opening {
        has_opened: false,
        has_failed: true,
    };

    /// A record of DTLS 1.2 with this kind, epoch and body.
    fn record(kind: u8, epoch: u8, body: &[u8]) -> Vec<u8> {
        let header = [kind, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 1];
        [&header[..], body].concat()
    }

    #[test]
    fn a_record_for_nobody_is_named_by_what_it_lacks() {
        for (datagram, reason) in [
            (record(23, 1, &[0; 30]), DiscardReason::NoSession),
            (vec![0b0010_1100; 40], DiscardReason::NoSession),
            (
                record(TLS12_CID, 1, &[0; 30]),
                DiscardReason::UnknownConnectionId,
            ),
            (record(22, 0, &[0; 30]), DiscardReason::Malformed),
            (Vec::new(), DiscardReason::Malformed),
        ] {
            assert_eq!(of_no_session(&datagram), reason);
        }
    }

    #[test]
    fn a_record_that_a_session_does_not_open_is_named_by_why() {
        let (sealed, untried) = (record(23, 1, &[0; 30]), Opening::default());
        let by_id = record(TLS12_CID, 1, b"id and more than that, as it is sealed");
        for (datagram, opening, id, reason) in [
            (&sealed, TRIED, &b""[..], DiscardReason::BadRecord),
            (&sealed, untried, b"", DiscardReason::Replayed),
            (
                &record(23, 2, &[0; 30]),
                untried,
                b"",
                DiscardReason::NoSession,
            ),
            (
                &vec![0b0010_1111; 40],
                untried,
                b"",
                DiscardReason::Replayed,
            ),
            (&by_id, untried, b"id", DiscardReason::Replayed),
            (&by_id, untried, b"no", DiscardReason::UnknownConnectionId),
            (&by_id, untried, b"", DiscardReason::UnknownConnectionId),
        ] {
            assert_eq!(unopened(datagram, opening, id), Some(reason));
        }
        let opened = Opening {
            has_opened: true,
            ..TRIED
        };
        assert_eq!(unopened(&sealed, opened, b""), None);
        // What comes in the clear is as late as a retransmission is.
        assert_eq!(unopened(&record(22, 0, &[0; 30]), untried, b""), None);
    }
}
