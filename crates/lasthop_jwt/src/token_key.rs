use core::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa;
use p256::pkcs8::DecodePrivateKey;
use rsa::pkcs1v15;
use rsa::sha2::Sha256;
use rsa::signature::{SignatureEncoding, Signer};
use rsa::traits::PublicKeyParts;
use thiserror::Error;

/// A private key that signs tokens, either P-256 (`ES256`, RFC 7518 section 3.4) or RSA (`RS256`, §3.3).
pub struct TokenKey {
    key: Key,
}

enum Key {
    Es256(Box<ecdsa::SigningKey>),
    Rs256(Box<pkcs1v15::SigningKey<Sha256>>),
}

/// Why a key cannot sign tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenKeyError {
    /// Not the PEM of a private key.
    #[error(
        "this is no private key of P-256 or RSA that is not encrypted; write one by: \
         openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"
    )]
    NotPrivate,
    /// The RSA key is too short or too long.
    #[error("a key of RSA has 2048 to 4096 bits; this one has {0}")]
    Size(u32),
}

impl TokenKey {
    /// Reads an unencrypted private key in PEM, `-----BEGIN PRIVATE KEY-----` (RFC 7468 section 10).
    ///
    /// # Errors
    /// When it is none of P-256 or RSA, or an RSA key of fewer than 2048 or more than 4096 bits.
    pub fn from_pem(pem: &str) -> Result<Self, TokenKeyError> {
        let pem = pem.trim();
        if let Ok(key) = ecdsa::SigningKey::from_pkcs8_pem(pem) {
            return Ok(key.into());
        }
        let key = rsa::PrivateKey::from_pkcs8_pem(pem);
        let key = key.map_err(|_| TokenKeyError::NotPrivate)?;
        let bits = key.n().bit_width();
        if !(2048..=4096).contains(&bits) {
            return Err(TokenKeyError::Size(bits));
        }
        let key = Key::Rs256(Box::new(pkcs1v15::SigningKey::new(key)));
        Ok(Self { key })
    }

    /// Returns the name of the signature algorithm in tokens.
    #[must_use]
    pub const fn algorithm(&self) -> &'static str {
        match self.key {
            Key::Es256(_) => "ES256",
            Key::Rs256(_) => "RS256",
        }
    }

    /// Creates a token for an audience, with its times in seconds since 1970 (RFC 7515 section 7.1, RFC 7519 section
    /// 3). Equal arguments give equal tokens, because ECDSA signatures follow RFC 6979. An audience is the name of a
    /// project, which needs no escapes.
    #[must_use]
    pub fn token(&self, audience: &str, issued_at: u64, expires_at: u64) -> String {
        let header = format!(r#"{{"alg":"{}","typ":"JWT"}}"#, self.algorithm());
        let claims = format!(r#"{{"aud":"{audience}","iat":{issued_at},"exp":{expires_at}}}"#);
        let [header, claims] = [header, claims].map(|it| URL_SAFE_NO_PAD.encode(it));
        let signed = format!("{header}.{claims}");
        let signature = match &self.key {
            Key::Es256(key) => {
                let signature: ecdsa::Signature = key.sign(signed.as_bytes());
                signature.to_vec()
            }
            Key::Rs256(key) => key.sign(signed.as_bytes()).to_vec(),
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

impl From<ecdsa::SigningKey> for TokenKey {
    fn from(key: ecdsa::SigningKey) -> Self {
        let key = Key::Es256(Box::new(key));
        Self { key }
    }
}

impl fmt::Debug for TokenKey {
    /// Tells nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenKey({})", self.algorithm())
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::signature::Verifier;
    use p256::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};

    use super::*;

    #[test]
    fn a_token_is_signed_by_its_key_and_the_key_is_never_shown() {
        let key = ecdsa::SigningKey::from_slice(&[1; 32]).unwrap();
        let public = *key.verifying_key();
        let pem = key.to_pkcs8_pem(LineEnding::LF).unwrap();
        let key = TokenKey::from_pem(&pem).unwrap();
        let token = key.token("p1", 1, 3601);
        assert_eq!(key.token("p1", 1, 3601), token);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let signature = ecdsa::Signature::from_slice(&signature).unwrap();
        assert!(public.verify(signed.as_bytes(), &signature).is_ok());
        let (header, claims) = signed.split_once('.').unwrap();
        let [header, claims] = [header, claims].map(|it| URL_SAFE_NO_PAD.decode(it).unwrap());
        assert_eq!(header, br#"{"alg":"ES256","typ":"JWT"}"#);
        assert_eq!(claims, br#"{"aud":"p1","iat":1,"exp":3601}"#);
        assert_eq!(format!("{key:?}"), "TokenKey(ES256)");
        let public = public.to_public_key_pem(LineEnding::LF).unwrap();
        for bad in ["", "x", &public] {
            let told = TokenKey::from_pem(bad).unwrap_err();
            assert_eq!(told, TokenKeyError::NotPrivate);
        }
    }
}
