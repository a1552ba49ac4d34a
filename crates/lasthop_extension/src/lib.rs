//! What an extension module is made with: runs of a registry of applications and layers, for Python.
//!
//! `lasthop._native` offers those of the project; a module of one's own offers more, and `lasthop run` finds it by the
//! entry point group `lasthop.stacks`. `lasthop init --extension NAME` writes one. Without the feature `sockets`, which is on
//! unless one says otherwise, it runs on the virtual clock alone, and all its I/O is files.

mod cancel;
mod credentials;
mod errors;
mod explain;
mod outside;
mod run_tables;
mod runs;
mod servers;
#[cfg(feature = "sockets")]
mod sockets;

pub use cancel::Cancel;
pub use errors::{CaptureError, RunCancelled, SpecError};
pub use run_tables::RunTables;
pub use runs::offer;
