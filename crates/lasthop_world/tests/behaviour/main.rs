//! Behaviour of whole runs, from the spec to the tables.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod accounting;
mod aimed_faults;
mod background;
mod captures;
mod clients;
mod cost;
mod dds;
mod delivery;
mod determinism;
mod downloads;
mod events;
mod explain;
mod extension;
mod failures;
mod fallbacks;
mod flows;
mod gateways;
mod groups;
mod interfaces;
mod network;
mod one_core;
mod overload;
mod pulls;
mod radio_events;
mod relays;
mod reliability;
mod service_times;
mod sessions;
mod shared_translator;
mod specs;
mod spilled_messages;
mod stacks;
mod streams;
mod tcp_options;
mod traffic;
