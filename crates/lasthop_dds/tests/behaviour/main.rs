//! A device and a server over UDP and over TCP, packet by packet.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod channels;
mod hostile;
mod losses;
mod moves;
mod over_tcp;
mod pair;
mod reaching;
mod repairs;
mod restarts;
