//! What an extension module is made with: runs of a registry of applications and layers, for Python.
//!
//! `lasthop._native` offers those of the project; a module of one's own offers more, and `lasthop run` finds it by the
//! entry point group `lasthop.stacks`. `lasthop init --extension NAME` writes one.

mod beside;
mod cancel;
mod credentials;
mod errors;
mod explain;
mod load;
mod run_tables;
mod runs;

pub use cancel::Cancel;
pub use errors::{CaptureError, RunCancelled, SpecError};
pub use run_tables::RunTables;
pub use runs::offer;
