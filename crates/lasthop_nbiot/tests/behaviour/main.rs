//! What the network does, by topic.

mod golden_sequences;
mod header_compression;
mod mac_pdus;
mod message_sizes;
mod rlc_config;
mod rlc_delivery;
mod rlc_retransmission;
