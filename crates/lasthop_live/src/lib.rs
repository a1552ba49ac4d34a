//! The same machines on the wall clock, with real packets.
//!
//! A [`PacketDevice`] is a descriptor that gives and takes whole IP packets, as a TUN device does. A
//! [`HostPump`] runs one of our hosts on it, behind a link of ours; a [`Relay`] joins two devices by a link of
//! ours, so that foreign stacks meet the impairments that our own meet in virtual time. [`FlowLinks`] gives each
//! flow that passes a link of its own.
//!
//! This is the only crate that does I/O. It opens nothing: who starts it makes the devices and hands them over.

mod device;
mod flow_links;
mod host_pump;
mod relay;
mod wall_clock;

pub use device::PacketDevice;
pub use flow_links::{FlowLinks, FlowPorts};
pub use host_pump::HostPump;
pub use relay::Relay;
pub use wall_clock::WallClock;
