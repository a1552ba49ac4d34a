//! The HTTP server, which returns requests and takes responses.

mod application;
mod connection;
mod inbox;
mod request_server;
pub(crate) mod target;
pub(crate) mod unwrap;

pub use application::{HttpServer, HttpServerConfig};
pub use request_server::RequestServer;
