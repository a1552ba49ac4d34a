//! What two endpoints do to each other, over wires of every kind.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod blocks;
mod changer;
mod conditions;
mod harness;
mod hostile_input;
mod hostile_server;
mod messages;
mod observe;
mod observing_proxy;
mod peer;
mod stream_bounds;
mod streams;
mod topics;
mod transfers;
