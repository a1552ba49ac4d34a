//! What the network does, by topic.

mod link_tables;
