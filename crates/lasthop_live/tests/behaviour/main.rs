//! Runs on the wall clock, on pairs of sockets, which need no rights.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clock_jumps;
mod emulator;
mod flow_links;
mod host_on_device;
mod kernel_sockets;
mod one_loop;
mod relay;
