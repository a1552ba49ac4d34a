//! What the classifier says of packets that are known byte by byte.

mod captures;
mod conservation;
mod datagrams;
mod http;
mod mqtt;
mod network;
mod tcp;
mod websocket;
