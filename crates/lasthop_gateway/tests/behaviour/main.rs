//! How the gateway behaves: whom it believes, and what it lets a device do.
#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod attaching;
mod bad_tokens;
mod clock_jumps;
mod devices;
mod rotation;
mod signer;
mod tokens;
