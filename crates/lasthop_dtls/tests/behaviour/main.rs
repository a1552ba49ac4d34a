//! DTLS between two hosts over UDP, in virtual time.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod certificates;
mod closing;
mod connection_ids;
mod handshakes;
mod hostile;
mod ledger;
mod renewal;
mod resumption;
mod tap;
mod version_1_3;
mod world;
