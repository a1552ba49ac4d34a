use core::net::SocketAddr;
use core::num::NonZeroU16;

use lasthop_cache::CacheConfig;
use lasthop_device::ServiceTime;
use lasthop_units::DataSize;
use serde::{Deserialize, Serialize};

use super::{DeviceSpec, nanos};

/// A server, or as many as there are devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// What it is called; its random streams begin with it.
    pub name: String,
    /// Whether devices share it.
    pub layout: ServerLayout,
    /// What it offers.
    pub services: Vec<ServiceSpec>,
    /// How what comes to it goes on, where it is a gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forwards: Option<ForwardsSpec>,
    /// How long it works on what comes; left out where that takes no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_time: Option<ServiceTimeSpec>,
    /// What the device has little of that it runs on; left out where that is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceSpec>,
}

/// How a gateway passes messages on to a server behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForwardsSpec {
    /// The group whose one device it runs on: the path and the client of that lead on.
    pub by: String,
    /// So many messages go in one.
    pub batch: u32,
    /// The first of them waits for the others so long at most.
    pub wait_ns: u64,
    /// So many messages are held at most.
    pub room: u32,
    /// What it keeps of what it fetches, where it is a caching proxy: then each request goes on by itself, and is answered
    /// when the server behind has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheSpec>,
}

/// What a caching proxy keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheSpec {
    /// So many bytes of representations.
    pub room_bytes: u64,
    /// How long after the end of its freshness one is given out while the server behind gives no answer.
    pub stale_if_error_ns: u64,
}

impl From<CacheSpec> for CacheConfig {
    fn from(spec: CacheSpec) -> Self {
        Self {
            room: DataSize::from_bytes(spec.room_bytes),
            stale_if_error: nanos(spec.stale_if_error_ns),
        }
    }
}

/// How long a server works on what comes, and with how many workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceTimeSpec {
    /// How many pieces of work go on at the same time.
    pub workers: NonZeroU16,
    /// So much waits for them at most.
    pub queue_bytes: u64,
    /// For each packet that comes.
    pub packet_ns: u64,
    /// For each byte of it.
    pub byte_ns: u64,
    /// For each connection, by a full handshake or none.
    pub connection_ns: u64,
    /// For each connection from an earlier session.
    pub resumption_ns: u64,
    /// For each message that comes or goes.
    pub message_ns: u64,
}

/// How many servers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerLayout {
    /// One for all devices.
    Shared,
    /// One for each.
    PerDevice,
}

/// A stack that a server listens with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceSpec {
    /// By name.
    pub stack: String,
    /// Where.
    pub port: u16,
    /// Where it really is, under [`EngineSpec::Load`](super::EngineSpec::Load).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<SocketAddr>,
}

impl ServerSpec {
    /// Whether it is a caching proxy.
    pub(crate) fn is_proxy(&self) -> bool {
        let forwards = self.forwards.as_ref();
        forwards.is_some_and(|it| it.cache.is_some())
    }
}

impl From<ServiceTimeSpec> for ServiceTime {
    fn from(spec: ServiceTimeSpec) -> Self {
        Self {
            workers: spec.workers,
            room: DataSize::from_bytes(spec.queue_bytes),
            packet: nanos(spec.packet_ns),
            byte: nanos(spec.byte_ns),
            connection: nanos(spec.connection_ns),
            resumption: nanos(spec.resumption_ns),
            message: nanos(spec.message_ns),
        }
    }
}
