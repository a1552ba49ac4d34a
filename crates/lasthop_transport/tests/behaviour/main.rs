//! Behaviour of transports, seen through the contract alone.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod hostile_input;
mod record_layer;
mod tcp;
mod udp;
