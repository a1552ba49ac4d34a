use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;

use super::Chain;

/// What is wrong with credentials that a user has. Their text is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CredentialError {
    /// A file of certificates has none that can be read.
    #[error("there is no certificate in it; a PEM file is wanted")]
    NoCertificate,
    /// A file of a key has none that can be read.
    #[error("there is no private key in it; a PEM file without a password is wanted")]
    NoKey,
    /// The key is of another certificate, or of a kind that is not known.
    #[error("the key is not that of the certificate")]
    Mismatch,
}

impl Chain {
    /// A chain, the host's certificate first, and its key, as PEM (RFC 7468).
    ///
    /// # Errors
    /// When one of them cannot be read, or they do not belong together.
    pub fn of_pem(certificates: &[u8], key: &[u8]) -> Result<Self, CredentialError> {
        let certificates = certificates_of(certificates)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| CredentialError::NoKey)?;
        Self::given(certificates, &key).map_err(|_| CredentialError::Mismatch)
    }
}

/// Roots that a user has, as PEM (RFC 7468).
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
