//! Containment of panics: a panic ends the connection that was being processed, and no other.
//!
//! Each turn of a service runs within [`attempt`]: a call of its application ([`ContainedApplication`]) or of its transport
//! ([`ContainedTransport`]). [`Sockets`] stand below all layers and know which connection was worked on. After a panic they
//! reset it with [`ResetReason::Failed`](lasthop_contract::ResetReason::Failed); each layer above then drops what it holds for
//! that connection without asking it.
//!
//! What connections share survives: the layers hold no lock across a turn, what they lend to a library comes back when the
//! stack unwinds, and a core that applications share is borrowed for one call.

mod application;
mod attempt;
mod failures;
mod layer;
mod sockets;
mod transport;
mod turn;

pub(crate) use application::ContainedApplication;
pub(crate) use attempt::{Panic, attempt};
pub(crate) use failures::Failures;
pub(crate) use layer::Layer;
pub(crate) use sockets::{Peers, Sockets};
pub(crate) use transport::ContainedTransport;
pub(crate) use turn::Turn;

#[cfg(panic = "abort")]
compile_error!("a panic must unwind: otherwise one connection ends the server of all");

#[cfg(test)]
mod brittle;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use brittle::Brittle;
