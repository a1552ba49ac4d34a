use p256::SecretKey;
use p256::pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, LineEnding};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};

/// Generates a key pair for a device on P-256 from the system's random numbers. Returns the private (PKCS #8) and the
/// public key as PEM (RFC 7468), or `None` if the system has no random numbers.
#[must_use]
pub fn new_key() -> Option<(String, String)> {
    let random = SystemRandom::new();
    let pair = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).ok()?;
    let key = SecretKey::from_pkcs8_der(pair.as_ref()).ok()?;
    let private = key.to_pkcs8_pem(LineEnding::LF).ok()?;
    let public = key.public_key().to_public_key_pem(LineEnding::LF).ok()?;
    Some((private.to_string(), public))
}
