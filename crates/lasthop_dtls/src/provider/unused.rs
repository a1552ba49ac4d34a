use dimpl::CryptoError;
use dimpl::crypto::{
    HashAlgorithm, KeyProvider, SignatureAlgorithm, SignatureVerifier, SigningKey,
};

/// Stands where certificates are asked for that no suite shows.
#[derive(Debug)]
pub(super) struct Unused;

impl SignatureVerifier for Unused {
    fn verify_signature(
        &self,
        _cert_der: &[u8],
        _data: &[u8],
        _signature: &[u8],
        _hash_alg: HashAlgorithm,
        _sig_alg: SignatureAlgorithm,
    ) -> Result<(), CryptoError> {
        Err(CryptoError::NoPrivateKeyConfigured)
    }
}

impl KeyProvider for Unused {
    fn load_private_key(&self, _key_der: &[u8]) -> Result<Box<dyn SigningKey>, CryptoError> {
        Err(CryptoError::NoPrivateKeyConfigured)
    }
}
