//! A gateway for devices with tokens, like the former Google Cloud IoT Core. It has a registry of devices with public
//! keys, JWT as passwords, a topic for device messages, and configurations and commands for devices.
//!
//! A [`Gateway`] is a machine without I/O and clock; what it has to keep goes to a [`Store`]. A broker has one
//! [`GatewayPort`] as its [`Authority`](lasthop_broker::Authority) and another as its [`Keeper`](lasthop_broker::Keeper), so
//! that a device has its PUBACK once its message is in the log.
//! `MODEL.md` beside this crate says what it does and what it does not.

mod attaching;
mod attachments;
mod bridge;
mod calendar;
mod config;
mod device;
mod device_path;
mod device_topic;
mod gateway;
mod journal;
mod json_object;
mod memory_store;
mod port;
mod public_key;
mod rate;
mod registry;
mod store;
mod token;

pub use bridge::Asked;
pub use calendar::Calendar;
pub use config::{DeviceLimits, GatewayConfig};
pub use device::{Attaches, DeviceRecord, MAX_KEYS};
pub use device_path::{DevicePath, PathError};
pub use device_topic::DeviceTopic;
pub use gateway::{Gateway, GatewayCounters};
pub use journal::{GatewayEvent, Journal, Protocol, Refused};
pub use memory_store::MemoryStore;
pub use port::GatewayPort;
pub use public_key::{Algorithm, Fingerprint, KeyError, PublicKey};
pub use store::{Change, Kind, LoggedMessage, Record, Store, StoreError};
pub use token::{BadToken, Claims, LONGEST_LIFE, MAX_TOKEN_SIZE, SKEW, UnixTime, check};
