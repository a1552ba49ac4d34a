//! What the network does, by topic.
