//! Models of links: impairments, a WLAN cell, a serial line, and network address translation.
//!
//! A [`DuplexLink`] joins two ports with a pipeline of impairments each way: MTU, outages, loss, rate, delay,
//! corruption and duplication, in an order that can be chosen. A [`Nat`] rewrites addresses and ports and
//! forgets. Both are machines: time is an argument, and randomness comes from streams with names.
//!
//! ```
//! use lasthop_contract::{Cause, Layer, Link, LinkInput, LinkOutput, Packet, Port, Provenance};
//! use lasthop_link::delay::{Constant, Delay};
//! use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
//! use lasthop_units::{Duration, Instant};
//!
//! let slow = Constant { delay: Duration::from_millis(100) };
//! let up = DirectionConfig { delay: Some(Delay::from(slow)), ..DirectionConfig::default() };
//! let config = LinkConfig { up, ..LinkConfig::default() };
//! let mut link = DuplexLink::new(&config, 1, "path/0");
//!
//! let packet = Packet::of(&[0; 40], Provenance::new(Layer::Ip, Cause::Header));
//! link.handle(Instant::ZERO, LinkInput::Offered { port: Port(0), packet });
//! let arrival = Instant::ZERO + Duration::from_millis(100);
//! assert!(matches!(link.poll(Instant::ZERO), LinkOutput::WaitUntil(Some(at)) if at == arrival));
//! assert!(matches!(link.poll(arrival), LinkOutput::Deliver { port: Port(1), .. }));
//! assert!(matches!(link.poll(arrival), LinkOutput::WaitUntil(None)));
//! ```

mod config;
mod duplex;
mod in_flight;
mod junction;
pub mod nat;
mod pipeline;
pub mod serial;
mod shared;
pub mod stage;
pub mod wlan;

pub use config::{ConfigError, LinkConfig};
pub use duplex::DuplexLink;
pub use junction::Junction;
pub use nat::{Nat, NatConfig};
pub use shared::SharedLink;
pub use stage::{
    Block, Corrupt, DirectionConfig, Duplicate, Mtu, Outage, OutageSchedule, Stage, StageOrder,
    delay, loss, rate,
};
