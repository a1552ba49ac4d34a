//! The channel codes of NB-IoT, and their block error rates over white noise.
//!
//! Cyclic redundancy checks, the turbo code, the tail-biting convolutional code and rate matching of TS 36.212,
//! and a [`Simulation`] that counts the blocks which a receiver without any other flaw gets wrong. The program
//! `generate_link_tables` writes what it counts into the tables that `lasthop_nbiot` looks up; nothing of this
//! crate is part of a run.
//!
//! Bits are bytes of 0 or 1. A log-likelihood ratio is positive for a 0, negative for a 1.

pub mod convolutional;
mod crc;
mod modulation;
mod noise;
pub mod rate_matching;
mod simulation;
mod sweep;
mod table;
mod transport_format;
pub mod turbo;

pub use crc::Crc;
pub use modulation::Modulation;
pub use noise::Noise;
pub use simulation::{Count, Simulation};
pub use sweep::{Effort, Sweep};
pub use table::Table;
pub use transport_format::{Carrier, Code, Combining, ControlMessage, Tones, TransportFormat};
