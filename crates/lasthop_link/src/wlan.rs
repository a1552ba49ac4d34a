//! A WLAN cell: an access point and its stations on one channel (IEEE 802.11 DCF, and EDCA with best effort).

mod cell;
mod config;
mod contention;
mod frames;
mod report;
mod transmitter;

pub use cell::WlanCell;
pub use config::{CellConfig, QueueConfig, StationConfig, WlanError};
pub use frames::Modulation;
pub use report::{CellReport, StationReport};
