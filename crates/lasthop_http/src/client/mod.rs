//! The HTTP client, which sends messages as requests.

mod application;
mod config;
mod link;
mod pending;

pub use application::HttpClient;
pub use config::{ConnectionPolicy, HttpClientConfig, HttpVersion};
