use core::fmt;
use std::sync::Arc;

use ed25519_dalek::Signer as _;
use ed25519_dalek::pkcs8::KeypairBytes;
use lasthop_contract::RandomStream;
use p256::ecdsa;
use p256::elliptic_curve::Generate;
use p256::pkcs8::{DecodePrivateKey, EncodePrivateKey, LineEnding};
use rcgen::{PublicKeyData, SignatureAlgorithm as CertificateAlgorithm};
use rsa::pkcs1::{DecodeRsaPrivateKey, EncodeRsaPublicKey};
use rsa::signature::{RandomizedSigner, SignatureEncoding};
use rsa::traits::PublicKeyParts;
use rsa::{PrivateKey as RsaPrivateKey, pkcs1v15, pss};
use rustls::pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use sha2::Sha256;

use crate::crypto_context::CryptoContext;
use crate::provider::Drawn;

/// The kind of a private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// ECDSA on P-256 with SHA-256 and the nonces of RFC 6979.
    EcdsaP256,
    /// RSA with a modulus of 2048 bits: PSS in TLS, PKCS #1 v1.5 in certificates.
    Rsa2048,
    /// Ed25519 (RFC 8032).
    Ed25519,
}

/// A generated private key. `Debug` does not print it.
#[derive(Clone)]
pub struct PrivateKey {
    secret: Arc<Secret>,
    /// As certificates have it.
    public: Arc<[u8]>,
}

enum Secret {
    EcdsaP256(ecdsa::SigningKey),
    Rsa2048(Box<RsaPrivateKey>),
    Ed25519(ed25519_dalek::SigningKey),
}

impl PrivateKey {
    /// Generates a key of a kind from a random stream.
    ///
    /// # Panics
    /// Never: the numbers of a stream do not end.
    #[must_use]
    pub fn generate(kind: KeyKind, stream: &mut RandomStream) -> Self {
        let mut random = Drawn(stream);
        match kind {
            KeyKind::EcdsaP256 => {
                let secret = ecdsa::SigningKey::generate_from_rng(&mut random);
                let point = secret.verifying_key().to_sec1_point(false);
                Self::of(Secret::EcdsaP256(secret), point.as_bytes())
            }
            KeyKind::Rsa2048 => {
                let secret = RsaPrivateKey::new(&mut random, 2048).expect("the size is allowed");
                let public = secret.to_public_key().to_pkcs1_der();
                let public = public.expect("a key can be written");
                Self::of(Secret::Rsa2048(Box::new(secret)), public.as_bytes())
            }
            KeyKind::Ed25519 => {
                let mut seed = [0; 32];
                crate::crypto_context::fill_from(random.0, &mut seed);
                let secret = ed25519_dalek::SigningKey::from_bytes(&seed);
                let public = secret.verifying_key().to_bytes();
                Self::of(Secret::Ed25519(secret), &public)
            }
        }
    }

    /// A key that a user has, where it is of a kind of runs.
    pub(super) fn read(key: &PrivateKeyDer<'_>) -> Option<Self> {
        let der = key.secret_der();
        let on_curve = match key {
            PrivateKeyDer::Sec1(_) => p256::SecretKey::from_sec1_der(der).ok(),
            _ => p256::SecretKey::from_pkcs8_der(der).ok(),
        };
        if let Some(key) = on_curve {
            let secret = ecdsa::SigningKey::from(key);
            let point = secret.verifying_key().to_sec1_point(false);
            return Some(Self::of(Secret::EcdsaP256(secret), point.as_bytes()));
        }
        if let Ok(secret) = ed25519_dalek::SigningKey::from_pkcs8_der(der) {
            let public = secret.verifying_key().to_bytes();
            return Some(Self::of(Secret::Ed25519(secret), &public));
        }
        let secret = match key {
            PrivateKeyDer::Pkcs1(_) => RsaPrivateKey::from_pkcs1_der(der).ok(),
            _ => RsaPrivateKey::from_pkcs8_der(der).ok(),
        };
        let secret = secret.filter(|secret| secret.size() == RSA_2048_BYTES)?;
        let public = secret.to_public_key().to_pkcs1_der().ok()?;
        Some(Self::of(
            Secret::Rsa2048(Box::new(secret)),
            public.as_bytes(),
        ))
    }

    fn of(secret: Secret, public: &[u8]) -> Self {
        Self {
            secret: Arc::new(secret),
            public: public.into(),
        }
    }

    /// Returns the kind of the key.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        match &*self.secret {
            Secret::EcdsaP256(_) => KeyKind::EcdsaP256,
            Secret::Rsa2048(_) => KeyKind::Rsa2048,
            Secret::Ed25519(_) => KeyKind::Ed25519,
        }
    }

    /// The key itself, PKCS #8 (RFC 5958) in PEM, for a program that shows its certificate.
    pub(super) fn to_pem(&self) -> String {
        let text = match &*self.secret {
            Secret::EcdsaP256(key) => key.to_pkcs8_pem(LineEnding::LF),
            Secret::Rsa2048(key) => key.to_pkcs8_pem(LineEnding::LF),
            // Without the public key, which OpenSSL 3.0 does not read there.
            Secret::Ed25519(key) => KeypairBytes {
                secret_key: key.to_bytes(),
                public_key: None,
            }
            .to_pkcs8_pem(LineEnding::LF),
        };
        text.expect("a key can be written").to_string()
    }

    fn schemes(&self) -> &'static [SignatureScheme] {
        match self.kind() {
            KeyKind::EcdsaP256 => &[SignatureScheme::ECDSA_NISTP256_SHA256],
            KeyKind::Rsa2048 => &[
                SignatureScheme::RSA_PSS_SHA256,
                SignatureScheme::RSA_PKCS1_SHA256,
            ],
            KeyKind::Ed25519 => &[SignatureScheme::ED25519],
        }
    }

    fn sign_by(&self, scheme: SignatureScheme, message: &[u8]) -> Option<Vec<u8>> {
        Some(match &*self.secret {
            Secret::EcdsaP256(key) => {
                let signature: ecdsa::DerSignature = key.sign(message);
                signature.as_bytes().to_vec()
            }
            Secret::Rsa2048(key) if scheme == SignatureScheme::RSA_PSS_SHA256 => {
                let key = pss::SigningKey::<Sha256>::new((**key).clone());
                let salted = CryptoContext::with(|it| {
                    let stream = it.random.as_mut()?;
                    key.try_sign_with_rng(&mut Drawn(stream), message).ok()
                })??;
                salted.to_vec()
            }
            Secret::Rsa2048(key) => {
                let key = pkcs1v15::SigningKey::<Sha256>::new((**key).clone());
                rsa::signature::Signer::try_sign(&key, message)
                    .ok()?
                    .to_vec()
            }
            Secret::Ed25519(key) => key.sign(message).to_bytes().to_vec(),
        })
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({:?})", self.kind())
    }
}

impl PublicKeyData for PrivateKey {
    fn der_bytes(&self) -> &[u8] {
        &self.public
    }

    fn algorithm(&self) -> &'static CertificateAlgorithm {
        match self.kind() {
            KeyKind::EcdsaP256 => &rcgen::PKCS_ECDSA_P256_SHA256,
            KeyKind::Rsa2048 => &rcgen::PKCS_RSA_SHA256,
            KeyKind::Ed25519 => &rcgen::PKCS_ED25519,
        }
    }
}

impl rcgen::SigningKey for PrivateKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
        // Of RSA the one of certificates.
        let scheme = self.schemes().last().copied();
        let signed = scheme.and_then(|scheme| self.sign_by(scheme, message));
        signed.ok_or(rcgen::Error::RemoteKeyError)
    }
}

/// The length of a modulus of 2048 bits.
const RSA_2048_BYTES: usize = 256;

impl SigningKey for PrivateKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let mut schemes = self.schemes().iter().copied();
        let scheme = schemes.find(|scheme| offered.contains(scheme))?;
        let key = self.clone();
        Some(Box::new(ByScheme { key, scheme }))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match self.kind() {
            KeyKind::EcdsaP256 => SignatureAlgorithm::ECDSA,
            KeyKind::Rsa2048 => SignatureAlgorithm::RSA,
            KeyKind::Ed25519 => SignatureAlgorithm::ED25519,
        }
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(self.subject_public_key_info().into())
    }
}

#[derive(Debug)]
struct ByScheme {
    key: PrivateKey,
    scheme: SignatureScheme,
}

impl Signer for ByScheme {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let signed = self.key.sign_by(self.scheme, message);
        signed.ok_or(Error::FailedToGetRandomBytes)
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }
}
