//! DDS over RTPS, by participants of `dust_dds` in simulated time and on the transport of a run.
//!
//! A device and a server are one participant each. `dust_dds` makes and reads all RTPS messages; this crate gives it a
//! clock, timers, tasks and a wire ([`runtime`](self), one thread, no operating system), and an [`Application`] around
//! that. Participants know the server from the start and are announced to it alone: discovery is unicast.
//!
//! [`Application`]: lasthop_contract::Application

mod client;
mod config;
mod contact;
mod discovery;
mod early;
mod endpoint;
mod history;
mod infinite;
mod introduction;
mod ordering;
mod pacing;
mod participant;
mod peers;
mod ports;
mod provenance;
mod repeats;
mod rtps_tcp;
mod runtime;
mod sample;
mod server;
mod soundness;
mod submessage;
mod type_lookup;
mod whereabouts;
mod wire;
mod writer;

pub use client::{DdsClient, DdsClientConfig};
pub use config::{Carrier, DdsConfig, Durability, Reliability};
pub use peers::LEASE;
pub use ports::PORT;
pub use rtps_tcp::RtpsTcp;
pub use server::{DdsServer, DdsServerConfig, MAX_FLOWS};

// The locks of dust_dds and its channels are those of the standard library.
use critical_section as _;
