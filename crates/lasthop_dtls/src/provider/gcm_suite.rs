use core::fmt;

use aes::Aes128;
use aes::cipher::{BlockEncrypt, KeyInit};
use dimpl::crypto::{
    Aad, Buf, Cipher, Dtls13CipherSuite, HashAlgorithm, Nonce, SupportedDtls13CipherSuite, TmpBuf,
};
use dimpl::{CryptoError, CryptoOperation};
use ring::aead::{self, LessSafeKey, UnboundKey};

use super::failed;
use crate::crypto_context::CryptoContext;

const KEY_LENGTH: usize = 16;
const NONCE_LENGTH: usize = 12;
const TAG_LENGTH: usize = 16;

/// TLS_AES_128_GCM_SHA256, which everybody has (RFC 8446 section 9.1). The short tags of CCM_8 are not for DTLS 1.3
/// (RFC 9147 section 4.5.3).
#[derive(Debug)]
pub(super) struct Gcm;

impl SupportedDtls13CipherSuite for Gcm {
    fn suite(&self) -> Dtls13CipherSuite {
        Dtls13CipherSuite::AES_128_GCM_SHA256
    }

    fn hash_algorithm(&self) -> HashAlgorithm {
        HashAlgorithm::SHA256
    }

    fn key_len(&self) -> usize {
        KEY_LENGTH
    }

    fn iv_len(&self) -> usize {
        NONCE_LENGTH
    }

    fn tag_len(&self) -> usize {
        TAG_LENGTH
    }

    fn create_cipher(&self, key: &[u8]) -> Result<Box<dyn Cipher>, CryptoError> {
        let key = UnboundKey::new(&aead::AES_128_GCM, key);
        let key = key.map_err(|_| failed(CryptoOperation::CreateCipher))?;
        Ok(Box::new(Aes128Gcm(LessSafeKey::new(key))))
    }

    fn encrypt_sn(&self, key: &[u8], sample: &[u8; 16]) -> [u8; 16] {
        let mut block = (*sample).into();
        // The key schedule of the library cuts its keys to this length.
        if let Ok(cipher) = Aes128::new_from_slice(key) {
            cipher.encrypt_block(&mut block);
        }
        block.into()
    }
}

struct Aes128Gcm(LessSafeKey);

impl Cipher for Aes128Gcm {
    fn encrypt(&mut self, plaintext: &mut Buf, aad: Aad, nonce: Nonce) -> Result<(), CryptoError> {
        CryptoContext::note(plaintext, &aad);
        let nonce = aead::Nonce::assume_unique_for_key(nonce.0);
        let aad = aead::Aad::from(&aad[..]);
        let tag = self
            .0
            .seal_in_place_separate_tag(nonce, aad, plaintext.as_mut());
        let tag = tag.map_err(|_| failed(CryptoOperation::Encrypt))?;
        plaintext.extend_from_slice(tag.as_ref());
        Ok(())
    }

    fn decrypt(
        &mut self,
        ciphertext: &mut TmpBuf<'_>,
        aad: Aad,
        nonce: Nonce,
    ) -> Result<(), CryptoError> {
        let nonce = aead::Nonce::assume_unique_for_key(nonce.0);
        let aad = aead::Aad::from(&aad[..]);
        let opened = self.0.open_in_place(nonce, aad, ciphertext.as_mut());
        CryptoContext::note_opening(opened.is_ok());
        let length = opened.map_err(|_| failed(CryptoOperation::Decrypt))?.len();
        ciphertext.truncate(length);
        Ok(())
    }
}

impl fmt::Debug for Aes128Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Aes128Gcm")
    }
}
