//! A device and a server over UDP, packet by packet.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod hostile;
mod losses;
mod moves;
mod pair;
mod reaching;
mod repairs;
mod restarts;
