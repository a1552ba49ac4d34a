//! TLS 1.2 and 1.3 (RFC 5246, RFC 8446) over a stream transport.
//!
//! The protocol is rustls with its ring provider. In a run every random number comes from a named stream and the time
//! is that of the run, so that two runs of a seed agree in every byte; on sockets both are the system's.

mod any_certificate;
mod connection;
mod credentials;
mod crypto_context;
mod ending;
mod extensions;
mod handshake;
mod key_log;
mod labels;
mod profile;
mod provider;
mod raw_keys;
mod receiving;
mod record_labels;
mod session;
mod stores;
mod tls;
mod trust;
mod workplace;

pub use any_certificate::AnyCertificate;
pub use credentials::{
    Authority, Chain, ChainFiles, CredentialError, CredentialFile, CredentialFiles, Given, Issue,
    KeyKind, PrivateKey, roots_of_pem,
};
pub use crypto_context::RUN_STARTS;
pub use handshake::{Part, WrittenHandshake};
pub use profile::{
    ClientProfile, ClientSettings, Group, Randomness, ServerProfile, ServerSettings, Settings,
    Verify, Version,
};
pub use record_labels::{Spans, add_span, content_type, take_spans};
pub use rustls::RootCertStore;
pub use tls::Tls;
pub use trust::{Trust, is_signed_by};
pub use workplace::Workplace;
