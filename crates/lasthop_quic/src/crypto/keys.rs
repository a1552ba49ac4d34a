use core::cell::RefCell;

use bytes::BytesMut;
use quinn_proto::crypto::{CryptoError, KeyPair, Keys, PacketKey};

use crate::frames::{self, Kind, Piece};

/// What was sealed, from the first byte of a datagram to the last.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// One behind the other, the packets of a datagram too.
    pub(crate) pieces: Vec<Piece>,
}

impl Noted {
    /// Whether something of a handshake was sealed.
    pub(crate) fn has_handshake(&self) -> bool {
        let is_of_handshake = |it: &Piece| matches!(it.kind, Kind::Handshake(..));
        self.pieces.iter().any(is_of_handshake)
    }
}

thread_local! {
    static NOTES: RefCell<Option<Noted>> = const { RefCell::new(None) };
}

/// Works, and gives back what was sealed meanwhile.
pub(crate) fn taking_notes<R>(mut room: Noted, work: impl FnOnce() -> R) -> (R, Noted) {
    room.pieces.clear();
    let before = NOTES.replace(Some(room));
    let result = work();
    (result, NOTES.replace(before).unwrap_or_default())
}

/// Keys of which those that seal note what they seal.
pub(super) fn observed(keys: Keys) -> Keys {
    Keys {
        header: keys.header,
        packet: observed_pair(keys.packet),
    }
}

/// The same without those of headers.
pub(super) fn observed_pair(pair: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair {
        local: Box::new(Noting(pair.local)),
        remote: pair.remote,
    }
}

/// The key of early data, with which one end seals and the other opens.
pub(super) fn observed_key(key: Box<dyn PacketKey>) -> Box<dyn PacketKey> {
    Box::new(Noting(key))
}

struct Noting(Box<dyn PacketKey>);

impl PacketKey for Noting {
    fn encrypt(&self, packet: u64, buf: &mut [u8], header_len: usize) {
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                frames::note(buf, header_len, self.0.tag_len(), notes);
            }
        });
        self.0.encrypt(packet, buf, header_len);
    }

    fn decrypt(
        &self,
        packet: u64,
        header: &[u8],
        payload: &mut BytesMut,
    ) -> Result<(), CryptoError> {
        self.0.decrypt(packet, header, payload)
    }

    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.0.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.0.integrity_limit()
    }
}
