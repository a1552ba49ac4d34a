//! The cryptography of the library, observed: what a packet says is noted before it is sealed.

mod keys;
mod session;

pub(crate) use keys::{Noted, PlainPacket, taking_notes};
pub(crate) use session::{Agreed, ObservedClient, ObservedServer};
