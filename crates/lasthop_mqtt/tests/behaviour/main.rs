//! How the client and the broker behave, each held against the standards and against the other.
#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod backpressure;
mod batches;
mod clients;
mod data_streams;
mod hand;
mod hand_broker;
mod hostile_brokers;
mod hostile_clients;
mod kept;
mod kept_bytes;
mod lost_messages;
mod over_quic;
mod over_tcp;
mod permission;
mod pipelining;
mod publishing;
mod second_opinion;
mod sessions;
mod several_at_once;
mod subscriptions;
mod toy_keeper;
mod turns;
mod world;
