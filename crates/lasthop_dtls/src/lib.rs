//! DTLS 1.2 (RFC 6347) and 1.3 (RFC 9147) between a datagram transport and what stands on it.
//!
//! The protocol is dimpl, with what `third_party/dimpl/README.md` names. In a run every random number comes from a named
//! stream and the time is that of the run, so that two runs of a seed agree in every byte; on sockets both are the
//! system's.

mod accepting;
mod clock;
mod connection;
mod crypto_context;
mod dtls;
mod hello;
mod hello_fragments;
mod key_file;
mod labels;
mod profile;
mod provider;
mod records;
mod resumption;
mod retry;
mod secrets;

pub use dtls::Dtls;
pub use key_file::{KeyFileError, KeyFileProblem};
pub use profile::{ClientProfile, ServerProfile, Settings, Version};
pub use secrets::{PreSharedKey, PreSharedKeys};
