//! How the core of a broker behaves, held against plain lists.
#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod broker_core;
mod sessions;
mod support;
mod tree;
