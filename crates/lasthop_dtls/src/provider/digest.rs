use core::fmt;

use dimpl::CryptoError;
use dimpl::crypto::{Buf, HashAlgorithm, HashContext, HashProvider, HmacProvider};
use lasthop_contract::note_key;
use ring::{digest, hmac};

use crate::crypto_context::CryptoContext;

/// SHA-256 and SHA-384, and HMAC with them (RFC 2104).
#[derive(Debug)]
pub(super) struct Digests;

impl HashProvider for Digests {
    fn create_hash(&self, algorithm: HashAlgorithm) -> Box<dyn HashContext> {
        let algorithm = match algorithm {
            HashAlgorithm::SHA384 => &digest::SHA384,
            _ => &digest::SHA256,
        };
        Box::new(Running(digest::Context::new(algorithm)))
    }
}

impl HmacProvider for Digests {
    fn hmac(
        &self,
        hash: HashAlgorithm,
        key: &[u8],
        data: &[u8],
        out: &mut [u8],
    ) -> Result<usize, CryptoError> {
        let algorithm = match hash {
            HashAlgorithm::SHA256 => hmac::HMAC_SHA256,
            HashAlgorithm::SHA384 => hmac::HMAC_SHA384,
            _ => return Err(CryptoError::UnsupportedHmacHash(hash)),
        };
        note_master_secret(key, data);
        let tag = hmac::sign(&hmac::Key::new(algorithm, key), data);
        let tag = tag.as_ref();
        out[..tag.len()].copy_from_slice(tag);
        Ok(tag.len())
    }
}

/// Whose keys are expanded (RFC 5246 section 6.3) is the master secret of the client with that random number.
fn note_master_secret(key: &[u8], data: &[u8]) {
    if let Some(randoms) = data.strip_prefix(b"key expansion")
        && let Some((_, client)) = randoms.split_at_checked(32)
        && client.len() == 32
        && CryptoContext::is_of_a_run()
    {
        note_key("CLIENT_RANDOM", client, key);
    }
}

#[derive(Clone)]
struct Running(digest::Context);

impl HashContext for Running {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn clone_and_finalize(&self, out: &mut Buf) {
        out.clear();
        out.extend_from_slice(self.0.clone().finish().as_ref());
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}
