//! Test harness for transports and protocols: two ends on a lossy wire, and a scripted transport without packets.

mod pair;
mod wire;

use crate::StreamId;

pub use pair::{Pair, PairEvent};
pub use wire::{Wire, WireEnd};

/// The stream of a connection that has only one.
pub const STREAM: StreamId = StreamId(0);
