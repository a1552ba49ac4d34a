//! lasthop's protocol machines in real time, with real packets and sockets.
//!
//! There is one loop, that of [`lasthop_engine`]. Here it gets a [`WallClock`], which waits for deadlines and for what
//! comes from outside, and hosts that are open to the outside. A [`PacketDevice`] is whoever is behind a descriptor
//! that gives and takes whole IP packets, as a TUN device does: [`join`] puts one of our hosts on it behind a link of
//! ours, or joins two of them, so that foreign stacks meet the impairments that our own meet in virtual time.
//! [`FlowLinks`] gives each flow that passes a link of its own, and an [`Emulator`] is the path of a study between two
//! outside ends, or before a server ([`BeforeServer`]), which an [`EmulatorControl`] can change while it works.
//!
//! [`KernelTcp`] and [`KernelUdp`] are transports over sockets of the kernel; a host on one of them is open to the outside,
//! too. On them stand [`serve`], our broker and servers, and [`clients`]; [`gateway`] is what a device gateway keeps.
//!
//! This is the only crate that does I/O.

pub mod clients;
mod containment;
mod crowd;
mod descriptor;
mod device;
mod dtls;
mod emulator;
mod external_server;
mod flow_links;
mod frames;
pub mod gateway;
mod interruptible;
mod kernel;
mod live_run;
mod poller;
mod quic;
mod relay;
mod secured;
pub mod serve;
mod wall_clock;
mod wall_time;
mod watch;

pub use crowd::Crowd;
pub use descriptor::of_this_process;
pub use device::PacketDevice;
pub use dtls::{certified_client, certified_server, keyed_client, keyed_server};
pub use emulator::{
    BeforeServer, ControlEnd, DirectionSummary, EmulationSpec, EmulationSummary, Emulator,
    EmulatorControl, EmulatorError, LatenessLimit, LatenessSummary, OfferedBytes,
    Tally as PacketTally, control, merge_captures,
};
pub use external_server::ExternalServer;
pub use flow_links::{FlowLinks, FlowPorts};
pub use interruptible::InterruptibleClock;
pub use kernel::{ConnectionLimits, KernelTcp, KernelUdp, Listener, ListenerError, Tally};
pub use live_run::{End, LiveRun, join, live_run};
pub use poller::{Lane, Poller};
pub use quic::{QuicOffer, quic_client};
pub use secured::{secured_client, secured_server};
pub use wall_clock::WallClock;
pub use wall_time::{WallCalendar, WallTime};
pub use watch::Watch;
