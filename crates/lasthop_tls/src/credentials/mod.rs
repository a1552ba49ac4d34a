//! Keys and certificates: generated from the seed of a run, or read from a user's files.

mod authority;
mod given;
mod private_key;

pub use authority::{Authority, Chain, ChainFiles, Issue};
pub use given::{CredentialError, CredentialFile, CredentialFiles, Given, roots_of_pem};
pub use private_key::{KeyKind, PrivateKey};
