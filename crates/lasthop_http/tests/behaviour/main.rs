//! Both ends of HTTP over a transport that does what a test says.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod asking;
mod device;
mod hostile;
mod not_reading;
mod over_quic;
mod qpack;
mod three;
mod two;
mod world;
