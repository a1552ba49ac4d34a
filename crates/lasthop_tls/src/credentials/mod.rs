//! Keys and certificates: made for a run from its seed, or read from what a user has.

mod authority;
mod given;
mod private_key;

pub use authority::{Authority, Chain, ChainFiles, Issue};
pub use given::{CredentialError, CredentialFile, CredentialFiles, Given, roots_of_pem};
pub use private_key::{KeyKind, PrivateKey};
