use core::fmt;
use std::sync::Arc;

use lasthop_contract::RandomStream;
use p256::pkcs8::LineEnding;
use p256::pkcs8::der::pem::encode_string;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyIdMethod, KeyUsagePurpose, PublicKeyData, SanType, SerialNumber,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ParsedCertificate;
use rustls::sign::{CertifiedKey, SigningKey};
use rustls::{RootCertStore, SignatureScheme};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::{KeyKind, PrivateKey};
use crate::crypto_context::{RUN_STARTS, fill_from};

const DAY: i64 = 24 * 3600;
/// For how long certificates of a run are valid from its start on: longer than any run.
const VALIDITY: i64 = 10 * 365 * DAY;

/// The certificate authority of a run: a root that all hosts trust, and its keys.
#[derive(Debug)]
pub struct Authority {
    kind: KeyKind,
    root: CertificateDer<'static>,
    signer: Issuer<'static, PrivateKey>,
    stream: RandomStream,
}

/// The content of a certificate to issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The host name in the certificate.
    pub name: String,
    /// The number of certificates in the chain, intermediate ones included; at least 1.
    pub length: u8,
    /// The start of the certificate's validity, in seconds from the start of the run.
    pub valid_from: i64,
    /// The end of the certificate's validity, in seconds from the start of the run.
    pub valid_until: i64,
    /// Whether the certificate is for a client instead of a server.
    pub is_for_client: bool,
}

/// A certificate chain or a bare public key that a host presents, and its private key.
#[derive(Clone)]
pub struct Chain {
    pub(crate) certified: Arc<CertifiedKey>,
    /// Its key, where it is one of a run, which a program of others may have to show.
    key: Option<PrivateKey>,
    /// Whether the public key is shown alone.
    pub(crate) is_raw: bool,
}

/// A certificate chain and its private key as PEM text (RFC 7468). `Debug` does not print them.
#[derive(Clone, PartialEq, Eq)]
pub struct ChainFiles {
    /// The certificates as PEM, the host's own first.
    pub certificates: String,
    /// The private key as PEM.
    pub key: String,
}

impl Issue {
    /// Creates the content of a server certificate that is valid in any run.
    #[must_use]
    pub fn of_server(name: &str, length: u8) -> Self {
        Self {
            name: name.to_owned(),
            length,
            valid_from: -DAY,
            valid_until: VALIDITY,
            is_for_client: false,
        }
    }

    /// Creates the fields of a client certificate whose validity covers the time of every run.
    #[must_use]
    pub fn of_client(name: &str) -> Self {
        Self {
            is_for_client: true,
            ..Self::of_server(name, 1)
        }
    }
}

impl Authority {
    /// Creates an authority. Its own key and the keys of its certificates are of this kind.
    ///
    /// # Panics
    /// Never: what it writes is of its own.
    #[must_use]
    pub fn new(kind: KeyKind, mut stream: RandomStream) -> Self {
        let key = PrivateKey::generate(kind, &mut stream);
        // Two of one name would be taken for each other.
        let name = format!("Root {:016x}", stream.next_u64());
        let parameters = of_authority(&name, &key, &mut stream);
        let root = parameters.self_signed(&key).expect("it can be signed");
        Self {
            kind,
            root: root.der().clone(),
            signer: Issuer::new(parameters, key),
            stream,
        }
    }

    /// Returns the trusted roots.
    #[must_use]
    pub fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates([self.root.clone()]);
        roots
    }

    /// Returns the trusted roots as PEM (RFC 7468).
    #[must_use]
    pub fn roots_file(&self) -> String {
        certificates_to_pem(core::slice::from_ref(&self.root))
    }

    /// Issues a certificate chain with a new key.
    ///
    /// # Panics
    /// When the name is none of the domain name system.
    #[must_use]
    pub fn issue(&mut self, issue: &Issue) -> Chain {
        let mut chain = Vec::new();
        let mut lowest: Option<Issuer<'static, PrivateKey>> = None;
        for number in 1..issue.length {
            let key = PrivateKey::generate(self.kind, &mut self.stream);
            let name = format!("Intermediate {number}");
            let parameters = of_authority(&name, &key, &mut self.stream);
            let above = lowest.as_ref().unwrap_or(&self.signer);
            let signed = parameters.signed_by(&key, above);
            chain.insert(0, signed.expect("it can be signed").der().clone());
            lowest = Some(Issuer::new(parameters, key));
        }
        let key = PrivateKey::generate(self.kind, &mut self.stream);
        let parameters = of_host(issue, &key, &mut self.stream);
        let above = lowest.as_ref().unwrap_or(&self.signer);
        let signed = parameters.signed_by(&key, above);
        chain.insert(0, signed.expect("it can be signed").der().clone());
        Chain::of(chain, key)
    }
}

impl Chain {
    pub(super) fn of(certificates: Vec<CertificateDer<'static>>, key: PrivateKey) -> Self {
        Self {
            key: Some(key.clone()),
            ..Self::by(certificates, Arc::new(key))
        }
    }

    fn by(certificates: Vec<CertificateDer<'static>>, key: Arc<dyn SigningKey>) -> Self {
        Self {
            certified: Arc::new(CertifiedKey::new(certificates, key)),
            key: None,
            is_raw: false,
        }
    }

    /// Creates a self-signed chain, which is not trusted.
    ///
    /// # Panics
    /// When the name is none of the domain name system.
    #[must_use]
    pub fn self_signed(kind: KeyKind, issue: &Issue, stream: &mut RandomStream) -> Self {
        let key = PrivateKey::generate(kind, stream);
        let parameters = of_host(issue, &key, stream);
        let signed = parameters.self_signed(&key).expect("it can be signed");
        Self::of(vec![signed.der().clone()], key)
    }

    /// Creates a chain from a user's certificates and key, of any kind that ring reads.
    ///
    /// # Errors
    /// When the key cannot be read, or is not that of the first certificate.
    pub fn given(
        certificates: Vec<CertificateDer<'static>>,
        key: &PrivateKeyDer<'_>,
    ) -> Result<Self, rustls::Error> {
        let key = rustls::crypto::ring::sign::any_supported_type(key)?;
        let chain = Self::by(certificates, key);
        chain.certified.keys_match()?;
        Ok(chain)
    }

    /// Returns the public key (SubjectPublicKeyInfo, RFC 5280 section 4.1.2.7) in DER, or `None` if the certificate is
    /// unreadable.
    #[must_use]
    pub fn public_key(&self) -> Option<Vec<u8>> {
        let first = self.certificates().first()?;
        if self.is_raw {
            return Some(first.to_vec());
        }
        let read = ParsedCertificate::try_from(first).ok()?;
        Some(read.subject_public_key_info().to_vec())
    }

    /// Returns the chain with a bare public key (RFC 7250) instead of a certificate, or `None` if the certificate is
    /// unreadable.
    #[must_use]
    pub fn bare(&self) -> Option<Self> {
        let presented = CertificateDer::from(self.public_key()?);
        Some(Self {
            certified: Arc::new(CertifiedKey::new(
                vec![presented],
                Arc::clone(&self.certified.key),
            )),
            key: self.key.clone(),
            is_raw: true,
        })
    }

    /// Signs a message by ECDSA on P-256 with SHA-256. Returns `None` if the key is of another kind.
    #[must_use]
    pub fn sign_ecdsa_p256(&self, message: &[u8]) -> Option<Vec<u8>> {
        let scheme = SignatureScheme::ECDSA_NISTP256_SHA256;
        let signer = self.certified.key.choose_scheme(&[scheme])?;
        signer.sign(message).ok()
    }

    /// Returns the chain and its key as PEM text. Returns `None` for a key that the user supplied.
    #[must_use]
    pub fn to_files(&self) -> Option<ChainFiles> {
        Some(ChainFiles {
            certificates: certificates_to_pem(self.certificates()),
            key: self.key.as_ref()?.to_pem(),
        })
    }

    /// Returns the certificates, the host's own first.
    #[must_use]
    pub fn certificates(&self) -> &[CertificateDer<'static>] {
        &self.certified.cert
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chain({} certificates)", self.certified.cert.len())
    }
}

impl fmt::Debug for ChainFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChainFiles")
    }
}

fn certificates_to_pem(certificates: &[CertificateDer<'static>]) -> String {
    let texts = certificates.iter();
    let texts = texts.map(|it| encode_string("CERTIFICATE", LineEnding::LF, it));
    let text: Result<String, _> = texts.collect();
    text.expect("a certificate can be written")
}

fn of_authority(name: &str, key: &PrivateKey, stream: &mut RandomStream) -> CertificateParams {
    let mut parameters = of_any(name, key, stream, (-DAY, VALIDITY));
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    parameters
}

fn of_host(issue: &Issue, key: &PrivateKey, stream: &mut RandomStream) -> CertificateParams {
    let name = issue.name.as_str().try_into().expect("it is a name");
    let validity = (issue.valid_from, issue.valid_until);
    let mut parameters = of_any(&issue.name, key, stream, validity);
    parameters.subject_alt_names = vec![SanType::DnsName(name)];
    parameters.is_ca = IsCa::ExplicitNoCa;
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![match issue.is_for_client {
        true => ExtendedKeyUsagePurpose::ClientAuth,
        false => ExtendedKeyUsagePurpose::ServerAuth,
    }];
    parameters.use_authority_key_identifier_extension = true;
    parameters
}

fn of_any(
    name: &str,
    key: &PrivateKey,
    stream: &mut RandomStream,
    (from, until): (i64, i64),
) -> CertificateParams {
    let mut distinguished_name = DistinguishedName::new();
    distinguished_name.push(DnType::CommonName, name);
    let mut serial = [0; 16];
    fill_from(stream, &mut serial);
    // Positive, and of one length.
    serial[0] = 0x40 | serial[0] & 0x3f;
    // The first 160 bits of the digest (RFC 7093 section 2).
    let identifier = Sha256::digest(key.der_bytes())[..20].to_vec();
    let mut parameters = CertificateParams::default();
    parameters.not_before = date(from);
    parameters.not_after = date(until);
    parameters.serial_number = Some(SerialNumber::from_slice(&serial));
    parameters.distinguished_name = distinguished_name;
    parameters.key_identifier_method = KeyIdMethod::PreSpecified(identifier);
    parameters
}

fn date(since_start: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(RUN_STARTS as i64 + since_start).expect("it has a date")
}
