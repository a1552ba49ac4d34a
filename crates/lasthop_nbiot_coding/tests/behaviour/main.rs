//! What the codes, the simulation and the generator do, by topic.

mod convolutional_code;
mod crc;
mod generator;
mod noise;
mod rate_matching;
mod repetition;
mod turbo_code;
