//! Keys and certificates: made for a run from its seed, or read from what a user has.

mod authority;
mod private_key;

pub use authority::{Authority, Chain, Issue};
pub use private_key::{KeyKind, PrivateKey};
