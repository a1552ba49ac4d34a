//! Faults that are aimed at messages of a protocol, as a link that reads what passes it.
//!
//! [`AimedFaults`] stands between two ends, takes no time, and drops the packets in which the messages of its
//! [`AimedFault`]s begin. What is encrypted cannot be read and passes.

mod aimed_fault;
mod aimed_faults;
mod cut_connections;

pub use aimed_fault::{AimedFault, FaultError, FaultKind, Which};
pub use aimed_faults::AimedFaults;
