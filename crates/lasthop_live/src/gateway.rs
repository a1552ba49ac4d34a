//! The device gateway on this machine: its database, and the notification of changes.

mod administration;
mod answering;
mod bell;
mod bindings;
mod changes;
mod data_folder;
mod database;
mod durable_store;
mod error;
mod http_bridge;
mod key_changes;
mod log_lines;
mod metrics;
mod new_key;
mod place;
mod postgres;
mod sqlite;
mod store_measures;
mod traffic_books;
mod trimming;

pub use administration::{Administration, DeviceSummary};
pub use data_folder::DataFolder;
pub use durable_store::DurableStore;
pub use error::GatewayError;
pub(crate) use http_bridge::HttpBridge;
pub use key_changes::{KeySummary, Revoking};
pub use log_lines::{LogForm, LogLines};
pub(crate) use metrics::{Counted, Metrics};
pub use new_key::new_key;
pub use place::DataPlace;
pub use postgres::{PostgresNames, PostgresSecurity, PostgresServer};
pub(crate) use store_measures::StoreMeasures;
pub(crate) use traffic_books::{Connections, Traffic, TrafficBooks};
pub use trimming::{Trim, Trimmed};
