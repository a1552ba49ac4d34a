//! An NB-IoT network as one link: real packets through random access, repetitions, half duplex and coverage
//! levels, under as many as 84 cells of load.

pub mod config;
pub mod phy;
pub mod link_tables;
pub mod deployment;
pub mod channel;
pub mod layer2;
pub mod rrc;
pub mod cell;
pub mod device;
