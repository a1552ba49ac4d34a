//! Wrappers around the library's cryptography, which record the content of packets before encryption.

mod keys;
mod session;

pub(crate) use keys::{Noted, PlainPacket, taking_notes};
pub(crate) use session::{Agreed, ObservedClient, ObservedServer};
