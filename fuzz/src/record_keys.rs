use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA384, KeyType, Prk};

/// The keys with which an end of TLS 1.3 seals its records by TLS_AES_256_GCM_SHA384, from its secret (RFC 8446 section 7).
pub(crate) struct RecordKeys {
    secret: [u8; SECRET_LENGTH],
    key: LessSafeKey,
    nonce: [u8; NONCE_LENGTH],
    number: u64,
}

const SECRET_LENGTH: usize = 48;
const KEY_LENGTH: usize = 32;
const NONCE_LENGTH: usize = 12;
const TAG_LENGTH: usize = 16;

/// What records that are sealed say that they are.
const APPLICATION_DATA: u8 = 23;

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl RecordKeys {
    pub(crate) fn of(secret: [u8; SECRET_LENGTH]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, &expand::<KEY_LENGTH>(&secret, "key"));
        Self {
            secret,
            key: LessSafeKey::new(key.expect("it is as long as a key")),
            nonce: expand(&secret, "iv"),
            number: 0,
        }
    }

    /// The keys that follow (RFC 8446 section 7.2).
    pub(crate) fn update(&mut self) {
        *self = Self::of(expand(&self.secret, "traffic upd"));
    }

    /// A record of this kind, whatever that is.
    pub(crate) fn seal(&mut self, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut body = [content, &[kind]].concat();
        let length = (body.len() + TAG_LENGTH) as u16;
        let mut record = vec![APPLICATION_DATA, 3, 3];
        record.extend(length.to_be_bytes());
        let mut nonce = self.nonce;
        for (byte, of_number) in nonce[4..].iter_mut().zip(self.number.to_be_bytes()) {
            *byte ^= of_number;
        }
        self.number += 1;
        let nonce = Nonce::assume_unique_for_key(nonce);
        let sealed = self
            .key
            .seal_in_place_append_tag(nonce, Aad::from(&record), &mut body);
        sealed.expect("there is memory for a tag");
        record.extend(body);
        record
    }
}

/// HKDF-Expand-Label without a context.
fn expand<const LENGTH: usize>(secret: &[u8], label: &str) -> [u8; LENGTH] {
    let label = format!("tls13 {label}");
    let length = (LENGTH as u16).to_be_bytes();
    let info = [&length[..], &[label.len() as u8], label.as_bytes(), &[0]];
    let mut out = [0; LENGTH];
    let filled = Prk::new_less_safe(HKDF_SHA384, secret)
        .expand(&info, Length(LENGTH))
        .and_then(|it| it.fill(&mut out));
    filled.expect("it is no longer than HKDF allows");
    out
}
