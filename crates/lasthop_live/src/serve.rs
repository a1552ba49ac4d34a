//! Our servers on sockets of the kernel.

mod access;
mod doorbell;
mod limits;
mod parts;
mod server;
mod services;

pub use access::{Access, AccessError};
#[cfg(test)]
pub(crate) use doorbell::Nobody;
pub(crate) use doorbell::bell_and_ringer;
pub use limits::{LIMITS, Limit, LimitError, Limits};
pub use server::{Offer, Served, Server};
