use aes::Aes128;
use ccm::aead::{AeadInPlace, KeyInit};
use ccm::consts::{U8, U12};
use ccm::{Ccm, Nonce};
use ring::hmac::{HMAC_SHA256, Key, sign};

/// The keys with which an end of DTLS 1.2 seals its records by TLS_PSK_WITH_AES_128_CCM_8 (RFC 6655).
#[derive(Clone)]
pub(crate) struct DatagramKeys {
    key: [u8; KEY_LENGTH],
    salt: [u8; SALT_LENGTH],
}

/// What stands before what is sealed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordHead {
    pub(crate) kind: u8,
    pub(crate) epoch: u16,
    /// 48 bits of it.
    pub(crate) number: u64,
}

const KEY_LENGTH: usize = 16;
const SALT_LENGTH: usize = 4;

impl DatagramKeys {
    /// Those of the client and of the server, by their master secret and random numbers (RFC 5246 section 6.3).
    pub(crate) fn of(master: &[u8], client_random: &[u8], server_random: &[u8]) -> [Self; 2] {
        let seed = [&b"key expansion"[..], server_random, client_random].concat();
        let hmac_key = Key::new(HMAC_SHA256, master);
        let mut block = Vec::new();
        let mut chained = sign(&hmac_key, &seed);
        while block.len() < 2 * (KEY_LENGTH + SALT_LENGTH) {
            block.extend(sign(&hmac_key, &[chained.as_ref(), &seed].concat()).as_ref());
            chained = sign(&hmac_key, chained.as_ref());
        }
        [0, 1].map(|side| {
            let part = |start: usize, length: usize| &block[start + side * length..][..length];
            Self {
                key: core::array::from_fn(|place| part(0, KEY_LENGTH)[place]),
                salt: core::array::from_fn(|place| part(2 * KEY_LENGTH, SALT_LENGTH)[place]),
            }
        })
    }

    /// A record whose head says what it likes.
    pub(crate) fn seal(&self, head: RecordHead, content: &[u8]) -> Vec<u8> {
        let place = head.place();
        let nonce = [&self.salt[..], &place].concat();
        let length = (content.len() as u16).to_be_bytes();
        let described = [&place[..], &[head.kind, 0xfe, 0xfd], &length].concat();
        let mut sealed = content.to_vec();
        let cipher = Ccm::<Aes128, U8, U12>::new(&self.key.into());
        let tag = cipher
            .encrypt_in_place_detached(Nonce::from_slice(&nonce), &described, &mut sealed)
            .expect("it is no longer than CCM allows");
        head.clear(&[&place[..], &sealed, &tag].concat())
    }
}

impl RecordHead {
    /// A record of this head whose body is in the clear.
    pub(crate) fn clear(self, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u16).to_be_bytes();
        let place = self.place();
        [&[self.kind, 0xfe, 0xfd][..], &place, &length, body].concat()
    }

    fn place(self) -> [u8; 8] {
        (u64::from(self.epoch) << 48 | self.number & 0xffff_ffff_ffff).to_be_bytes()
    }
}
