use core::net::SocketAddr;
use core::num::NonZeroU16;

use lasthop_cache::CacheConfig;
use lasthop_device::ServiceTime;
use lasthop_units::DataSize;
use serde::{Deserialize, Serialize};

use super::{DeviceSpec, nanos};

/// A server that devices share, or one for each device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// The name, used as the prefix of its random streams.
    pub name: String,
    /// Whether devices share the server.
    pub layout: ServerLayout,
    /// The services of the server.
    pub services: Vec<ServiceSpec>,
    /// How a gateway forwards messages; `None` for other servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forwards: Option<ForwardsSpec>,
    /// The service time; absent if processing takes no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_time: Option<ServiceTimeSpec>,
    /// The resource limits of the constrained device that the server runs on; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceSpec>,
}

/// How a gateway forwards messages to its upstream server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForwardsSpec {
    /// The name of the group whose only device runs the gateway. Its path and client lead upstream.
    pub by: String,
    /// The number of messages in one upstream message.
    pub batch: u32,
    /// The maximum time that the first message of a batch waits for the others.
    pub wait_ns: u64,
    /// The maximum number of queued messages.
    pub room: u32,
    /// The cache, if the gateway is a caching proxy.
    ///
    /// Each request is then forwarded separately and answered when the upstream server has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheSpec>,
}

/// The settings of a caching proxy's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheSpec {
    /// The capacity for representations, in bytes.
    pub room_bytes: u64,
    /// How long a stale entry is served while the upstream server does not answer.
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

/// The service time of a server and its number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceTimeSpec {
    /// The number of parallel workers.
    pub workers: NonZeroU16,
    /// The queue limit in bytes.
    pub queue_bytes: u64,
    /// The service time for each received packet, in nanoseconds.
    pub packet_ns: u64,
    /// The service time for each received byte, in nanoseconds.
    pub byte_ns: u64,
    /// The service time for each connection with a full handshake or without a handshake, in nanoseconds.
    pub connection_ns: u64,
    /// The service time for each resumed connection, in nanoseconds.
    pub resumption_ns: u64,
    /// The service time for each message in either direction, in nanoseconds.
    pub message_ns: u64,
}

/// Whether devices share a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerLayout {
    /// One server for all devices.
    Shared,
    /// One server for each device.
    PerDevice,
}

/// A service of a server: the stack and the port on which it listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceSpec {
    /// The name of the service's stack.
    pub stack: String,
    /// The port on which the server listens.
    pub port: u16,
    /// The real address of the service under [`EngineSpec::Load`](super::EngineSpec::Load).
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
