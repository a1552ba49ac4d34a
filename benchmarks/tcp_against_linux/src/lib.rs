//! The grid of conditions under which our TCP and the kernel's are held against each other.
//!
//! A flow is known by its client's port: it says the [`Cell`] and the flow's number in it. So a relay needs no
//! list, and a flow meets the same path, with the same losses, whichever TCP drives it.

mod cell;
mod ends;
mod flow;
mod grid;
mod kernel;
mod trace;
mod virtual_flow;
mod workload;

pub use cell::{Cell, CongestionControl};
pub use ends::Times;
pub use flow::Flow;
pub use kernel::{Client, Server};
pub use trace::Trace;
pub use virtual_flow::VirtualFlow;
pub use workload::Workload;
