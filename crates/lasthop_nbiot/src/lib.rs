//! An NB-IoT network as one link: real packets through random access, repetitions, half duplex and coverage
//! levels, under as many as 84 cells of load.

pub mod cell;
pub mod channel;
pub mod config;
pub mod deployment;
mod device;
mod mixed;
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
