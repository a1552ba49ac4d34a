//! Our servers on sockets of the kernel.

mod limits;
mod server;

pub use limits::{LIMITS, Limit, LimitError, Limits};
pub use server::{Served, Server};
