//! The event loop that drives hosts and links. It contains no protocol and no impairment.
//!
//! Events have a total order: by time, then links before hosts, then by number. Every machine has at most one wake-up.
//! A new deadline replaces the one before. So a run depends on its machines only, and sleeping machines cost nothing.
//!
//! Machines without a chain of wires between them cannot affect each other, so their order does not matter.
//! [`Simulation::order_by_parts`] uses that: events keep their order within a part only.
//!
//! With a wall clock, input can come from outside of the run. The clock reports it, and the hosts that are open to the
//! outside ([`Simulation::open_to_outside`]) check for it. Events then happen when they are served, and the observer
//! learns how late that was.
//!
//! # Order of calls
//!
//! 1. Create a [`Simulation`] with a clock and an [`Observer`].
//! 2. Add hosts and links, then attach the hosts to ports.
//! 3. Call [`Simulation::run`]. It returns at the observer's horizon, or when all machines are idle.
//! 4. To change the world, call [`Simulation::advance_to`], add or remove machines, and run again.
//! 5. After the last run, call [`Simulation::tell_radio_time`] once, and take the observer back.
//!
//! # Example
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use lasthop_contract::{Direction, Host, HostInput, HostOutput};
//! use lasthop_engine::{Outcome, Simulation, VirtualClock};
//! use lasthop_units::{Duration, Instant};
//! # use lasthop_contract::{DropReason, HostEvent, InterfaceId, Packet, PathId, Spans};
//! # use lasthop_engine::{HostId, LinkId, Observer};
//!
//! /// Waits for an hour.
//! struct Sleeper;
//!
//! impl Host for Sleeper {
//!     fn handle(&mut self, _now: Instant, _input: HostInput) {}
//!
//!     fn poll(&mut self, now: Instant) -> HostOutput {
//!         let end = Instant::ZERO + Duration::from_secs(3600);
//!         HostOutput::WaitUntil((now < end).then_some(end))
//!     }
//! }
//! #
//! # struct Silent;
//! #
//! # impl Observer for Silent {
//! #     fn transmitted(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}
//! #     fn received(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}
//! #     fn dropped(&mut self, _: Instant, _: LinkId, _: &Packet, _: DropReason) {}
//! #     fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: PathId, _: &Spans) {}
//! #     fn host_event(&mut self, _: Instant, _: HostId, _: Direction, _: &HostEvent) {}
//! #     fn horizon(&self) -> Instant {
//! #         Instant::FAR_FUTURE
//! #     }
//! # }
//!
//! let mut simulation = Simulation::new(VirtualClock, Silent);
//! simulation.add_host(Box::new(Sleeper), Direction::Up);
//! let outcome = simulation.run(&AtomicBool::new(false));
//! assert_eq!(outcome, Outcome::Idle);
//! assert_eq!(simulation.now(), Instant::ZERO + Duration::from_secs(3600));
//! ```

mod observer;
mod parts;
mod simulation;
mod virtual_clock;
mod wake_up_queue;

pub use observer::Observer;
pub use simulation::{FORESIGHT, HostId, LinkId, OutagePlace, Outcome, STALL_LIMIT, Simulation};
pub use virtual_clock::VirtualClock;
