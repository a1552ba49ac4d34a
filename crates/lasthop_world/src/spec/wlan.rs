use lasthop_link::wlan::{CellConfig, StationConfig};
use serde::{Deserialize, Serialize};

use super::{HopSpec, MediumSpec, RunSpec, SpecError};

/// A WLAN: the cell that devices share, and what each of those on this path has of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WlanSpec {
    /// What all have in common. Hops of one name are one cell where they are shared.
    pub cell: CellConfig,
    /// What a device on this path has.
    pub station: StationConfig,
}

impl RunSpec {
    /// A cell that several paths name is the same for all.
    pub(super) fn check_cells(&self) -> Result<(), SpecError> {
        let hops = || self.paths.values().flat_map(|path| &path.hops);
        let cells = || hops().filter_map(|hop| Some((hop, hop.wlan()?)));
        for (hop, wlan) in cells() {
            let differs = |(other, own): &(&HopSpec, &WlanSpec)| {
                other.name == hop.name && (own.cell != wlan.cell || other.scope != hop.scope)
            };
            if cells().any(|other| differs(&other)) {
                let problem = format!("{} is one WLAN, and has different settings", hop.name);
                return Err(SpecError::value("paths", problem));
            }
        }
        Ok(())
    }
}

impl HopSpec {
    fn wlan(&self) -> Option<&WlanSpec> {
        match &self.medium {
            MediumSpec::Wlan(wlan) => Some(wlan),
            _ => None,
        }
    }
}
