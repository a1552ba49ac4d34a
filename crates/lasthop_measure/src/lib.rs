//! The measurements of a run: message records, latency, the byte ledger, energy, captures and tables.
//!
//! A [`Meter`] watches a run as its [`lasthop_engine::Observer`] and decides when it ends: when the traffic
//! of every flow has ended and the drain is over.

mod age;
mod arrow_stream;
mod backlog;
mod billing_log;
mod bundles;
mod cache_log;
mod capture;
mod conversation;
mod device_log;
mod directory;
mod divergence;
mod energy_log;
mod energy_set_up;
mod excess;
mod group_results;
mod histogram;
mod ledger;
mod medium_column;
mod message_change;
mod message_flow;
mod message_log;
mod message_record;
mod message_report;
mod message_spill;
mod message_sums;
mod message_table;
mod meter;
mod network_summary;
mod recovery_log;
mod session_sums;
mod summary;
mod tables;
mod timeline;
mod trace_hash;
mod weighted;

pub use arrow_stream::{ArrowField, ArrowType, arrow_schema};
pub use billing_log::{Bill, BillRow, BillingConfig, BillingLog, SimBill};
pub use cache_log::{CacheLog, CacheSums};
pub use capture::{Capture, CapturedHost, CapturedPacket, interface_description, section_header};
pub use device_log::{Crash, DeviceLog, DeviceSums};
pub use directory::{Directory, NamedFlows, NamedGroup, NamedStratum, Place};
pub use divergence::PacketBound;
pub use energy_log::{EnergyConfig, EnergyLog, EnergySummary};
pub use group_results::GroupResult;
pub use histogram::Histogram;
pub use ledger::{Fate, Ledger, LedgerRow, PacketRow};
pub use medium_column::{MediumColumn, MediumValue};
pub use message_log::MessageLog;
pub use message_record::{MessageRecord, MessageStatus};
pub use message_report::{MessageFiles, OpenTable};
pub use message_spill::{OpenStore, Store};
pub use meter::{Arriving, Meter, MeterConfig, RunStatus};
pub use network_summary::NetworkSummary;
pub use recovery_log::RecoverySums;
pub use session_sums::SessionSums;
pub use summary::Summary;
pub use tables::RunTables;
pub use timeline::{Timeline, TimelineEntry};
pub use trace_hash::TraceHash;
pub use weighted::Weighted;
