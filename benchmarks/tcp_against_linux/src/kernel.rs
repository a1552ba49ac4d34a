//! The workloads on sockets of the kernel: many flows in one thread, by `epoll`.

mod client;
mod server;

pub use client::Client;
pub use server::Server;
