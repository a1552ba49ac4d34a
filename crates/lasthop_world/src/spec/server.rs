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
}
