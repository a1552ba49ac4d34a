//! What tests of transports and protocols stand on: two ends of a transport on a lossy wire, and a transport without
//! packets that does what it is told.

mod pair;
mod wire;

use crate::StreamId;

pub use pair::{Pair, PairEvent};
pub use wire::{Wire, WireEnd};

/// The stream of a connection that has no other.
pub const STREAM: StreamId = StreamId(0);
