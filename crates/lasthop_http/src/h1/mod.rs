//! HTTP/1.1 (RFC 9112): one exchange at a time on a stream.

mod body;
mod client;
mod fields;
mod request_head;
mod response_head;
mod server;

pub(crate) use client::Http1Client;
pub(crate) use fields::{LONGEST_HEAD, MOST_FIELDS};
pub(crate) use server::Http1Server;
