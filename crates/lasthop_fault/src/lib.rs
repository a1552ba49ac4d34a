//! Faults aimed at messages of a protocol. They act on a link that parses the passing packets.
//!
//! [`AimedFaults`] stands between two ends, takes no time, and drops the packets in which the messages of its
//! [`AimedFault`]s begin. What is encrypted cannot be read and passes.

mod aimed_fault;
mod aimed_faults;
mod cut_connections;

pub use aimed_fault::{AimedFault, FaultError, FaultKind, Which};
pub use aimed_faults::AimedFaults;
