use std::path::PathBuf;

use lasthop_world::{LonePath, SpecError};
use serde::{Deserialize, Serialize};

/// What an emulator is to do. Every field is written out but those that may be missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmulationSpec {
    /// The path between its ends.
    pub path: LonePath,
    /// Where the packets at the near end go, as pcapng.
    pub capture_near: Option<PathBuf>,
    /// Where those at the far end go.
    pub capture_far: Option<PathBuf>,
    /// Whether to tell what the bytes are for.
    #[serde(default)]
    pub ledger: bool,
    /// The largest packet that an end may give; a larger one is no packet of a wire.
    pub mtu_bytes: Option<usize>,
    /// How late it may be.
    pub lateness_limit: Option<LatenessLimit>,
}

/// How late packets may be before nothing is to be concluded from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatenessLimit {
    /// Of 99 in a hundred deadlines.
    pub p99_ns: u64,
    /// Of every deadline, and how long the machine may leave it alone.
    pub max_ns: u64,
}

impl EmulationSpec {
    /// Reads one and checks it.
    ///
    /// # Errors
    /// [`SpecError`] says where and what.
    pub fn parse(json: &str) -> Result<Self, SpecError> {
        let spec: Self = serde_json::from_str(json)?;
        spec.path.check()?;
        Ok(spec)
    }
}
