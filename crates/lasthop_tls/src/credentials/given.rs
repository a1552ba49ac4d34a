use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{CertificateError, Error, RootCertStore};
use sha2::{Digest, Sha256};
use thiserror::Error;
use time::OffsetDateTime;

use super::{Chain, KeyKind, PrivateKey};

/// The reason why credentials are unusable. The error never contains their text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CredentialError {
    /// A certificate file has no readable certificate.
    #[error("there is no certificate in it; a PEM file is wanted")]
    NoCertificate,
    /// A key file has no readable key.
    #[error("there is no private key in it; a PEM file without a password is wanted")]
    NoKey,
    /// The key does not belong to the certificate, or its kind is unknown.
    #[error("the key is not that of the certificate")]
    Mismatch,
    /// The kind of the key is not one of the three that a run supports.
    #[error("runs have keys of ECDSA on P-256, RSA of 2048 bits and Ed25519; this is none of them")]
    OtherKind,
    /// Peers would reject the certificate chain, for this reason.
    #[error("{0}")]
    Refused(String),
}

/// A credential file, to name the one with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialFile {
    /// The certificate chain of the server.
    ServerCertificate,
    /// The private key of the server.
    ServerKey,
    /// The certificate chain of the clients.
    ClientCertificate,
    /// The private key of the clients.
    ClientKey,
    /// The root certificates that both ends trust.
    Roots,
}

/// The credentials of a run as PEM files (RFC 7468), with the roots that verify them.
#[derive(Clone, Copy)]
pub struct CredentialFiles<'a> {
    /// The certificate chain of the server (its own certificate first) and its key.
    pub server: (&'a [u8], &'a [u8]),
    /// The server name that clients request.
    pub name: &'a str,
    /// The certificate chain of the clients and its key.
    pub client: Option<(&'a [u8], &'a [u8])>,
    /// The roots that both ends trust.
    pub roots: &'a [u8],
    /// The start of the run in seconds since 1970.
    pub starts: u64,
}

/// User-supplied credentials of a run, used instead of generated ones.
#[derive(Clone)]
pub struct Given {
    /// The certificate chain of the server.
    pub server: Chain,
    /// The server name that clients request.
    pub name: String,
    /// The certificate chain of clients, for servers that request one.
    pub client: Option<Chain>,
    /// The roots that both ends trust.
    pub roots: Arc<RootCertStore>,
    /// The roots as PEM (RFC 7468).
    pub roots_file: String,
    /// The start of the run in seconds since 1970.
    pub starts: u64,
    /// The kind of the server's key.
    pub key: KeyKind,
    identity: String,
}

impl Given {
    /// Reads credential files and verifies the chains as peers would.
    ///
    /// # Errors
    /// Which file is wrong, and how.
    pub fn read(files: &CredentialFiles<'_>) -> Result<Self, (CredentialFile, CredentialError)> {
        use CredentialFile::{ClientCertificate, ClientKey, Roots, ServerCertificate, ServerKey};

        let roots = roots_of_pem(files.roots).map_err(|why| (Roots, why))?;
        let roots = Arc::new(roots);
        let (server, key) = chain(files.server, ServerCertificate, ServerKey)?;
        let client = match files.client {
            Some(presented) => Some(chain(presented, ClientCertificate, ClientKey)?.0),
            None => None,
        };
        let now = UnixTime::since_unix_epoch(Duration::from_secs(files.starts));
        let refused = |file, error: &Error| (file, CredentialError::Refused(reason(error)));
        let name = ServerName::try_from(files.name.to_owned());
        let name = name.map_err(|_| {
            let why = format!("{:?} is no name of a host", files.name);
            (ServerCertificate, CredentialError::Refused(why))
        })?;
        let provider = Arc::new(ring::default_provider());
        let of_server =
            WebPkiServerVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider));
        let of_server = of_server.build().expect("there is a root");
        if let Some((own, between)) = server.certificates().split_first() {
            let verified = of_server.verify_server_cert(own, between, &name, &[], now);
            verified.map_err(|error| refused(ServerCertificate, &error))?;
        }
        let of_clients = WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), provider);
        let of_clients = of_clients.build().expect("there is a root");
        if let Some((own, between)) = client
            .as_ref()
            .and_then(|it| it.certificates().split_first())
        {
            let verified = of_clients.verify_client_cert(own, between, now);
            verified.map_err(|error| refused(ClientCertificate, &error))?;
        }
        Ok(Self {
            identity: identity(files, &server, client.as_ref()),
            server,
            name: files.name.to_owned(),
            client,
            roots,
            roots_file: String::from_utf8_lossy(files.roots).into_owned(),
            starts: files.starts,
            key,
        })
    }

    /// Returns a digest of the public part of the credentials.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }
}

impl PartialEq for Given {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Given({})", self.identity)
    }
}

impl Chain {
    /// Reads a certificate chain (the host's certificate first) and its key from PEM (RFC 7468).
    ///
    /// # Errors
    /// When one of them cannot be read, or they do not belong together.
    pub fn of_pem(certificates: &[u8], key: &[u8]) -> Result<Self, CredentialError> {
        let certificates = certificates_of(certificates)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| CredentialError::NoKey)?;
        Self::given(certificates, &key).map_err(|_| CredentialError::Mismatch)
    }
}

/// Reads root certificates from PEM (RFC 7468).
///
/// # Errors
/// When there is none that can be read.
pub fn roots_of_pem(certificates: &[u8]) -> Result<RootCertStore, CredentialError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates_of(certificates)?);
    match roots.is_empty() {
        true => Err(CredentialError::NoCertificate),
        false => Ok(roots),
    }
}

fn certificates_of(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CredentialError> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    all.ok()
        .filter(|all| !all.is_empty())
        .ok_or(CredentialError::NoCertificate)
}

/// A chain whose key draws from the run.
fn chain(
    (certificates, key): (&[u8], &[u8]),
    of_certificate: CredentialFile,
    of_key: CredentialFile,
) -> Result<(Chain, KeyKind), (CredentialFile, CredentialError)> {
    let certificates = certificates_of(certificates).map_err(|why| (of_certificate, why))?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| (of_key, CredentialError::NoKey))?;
    let key = PrivateKey::read(&key).ok_or((of_key, CredentialError::OtherKind))?;
    let kind = key.kind();
    let chain = Chain::of(certificates, key);
    chain
        .certified
        .keys_match()
        .map_err(|_| (of_key, CredentialError::Mismatch))?;
    Ok((chain, kind))
}

fn identity(files: &CredentialFiles<'_>, server: &Chain, client: Option<&Chain>) -> String {
    let mut digest = Sha256::new();
    for chain in [Some(server), client].into_iter().flatten() {
        for certificate in chain.certificates() {
            digest.update((certificate.len() as u64).to_le_bytes());
            digest.update(certificate);
        }
        digest.update([0; 8]);
    }
    digest.update(files.roots);
    digest.update(files.name.as_bytes());
    digest.update(files.starts.to_le_bytes());
    let digest = digest.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why a peer would refuse a chain, in words.
fn reason(error: &Error) -> String {
    let Error::InvalidCertificate(why) = error else {
        return "it is no certificate that TLS knows".to_owned();
    };
    match why {
        CertificateError::ExpiredContext { not_after, .. } => {
            format!("it is valid until {} alone", day(*not_after))
        }
        CertificateError::NotValidYetContext { not_before, .. } => {
            format!("it is valid from {} on", day(*not_before))
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is that of another name".to_owned()
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "no root of the roots leads to it".to_owned()
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "it is for another use".to_owned()
        }
        other => format!("{other:?}"),
    }
}

fn day(time: UnixTime) -> String {
    let date = i64::try_from(time.as_secs()).ok();
    let date = date.and_then(|it| OffsetDateTime::from_unix_timestamp(it).ok());
    date.map_or_else(String::new, |date| date.date().to_string())
}
