//! An NB-IoT network as one link, with up to 84 cells.
//!
//! Packets pass random access, repetitions, half duplex and coverage levels. [`NbIotNetwork`] is a
//! [`Link`](lasthop_contract::Link) with two ports for each device: an even one for its radio, and the next odd one for
//! its server.
//!
//! # Order of calls
//!
//! 1. Choose a configuration in [`config`], for example
//!    [`NetworkConfig::single_device`](config::NetworkConfig::single_device), and create the network with a seed.
//! 2. If the deployment has no places, call [`NbIotNetwork::state_coupling_loss`] before each device is attached.
//! 3. Attach the ports of the device, offer packets, and poll until the network waits.
//! 4. At the end, ask for the last radio times and read [`NbIotNetwork::report`].
//!
//! # Example
//!
//! ```
//! use lasthop_contract::{Link, LinkInput, LinkOutput, Port};
//! use lasthop_nbiot::NbIotNetwork;
//! use lasthop_nbiot::config::NetworkConfig;
//! use lasthop_units::Instant;
//!
//! let now = Instant::ZERO;
//! let mut network = NbIotNetwork::new(NetworkConfig::single_device(144.0), 1)?;
//! network.handle(now, LinkInput::Attach { port: Port(0) });
//! let deadline = loop {
//!     if let LinkOutput::WaitUntil(deadline) = network.poll(now) {
//!         break deadline;
//!     }
//! };
//! assert!(deadline.is_some(), "the device registers");
//! assert_eq!(network.report().devices_attached, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cell;
pub mod channel;
pub mod config;
mod core_network;
pub mod deployment;
mod device;
mod mixed;
mod modules;
pub mod network;
mod nth_least;
mod radio_line;
mod slab;

pub use network::{CellReport, LevelReport, NbIotNetwork, NetworkReport};
pub use radio_line::{RadioEvent, RadioLane, RadioLine, RadioSpan};
pub mod layer2;
pub mod link_tables;
pub mod phy;
pub mod rrc;
