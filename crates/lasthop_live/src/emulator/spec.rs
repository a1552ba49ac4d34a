use std::path::PathBuf;

use lasthop_world::{LonePath, SpecError};
use serde::{Deserialize, Serialize};

/// The configuration of an emulator. All fields are required except optional ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmulationSpec {
    /// The path between its ends.
    pub path: LonePath,
    /// The pcapng file for packets at the near end.
    pub capture_near: Option<PathBuf>,
    /// The pcapng file for packets at the far end.
    pub capture_far: Option<PathBuf>,
    /// Whether the byte ledger is computed.
    #[serde(default)]
    pub ledger: bool,
    /// The largest packet of an end. Larger ones are counted as oversized.
    pub mtu_bytes: Option<usize>,
    /// The lateness limit.
    pub lateness_limit: Option<LatenessLimit>,
}

/// The lateness above which a run is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatenessLimit {
    /// The limit for the 99th percentile.
    pub p99_ns: u64,
    /// The limit for every deadline, and for pauses of the machine.
    pub max_ns: u64,
}

impl EmulationSpec {
    /// Parses and validates a configuration.
    ///
    /// # Errors
    /// [`SpecError`] says where and what.
    pub fn parse(json: &str) -> Result<Self, SpecError> {
        let spec: Self = serde_json::from_str(json)?;
        spec.path.check()?;
        Ok(spec)
    }
}
