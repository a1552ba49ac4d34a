//! JSON Web Tokens (RFC 7519) that devices present, the keys that sign them, and the servers of a study that require
//! them.

mod token_authority;
mod token_key;
mod token_source;

pub use token_authority::{TokenAuthority, taken_until};
pub use token_key::{TokenKey, TokenKeyError};
pub use token_source::TokenSource;

/// How long after its expiry a token is accepted, as in Cloud IoT Core. It covers clock differences and network delay.
pub const SKEW_SECONDS: u64 = 600;

const NANOS_A_SECOND: u64 = 1_000_000_000;
