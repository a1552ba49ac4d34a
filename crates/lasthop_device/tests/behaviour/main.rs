//! Behaviour of the energy account, of batteries, and of hosts whose work takes time.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod battery;
mod busy_host;
mod echo;
mod profile;
mod published;
