use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::pkcs8::DecodePublicKey;
use ring::digest::{SHA256, digest};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use rsa::traits::PublicKeyParts;
use thiserror::Error;

/// The SHA-256 of a key's SubjectPublicKeyInfo in DER.
///
/// `openssl pkey -pubin -outform der | sha256sum` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(pub [u8; 32]);

/// The public key of a device.
///
/// It determines the algorithm of its tokens; the algorithm in a token is only compared with it.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    pem: Box<str>,
    fingerprint: Fingerprint,
    key: Key,
}

#[derive(Clone, PartialEq, Eq)]
enum Key {
    /// The uncompressed point (SEC 1).
    Es256(Box<[u8]>),
    Rs256 {
        modulus: Box<[u8]>,
        exponent: Box<[u8]>,
    },
}

/// The signature algorithm of tokens (RFC 7518 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
}

/// Why a public key is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The text is not the PEM of a supported public key.
    #[error("this is no public key of P-256 or RSA; have it written by: openssl pkey -pubout")]
    Unknown,
    /// The RSA key is too short or too long.
    #[error("a key of RSA has 2048 to 4096 bits; this one has {0}")]
    Size(u32),
}

/// No PEM of a public key is longer.
const MAX_PEM_SIZE: usize = 4096;

impl Algorithm {
    /// Returns the name in tokens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
        }
    }
}

impl PublicKey {
    /// Parses a public key in PEM, `-----BEGIN PUBLIC KEY-----` (RFC 7468 section 13).
    ///
    /// # Errors
    /// When it is none of P-256 or RSA, or an RSA key of fewer than 2048 or more than 4096 bits.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let pem = pem.trim();
        if pem.len() > MAX_PEM_SIZE {
            return Err(KeyError::Unknown);
        }
        let key = if let Ok(key) = p256::PublicKey::from_public_key_pem(pem) {
            Key::Es256(key.to_sec1_point(false).as_bytes().into())
        } else {
            let key = rsa::PublicKey::from_public_key_pem(pem);
            let key = key.map_err(|_| KeyError::Unknown)?;
            let bits = key.n().bit_width();
            if !(2048..=4096).contains(&bits) {
                return Err(KeyError::Size(bits));
            }
            Key::Rs256 {
                modulus: key.n_bytes(),
                exponent: key.e_bytes(),
            }
        };
        Ok(Self {
            pem: pem.into(),
            fingerprint: Fingerprint::of_pem(pem).ok_or(KeyError::Unknown)?,
            key,
        })
    }

    /// Returns the PEM of the key.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Returns the fingerprint.
    #[must_use]
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Returns the signature algorithm of the key's tokens.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        match self.key {
            Key::Es256(_) => Algorithm::Es256,
            Key::Rs256 { .. } => Algorithm::Rs256,
        }
    }

    /// Whether a signature of a message is valid for this key.
    #[must_use]
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let outcome = match &self.key {
            Key::Es256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            Key::Rs256 { modulus, exponent } => RsaPublicKeyComponents {
                n: modulus,
                e: exponent,
            }
            .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
        };
        outcome.is_ok()
    }
}

impl Fingerprint {
    fn of_pem(pem: &str) -> Option<Self> {
        let lines = pem.lines().map(str::trim);
        let body: String = lines.filter(|line| !line.starts_with('-')).collect();
        let der = STANDARD.decode(body).ok()?;
        let mut sum = [0; 32];
        sum.copy_from_slice(digest(&SHA256, &der).as_ref());
        Some(Self(sum))
    }

    /// Parses the printed form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut sum = [0; 32];
        let is_whole = text.len() == 2 * sum.len() && text.is_ascii();
        for (place, byte) in sum.iter_mut().enumerate() {
            let digits = text.get(2 * place..2 * place + 2).filter(|_| is_whole)?;
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(sum))
    }
}

impl core::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl core::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "PublicKey({})", self.algorithm().name())
    }
}
