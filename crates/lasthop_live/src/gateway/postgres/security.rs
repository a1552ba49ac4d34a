use std::io;
use std::sync::Arc;

use lasthop_tls::{AnyCertificate, roots_of_pem};
use postgres::config::SslMode;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::gateway::GatewayError;

/// The security of a PostgreSQL connection, as in `sslmode` of libpq. Authorities are PEM.
#[derive(Clone, Copy, Debug)]
pub enum PostgresSecurity<'a> {
    /// Without TLS.
    Disable,
    /// With TLS if the server supports it, without authentication. Protects against eavesdroppers only.
    Prefer,
    /// With TLS, without authentication of the server.
    Require,
    /// With TLS. The server's certificate must be signed by one of these authorities.
    VerifyCa(&'a [u8]),
    /// With TLS. The certificate must be signed by one of these authorities and be valid for the host name.
    VerifyFull(&'a [u8]),
}

/// The TLS layer of a connection.
pub(super) struct Secured {
    pub(super) mode: SslMode,
    pub(super) connector: Option<MakeRustlsConnect>,
}

impl PostgresSecurity<'_> {
    pub(super) fn secured(self) -> Result<Secured, GatewayError> {
        let provider = Arc::new(ring::default_provider());
        let (mode, verifier): (_, Arc<dyn ServerCertVerifier>) = match self {
            Self::Disable => {
                return Ok(Secured {
                    mode: SslMode::Disable,
                    connector: None,
                });
            }
            Self::Prefer => (SslMode::Prefer, Arc::new(AnyCertificate::by(&provider))),
            Self::Require => (SslMode::Require, Arc::new(AnyCertificate::by(&provider))),
            Self::VerifyCa(roots) => {
                let chain = Chain(verifier(roots, &provider)?);
                (SslMode::Require, Arc::new(chain))
            }
            Self::VerifyFull(roots) => (SslMode::Require, verifier(roots, &provider)?),
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error))?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        Ok(Secured {
            mode,
            connector: Some(MakeRustlsConnect::new(config)),
        })
    }
}

fn verifier(
    roots: &[u8],
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, GatewayError> {
    let roots = roots_of_pem(roots).map_err(|error| unusable(&error))?;
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| unusable(&error))
}

fn unusable(error: &dyn core::fmt::Display) -> GatewayError {
    GatewayError::Refused(error.to_string())
}

/// Returns the reason of a failed handshake in words, or `None` for other errors.
pub(super) fn words_of(mut error: &(dyn core::error::Error + 'static)) -> Option<String> {
    loop {
        let io = error.downcast_ref::<io::Error>();
        let inner = io.and_then(io::Error::get_ref);
        let inner = inner.and_then(|it| it.downcast_ref::<Error>());
        if let Some(failure) = inner {
            return Some(describe(failure));
        }
        error = error.source()?;
    }
}

fn describe(failure: &Error) -> String {
    use CertificateError as Bad;
    match failure {
        Error::InvalidCertificate(Bad::UnknownIssuer) => {
            "its certificate is of no authority of sslrootcert; name the file of the one that signed it".into()
        }
        Error::InvalidCertificate(Bad::NotValidForName | Bad::NotValidForNameContext { .. }) => {
            "its certificate is for another host; name the host that it is for, or write sslmode=verify-ca".into()
        }
        Error::InvalidCertificate(Bad::Expired | Bad::ExpiredContext { .. }) => {
            "its certificate has expired; give the server a new one".into()
        }
        other => format!("no TLS: {other}"),
    }
}

/// Believes a certificate of an authority, whatever name it has.
#[derive(Debug)]
struct Chain(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for Chain {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        // The name is looked at last.
        match self.0.verify_server_cert(end, others, name, ocsp, now) {
            Err(Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => {
                Ok(ServerCertVerified::assertion())
            }
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
