use core::cell::RefCell;
use std::thread;

use bytes::BytesMut;
use quinn_proto::crypto::{CryptoError, KeyPair, Keys, PacketKey};

use crate::frames::{self, Kind, Piece};

/// The plaintext structure of a datagram, recorded before encryption.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// The pieces in order, over all packets of the datagram.
    pub(crate) pieces: Vec<Piece>,
    /// The packets before encryption and after decryption, if a log wants them.
    pub(crate) packets: Option<Vec<PlainPacket>>,
}

/// A packet without its protection.
#[derive(Debug)]
pub(crate) struct PlainPacket {
    pub(crate) is_sent: bool,
    pub(crate) number: u64,
    pub(crate) header: Vec<u8>,
    pub(crate) frames: Vec<u8>,
    /// The length with the authentication tag.
    pub(crate) length: usize,
}

thread_local! {
    static NOTES: RefCell<Option<Noted>> = const { RefCell::new(None) };
}

/// Runs `work` and returns what was encrypted meanwhile, if that is wanted.
pub(crate) fn taking_notes<R>(
    is_wanted: bool,
    mut room: Noted,
    work: impl FnOnce() -> R,
) -> (R, Noted) {
    room.pieces.clear();
    room.packets.iter_mut().for_each(Vec::clear);
    if !is_wanted {
        return (work(), room);
    }
    let mut taking = Taking {
        before: NOTES.replace(Some(room)),
    };
    let result = work();
    (result, taking.end())
}

/// Notes are taken until it ends, at the latest when a panic leaves it.
struct Taking {
    before: Option<Noted>,
}

impl Taking {
    fn end(&mut self) -> Noted {
        NOTES.replace(self.before.take()).unwrap_or_default()
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        if thread::panicking() {
            self.end();
        }
    }
}

impl Noted {
    /// Whether handshake bytes were encrypted.
    pub(crate) fn has_handshake(&self) -> bool {
        let is_of_handshake = |it: &Piece| matches!(it.kind, Kind::Handshake(..));
        self.pieces.iter().any(is_of_handshake)
    }

    /// Keeps a packet as it is without its protection, where somebody wants it.
    fn keep(&mut self, is_sent: bool, number: u64, header: &[u8], frames: &[u8], tag: usize) {
        if let Some(packets) = &mut self.packets {
            packets.push(PlainPacket {
                is_sent,
                number,
                header: header.to_vec(),
                frames: frames.to_vec(),
                length: header.len() + frames.len() + tag,
            });
        }
    }
}

/// Wraps keys so that they record what they encrypt and, if wanted, decrypt.
pub(super) fn observed(keys: Keys) -> Keys {
    Keys {
        header: keys.header,
        packet: observed_pair(keys.packet),
    }
}

/// Wraps a pair of packet keys in the same way, without header keys.
pub(super) fn observed_pair(pair: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair {
        local: Box::new(Noting(pair.local)),
        remote: Box::new(Noting(pair.remote)),
    }
}

/// Wraps the key of early data, which one end uses to encrypt and the other to decrypt.
pub(super) fn observed_key(key: Box<dyn PacketKey>) -> Box<dyn PacketKey> {
    Box::new(Noting(key))
}

struct Noting(Box<dyn PacketKey>);

impl PacketKey for Noting {
    fn encrypt(&self, packet: u64, buf: &mut [u8], header_len: usize) {
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                let tag = self.0.tag_len();
                frames::note(buf, header_len, tag, notes);
                let (header, sealed) = buf.split_at(header_len);
                notes.keep(true, packet, header, &sealed[..sealed.len() - tag], tag);
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
        self.0.decrypt(packet, header, payload)?;
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                notes.keep(false, packet, header, payload, self.0.tag_len());
            }
        });
        Ok(())
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
