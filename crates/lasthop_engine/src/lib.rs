//! The event loop that drives hosts and links. It knows no protocol and no impairment.
//!
//! Events have a total order: by time, links before hosts, then by number. Every machine has at most one
//! wake-up; arming again replaces it. So a run is a function of its machines alone, and its cost does not
//! depend on the machines that sleep.

mod observer;
mod simulation;
mod virtual_clock;
mod wake_up_queue;

pub use observer::Observer;
pub use simulation::{HostId, LinkId, Outcome, STALL_LIMIT, Simulation};
pub use virtual_clock::VirtualClock;
