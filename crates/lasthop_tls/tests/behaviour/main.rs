//! TLS between two hosts over TCP, in virtual time.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod certificates;
mod closing;
mod handshakes;
mod hostile;
mod ledger;
mod null_ciphers;
mod resumption;
mod tap;
mod world;
