//! What the network does, by topic.

mod alone;
mod config_bad_input;
mod config_presets;
mod coverage;
mod downlink_map;
mod downlink_timeline;
mod golden_sequences;
mod golden_timeline;
mod header_compression;
mod link_budget;
mod link_tables;
mod mac_pdus;
mod message_sizes;
mod peak_rates;
mod preambles;
mod radio_time;
mod reception;
mod rlc_config;
mod rlc_delivery;
mod rlc_retransmission;
mod search_spaces;
mod time_lines;
mod transport_blocks;
mod uplink_grid;
mod uplink_requirement;
mod uplink_waits;
