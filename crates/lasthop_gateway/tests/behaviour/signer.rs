//! Devices' keys and the tokens that are made with them, by another implementation than the one that checks them.

use core::convert::Infallible;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lasthop_gateway::PublicKey;
use p256::ecdsa::signature::Signer as _;
use p256::pkcs8::{EncodePublicKey, LineEnding};
use rand_core::{TryCryptoRng, TryRng};
use rsa::pkcs1v15::SigningKey;
use rsa::signature::SignatureEncoding;
use sha2::Sha256;

pub(crate) const PROJECT: &str = "p1";
pub(crate) const DEVICE: &str = "projects/p1/locations/eu/registries/r1/devices/d1";
pub(crate) const NOW: u64 = 1_800_000_000;

pub(crate) const ES256: &str = r#"{"alg":"ES256","typ":"JWT"}"#;
pub(crate) const RS256: &str = r#"{"alg":"RS256","typ":"JWT"}"#;

/// What an honest device claims.
pub(crate) fn claims() -> String {
    format!(r#"{{"iat":{NOW},"exp":{},"aud":"p1"}}"#, NOW + 3600)
}

pub(crate) fn base64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) struct EcSigner(p256::ecdsa::SigningKey);

impl EcSigner {
    /// One of 255 keys.
    pub(crate) fn new(number: u8) -> Self {
        let secret = [number; 32];
        Self(p256::ecdsa::SigningKey::from_slice(&secret).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0
            .verifying_key()
            .to_public_key_pem(LineEnding::LF)
            .unwrap()
    }

    pub(crate) fn public(&self) -> PublicKey {
        PublicKey::from_pem(&self.pem()).unwrap()
    }

    pub(crate) fn token(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", base64(header), base64(claims));
        let signature: p256::ecdsa::Signature = self.0.sign(signed.as_bytes());
        format!("{signed}.{}", base64(signature.to_bytes()))
    }

    pub(crate) fn honest(&self) -> String {
        self.token(ES256, &claims())
    }
}

pub(crate) struct RsaSigner(rsa::PrivateKey);

impl RsaSigner {
    pub(crate) fn new(bits: usize) -> Self {
        Self(rsa::PrivateKey::new(&mut Counting(7), bits).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0
            .to_public_key()
            .to_public_key_pem(LineEnding::LF)
            .unwrap()
    }

    pub(crate) fn public(&self) -> PublicKey {
        PublicKey::from_pem(&self.pem()).unwrap()
    }

    pub(crate) fn token(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", base64(header), base64(claims));
        let key = SigningKey::<Sha256>::new(self.0.clone());
        let signature = rsa::signature::Signer::sign(&key, signed.as_bytes());
        format!("{signed}.{}", base64(signature.to_bytes()))
    }
}

/// Random enough for keys that guard nothing (SplitMix64).
struct Counting(u64);

impl Counting {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), Infallible> {
        for chunk in into.chunks_mut(8) {
            let bytes = self.next().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Counting {}
