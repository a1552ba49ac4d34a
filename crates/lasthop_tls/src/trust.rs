use core::fmt;
use std::sync::Arc;

use lasthop_units::Instant;
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{DerSignature, VerifyingKey};
use p256::pkcs8::DecodePublicKey;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use rustls::{AlertDescription, Error, RootCertStore};

use crate::RUN_STARTS;
use crate::provider::of_certificates;

/// Certificate verification by the rules of TLS, for protocols other than TLS.
#[derive(Clone)]
pub struct Trust {
    believed: Believed,
    /// When the run starts, in seconds since 1970.
    starts: u64,
}

#[derive(Clone)]
enum Believed {
    Server(Arc<WebPkiServerVerifier>, ServerName<'static>),
    Clients(Arc<dyn ClientCertVerifier>),
}

const ROOTS: &str = "there is a root";

impl Trust {
    /// Creates a verifier for a server of this name. Returns `None` for an invalid host name.
    ///
    /// # Panics
    /// When there is no root.
    #[must_use]
    pub fn in_server(roots: Arc<RootCertStore>, name: &str) -> Option<Self> {
        let name = ServerName::try_from(name.to_owned()).ok()?;
        let provider = of_certificates();
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider).build();
        Some(Self::of(Believed::Server(verifier.expect(ROOTS), name)))
    }

    /// Creates a verifier for all clients with a chain to a root.
    ///
    /// # Panics
    /// When there is no root.
    #[must_use]
    pub fn in_clients(roots: Arc<RootCertStore>) -> Self {
        let provider = of_certificates();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
        Self::of(Believed::Clients(verifier.expect(ROOTS)))
    }

    /// Sets the start of the run, in seconds since 1970.
    #[must_use]
    pub fn starting(self, starts: u64) -> Self {
        Self { starts, ..self }
    }

    fn of(believed: Believed) -> Self {
        Self {
            believed,
            starts: RUN_STARTS,
        }
    }

    /// Returns the TLS alert for a certificate that is rejected at this time (RFC 8446 section 6.2), or `None` if it is
    /// accepted.
    #[must_use]
    pub fn refusal(&self, certificate: &[u8], now: Instant) -> Option<u8> {
        let presented = CertificateDer::from(certificate);
        let since_start = core::time::Duration::from_nanos((now - Instant::ZERO).as_nanos());
        let today = core::time::Duration::from_secs(self.starts) + since_start;
        let today = UnixTime::since_unix_epoch(today);
        let believed = match &self.believed {
            Believed::Server(verifier, name) => verifier
                .verify_server_cert(&presented, &[], name, &[], today)
                .map(drop),
            Believed::Clients(verifier) => verifier
                .verify_client_cert(&presented, &[], today)
                .map(drop),
        };
        let alert = match believed.err()? {
            Error::InvalidCertificate(why) => AlertDescription::from(why),
            _ => AlertDescription::BadCertificate,
        };
        Some(alert.into())
    }
}

/// Whether `signature` is a valid ECDSA P-256 signature of the message with SHA-256, by the key of the certificate.
#[must_use]
pub fn is_signed_by(certificate: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let certificate = CertificateDer::from(certificate);
    let Ok(certificate) = ParsedCertificate::try_from(&certificate) else {
        return false;
    };
    let key = VerifyingKey::from_public_key_der(&certificate.subject_public_key_info());
    let (Ok(key), Ok(signature)) = (key, DerSignature::from_bytes(signature)) else {
        return false;
    };
    key.verify(message, &signature).is_ok()
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.believed {
            Believed::Server(..) => "Trust(in a server)",
            Believed::Clients(_) => "Trust(in clients)",
        })
    }
}
