//! The event loop that drives hosts and links. It knows no protocol and no impairment.
//!
//! Events have a total order: by time, links before hosts, then by number. Every machine has at most one
//! wake-up; arming again replaces it. So a run is a function of its machines alone, and its cost does not
//! depend on the machines that sleep.
//!
//! Machines that no chain of wires joins cannot hear of each other, so their order does not matter.
//! [`Simulation::order_by_parts`] makes use of that: its events keep their order within a part only.
//!
//! On a clock that waits, a run may have to do with the world outside: the clock says that something has come, and the
//! hosts that are open to the outside ([`Simulation::open_to_outside`]) look what it is. Then an event happens when it
//! is served, and the observer is told how late that was.

mod observer;
mod parts;
mod simulation;
mod virtual_clock;
mod wake_up_queue;

pub use observer::Observer;
pub use simulation::{FORESIGHT, HostId, LinkId, OutagePlace, Outcome, STALL_LIMIT, Simulation};
pub use virtual_clock::VirtualClock;
