//! HTTP/3 (RFC 9114): each exchange on a separate stream.

mod channels;
mod client;
mod codes;
mod exchange;
mod frames;
mod message;
pub mod qpack;
mod served;
mod server;
mod varint;

pub(crate) use client::Http3Client;
pub(crate) use server::Http3Server;
