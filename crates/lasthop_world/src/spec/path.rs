use serde::{Deserialize, Serialize};

use crate::medium::{HopFields, MediumSpec};

/// The path between a device and its server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathSpec {
    /// The hops from the device to the server; at least one.
    pub hops: Vec<HopSpec>,
}

/// A hop of a path.
///
/// In JSON the medium stands beside the name: `{"name": "path", "scope": "own", "link": {..}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "HopFields", into = "HopFields")]
pub struct HopSpec {
    /// The name, used as the prefix of the hop's random streams. Hops with the same name and scope `all` are the same
    /// hop.
    pub name: String,
    /// The devices that share the hop.
    pub scope: ScopeSpec,
    /// The medium of the hop.
    pub medium: MediumSpec,
}

/// The devices that share a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeSpec {
    /// None: each device has its own hop.
    Own,
    /// The devices of a group.
    Group,
    /// All devices whose path contains the hop's name.
    All,
}
