use core::net::SocketAddr;

use serde::{Deserialize, Serialize};

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
