//! What the network does, by topic.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a panic is the right answer; clippy sees tests in functions alone"
)]

mod config_bad_input;
mod config_presets;
mod downlink_map;
mod downlink_timeline;
mod link_budget;
mod peak_rates;
mod preambles;
mod search_spaces;
mod transport_blocks;
mod uplink_grid;
mod uplink_waits;
