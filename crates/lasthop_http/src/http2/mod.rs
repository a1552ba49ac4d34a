//! HTTP/2 (RFC 9113): concurrent exchanges on one byte stream.
//!
//! The protocol is that of the crate `h2`, whose futures are polled by hand over a pipe in memory: no runtime, no clock.

mod client;
mod frames;
mod pipe;
mod resets;
mod server;

pub(crate) use client::{Http2Client, head_of as request_head};
pub(crate) use server::{Http2Server, PREFACE, head_of as answer_head};
