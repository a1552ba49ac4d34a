use core::panic::AssertUnwindSafe;

use dimpl::crypto::{
    Buf, HashAlgorithm, KeyProvider, SignatureAlgorithm, SignatureVerifier, SigningKey,
};
use dimpl::{CryptoError, CryptoOperation};
use lasthop_tls::{Chain, is_signed_by};

use crate::crypto_context::CryptoContext;

/// Certificates of ECDSA on P-256, their signatures with SHA-256.
#[derive(Debug)]
pub(super) struct EcdsaP256;

impl SignatureVerifier for EcdsaP256 {
    fn verify_signature(
        &self,
        certificate: &[u8],
        data: &[u8],
        signature: &[u8],
        hash: HashAlgorithm,
        algorithm: SignatureAlgorithm,
    ) -> Result<(), CryptoError> {
        let is_known = hash == HashAlgorithm::SHA256 && algorithm == SignatureAlgorithm::ECDSA;
        let is_signed = is_known && is_signed_by(certificate, data, signature);
        is_signed.then_some(()).ok_or(failed())
    }
}

impl KeyProvider for EcdsaP256 {
    /// The key is that of who is worked for: it does not come as bytes.
    fn load_private_key(&self, _: &[u8]) -> Result<Box<dyn SigningKey>, CryptoError> {
        Ok(Box::new(Key(
            AssertUnwindSafe(CryptoContext::credentials()),
        )))
    }
}

/// The key of who shows a certificate. Nothing changes it, so that a panic leaves it whole.
#[derive(Debug)]
struct Key(AssertUnwindSafe<Option<Chain>>);

impl SigningKey for Key {
    fn sign(&mut self, data: &[u8], hash: HashAlgorithm, out: &mut Buf) -> Result<(), CryptoError> {
        let chain = self.0.as_ref().filter(|_| hash == HashAlgorithm::SHA256);
        let signature = chain.and_then(|chain| chain.sign_ecdsa_p256(data));
        out.clear();
        out.extend_from_slice(&signature.ok_or(failed())?);
        Ok(())
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }

    fn hash_algorithm(&self) -> HashAlgorithm {
        HashAlgorithm::SHA256
    }

    fn supported_hash_algorithms(&self) -> &[HashAlgorithm] {
        &[HashAlgorithm::SHA256]
    }
}

fn failed() -> CryptoError {
    CryptoError::OperationFailed(CryptoOperation::Sign)
}
