//! Behaviour of transports, seen through the contract alone.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod hostile_input;
mod hosts;
mod many_streams;
mod record_layer;
mod stream_records;
mod tcp;
mod udp;
