use serde::{Deserialize, Serialize};

use crate::medium::{HopFields, MediumSpec};

/// The path between a device and its server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathSpec {
    /// The hops from the device on; at least one.
    pub hops: Vec<HopSpec>,
}

/// A hop of a path.
///
/// In JSON the medium stands beside the name: `{"name": "path", "scope": "own", "link": {..}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "HopFields", into = "HopFields")]
pub struct HopSpec {
    /// The name, used as the prefix of its random streams. Hops with one name and scope `all` are one hop.
    pub name: String,
    /// The devices that share it.
    pub scope: ScopeSpec,
    /// The medium.
    pub medium: MediumSpec,
}

/// The devices that share a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeSpec {
    /// Each device has its own.
    Own,
    /// The devices of a group.
    Group,
    /// All devices whose path names it share it.
    All,
}
