//! What the network does, by topic.

mod coverage;
mod reception;
