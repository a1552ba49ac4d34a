use core::cell::RefCell;
use core::fmt;

use aes::Aes128;
use ccm::aead::{AeadInPlace, KeyInit};
use ccm::consts::{U8, U12};
use ccm::{Ccm, Nonce as CcmNonce, Tag};
use dimpl::crypto::{
    Aad, Buf, Cipher, Dtls12CipherSuite, HashAlgorithm, Nonce, SupportedDtls12CipherSuite, TmpBuf,
};
use dimpl::{CryptoError, CryptoOperation};

use super::failed;
use crate::crypto_context::CryptoContext;

const KEY_LENGTH: usize = 16;
const SALT_LENGTH: usize = 4;
const EXPLICIT_NONCE_LENGTH: usize = 8;
const TAG_LENGTH: usize = 8;

/// What every constrained device has (RFC 7925 sections 4.2 and 4.4): TLS_PSK_WITH_AES_128_CCM_8 (RFC 6655 section 4), and
/// TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8 (RFC 7251).
#[derive(Debug)]
pub(super) struct Ccm8(pub(super) Dtls12CipherSuite);

impl SupportedDtls12CipherSuite for Ccm8 {
    fn suite(&self) -> Dtls12CipherSuite {
        self.0
    }

    fn hash_algorithm(&self) -> HashAlgorithm {
        HashAlgorithm::SHA256
    }

    fn key_lengths(&self) -> (usize, usize, usize) {
        (0, KEY_LENGTH, SALT_LENGTH)
    }

    fn explicit_nonce_len(&self) -> usize {
        EXPLICIT_NONCE_LENGTH
    }

    fn tag_len(&self) -> usize {
        TAG_LENGTH
    }

    fn create_cipher(&self, key: &[u8]) -> Result<Box<dyn Cipher>, CryptoError> {
        let key = key.try_into();
        let key = key.map_err(|_| failed(CryptoOperation::CreateCipher))?;
        Ok(Box::new(Aes128Ccm8(key)))
    }
}

/// By its key alone: an idle session does not hold 700 bytes of round keys a direction. What was used last is in [`EXPANDED`].
struct Aes128Ccm8([u8; KEY_LENGTH]);

type Expanded = Ccm<Aes128, U8, U12>;

/// How many expanded keys a thread keeps, each in the place that its first byte names.
const PLACES: usize = 32;

thread_local! {
    static EXPANDED: RefCell<Vec<Option<(Aes128Ccm8, Expanded)>>> = const { RefCell::new(Vec::new()) };
}

impl Aes128Ccm8 {
    /// Works with the expanded key, which is there if this key was used not long ago.
    fn expanded<R>(&self, work: impl FnOnce(&Expanded) -> R) -> R {
        EXPANDED.with_borrow_mut(|places| {
            places.resize_with(PLACES, || None);
            let place = &mut places[usize::from(self.0[0]) % PLACES];
            let is_there = matches!(place, Some((key, _)) if key.0 == self.0);
            if !is_there {
                *place = None;
            }
            let make = || (Self(self.0), Expanded::new(&self.0.into()));
            let (_, expanded) = place.get_or_insert_with(make);
            work(expanded)
        })
    }
}

impl Cipher for Aes128Ccm8 {
    fn encrypt(&mut self, plaintext: &mut Buf, aad: Aad, nonce: Nonce) -> Result<(), CryptoError> {
        CryptoContext::note(plaintext, &aad);
        let nonce = CcmNonce::from(nonce.0);
        let tag = self.expanded(|it| it.encrypt_in_place_detached(&nonce, &aad, plaintext));
        let tag = tag.map_err(|_| failed(CryptoOperation::Encrypt))?;
        plaintext.extend_from_slice(&tag);
        Ok(())
    }

    fn decrypt(
        &mut self,
        ciphertext: &mut TmpBuf<'_>,
        aad: Aad,
        nonce: Nonce,
    ) -> Result<(), CryptoError> {
        let failed = || failed(CryptoOperation::Decrypt);
        let length = ciphertext
            .len()
            .checked_sub(TAG_LENGTH)
            .ok_or_else(failed)?;
        let nonce = CcmNonce::from(nonce.0);
        let (sealed, tag) = ciphertext.as_mut().split_at_mut(length);
        let tag = Tag::from_slice(tag);
        let opened = self.expanded(|it| it.decrypt_in_place_detached(&nonce, &aad, sealed, tag));
        CryptoContext::note_opening(opened.is_ok());
        opened.map_err(|_| failed())?;
        ciphertext.truncate(length);
        Ok(())
    }
}

impl fmt::Debug for Aes128Ccm8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Aes128Ccm8")
    }
}
