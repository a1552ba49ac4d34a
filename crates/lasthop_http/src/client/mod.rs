//! The device's end: messages become requests.

mod application;
mod config;
mod link;
mod pending;

pub use application::HttpClient;
pub use config::{ConnectionPolicy, HttpClientConfig, HttpVersion};
