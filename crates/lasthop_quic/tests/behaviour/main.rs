//! QUIC over UDP, two ends and the wire between them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod endings;
mod handshakes;
mod ledger;
mod limits;
mod losses;
mod moving;
mod qlog;
mod streams;
mod tap;
mod world;
