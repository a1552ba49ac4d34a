use core::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lasthop_units::Duration;
use p256::pkcs8::DecodePrivateKey;
use rsa::pkcs1v15;
use rsa::sha2::Sha256;
use rsa::signature::{SignatureEncoding, Signer};
use rsa::traits::PublicKeyParts;
use serde_json::json;

use crate::{Algorithm, DevicePath, KeyError, UnixTime};

/// The private key of a device, which signs its tokens.
pub struct PrivateKey {
    key: Key,
}

enum Key {
    Es256(Box<p256::ecdsa::SigningKey>),
    Rs256(Box<pkcs1v15::SigningKey<Sha256>>),
}

impl PrivateKey {
    /// Reads `-----BEGIN PRIVATE KEY-----` (RFC 7468 §10), not encrypted.
    ///
    /// # Errors
    /// When it is none of P-256 or RSA, or an RSA key of fewer than 2048 or more than 4096 bits.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let pem = pem.trim();
        let key = if let Ok(key) = p256::ecdsa::SigningKey::from_pkcs8_pem(pem) {
            Key::Es256(Box::new(key))
        } else {
            let key = rsa::RsaPrivateKey::from_pkcs8_pem(pem);
            let key = key.map_err(|_| KeyError::NotPrivate)?;
            let bits = key.n().bits();
            if !(2048..=4096).contains(&bits) {
                return Err(KeyError::Size(bits));
            }
            Key::Rs256(Box::new(pkcs1v15::SigningKey::new(key)))
        };
        Ok(Self { key })
    }

    /// How it signs.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        match self.key {
            Key::Es256(_) => Algorithm::Es256,
            Key::Rs256(_) => Algorithm::Rs256,
        }
    }

    /// A token of a device that is valid for so long (RFC 7515 §7.1, RFC 7519 §3). The same of the same: a signature of ECDSA is
    /// that of RFC 6979.
    #[must_use]
    pub fn token(&self, device: &DevicePath, issued_at: UnixTime, life: Duration) -> String {
        let header = json!({"alg": self.algorithm().name(), "typ": "JWT"});
        let expires_at = issued_at.0.saturating_add(life.as_nanos() / 1_000_000_000);
        let claims = json!({"iat": issued_at.0, "exp": expires_at, "aud": device.project()});
        let [header, claims] = [header, claims].map(|it| URL_SAFE_NO_PAD.encode(it.to_string()));
        let signed = format!("{header}.{claims}");
        let signature = match &self.key {
            Key::Es256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(signed.as_bytes());
                signature.to_vec()
            }
            Key::Rs256(key) => key.sign(signed.as_bytes()).to_vec(),
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

impl fmt::Debug for PrivateKey {
    /// Tells nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({})", self.algorithm().name())
    }
}
