//! Our servers on sockets of the kernel.

mod access;
mod limits;
mod parts;
mod server;
mod services;

pub use access::{Access, AccessError};
pub use limits::{LIMITS, Limit, LimitError, Limits};
pub use server::{Offer, Served, Server};
