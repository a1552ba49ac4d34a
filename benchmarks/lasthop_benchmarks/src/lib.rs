//! What the programs of this package measure: runs of datagram pairs, and the host that measures them.
//!
//! `datagram_pairs` measures CPU time a message; `memory` measures bytes an object and checks the limits that
//! `benchmarks/memory.md` states.

mod datagram_pairs;
mod usage;

pub use datagram_pairs::{DatagramPairs, DatagramStack, UnknownStack};
pub use usage::{UsageError, cpu_time, peak_memory_mib};
