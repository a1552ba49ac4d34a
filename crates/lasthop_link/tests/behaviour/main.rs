//! What links do, seen from outside. One binary, one module a behaviour.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a panic is the right answer; clippy sees tests in functions alone"
)]

mod ip_packets;
mod statistics;
mod test_bench;

mod attachment;
mod background;
mod conservation;
mod contract;
mod corruption;
mod delay;
mod duplication;
mod firewall;
mod junction;
mod loss;
mod loss_in_bursts;
mod nat_mapping;
mod nat_sessions;
mod nat_translation;
mod order;
mod outage;
mod queue;
mod rate;
mod serial;
mod shared_rate;
mod size_limit;
mod wlan;
