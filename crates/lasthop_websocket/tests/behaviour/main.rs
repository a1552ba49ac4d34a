//! WebSockets over TCP, and over what a test says.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod closing;
mod data;
mod hostile;
mod opening;
mod world;
