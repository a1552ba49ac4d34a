use serde::{Deserialize, Serialize};

use crate::medium::{HopFields, MediumSpec};

/// What packets go through between a device and its server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathSpec {
    /// From the device on; at least one.
    pub hops: Vec<HopSpec>,
}

/// A part of a path. In JSON the medium stands beside the name: `{"name": "path", "scope": "own", "link": {..}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "HopFields", into = "HopFields")]
pub struct HopSpec {
    /// What it is called; its random streams begin with it. Hops of one name that are shared by all are one.
    pub name: String,
    /// Who shares it.
    pub scope: ScopeSpec,
    /// What it is.
    pub medium: MediumSpec,
}

/// Who shares a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeSpec {
    /// Each device has one of its own.
    Own,
    /// The devices of a group.
    Group,
    /// All whose path names it.
    All,
}
