//! The device gateway on this machine: its database, and how others tell it of changes.

mod administration;
mod bell;
mod bindings;
mod data_folder;
mod database;
mod doorbell;
mod http_bridge;
mod metrics;
mod new_key;
mod sqlite_store;

pub use administration::{Administration, DeviceSummary};
pub use data_folder::{DataFolder, GatewayError};
pub(crate) use doorbell::{Doorbell, Nobody};
pub(crate) use http_bridge::HttpBridge;
pub(crate) use metrics::Metrics;
pub use new_key::new_key;
pub use sqlite_store::SqliteStore;
