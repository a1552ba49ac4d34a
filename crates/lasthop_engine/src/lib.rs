//! The event loop that drives hosts and links. It knows no protocol and no impairment.
//!
//! Events have a total order: by time, links before hosts, then by number. Every machine has at most one
//! wake-up; arming again replaces it. So a run is a function of its machines alone, and its cost does not
//! depend on the machines that sleep.
//!
//! Machines that no chain of wires joins cannot hear of each other, so their order does not matter.
//! [`Simulation::order_by_parts`] makes use of that: its events keep their order within a part only.

mod observer;
mod parts;
mod simulation;
mod virtual_clock;
mod wake_up_queue;

pub use observer::Observer;
pub use simulation::{FORESIGHT, HostId, LinkId, Outcome, STALL_LIMIT, Simulation};
pub use virtual_clock::VirtualClock;
