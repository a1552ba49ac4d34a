use serde::{Deserialize, Serialize};

use super::{ConfigError, CoverageLevel, NetworkConfig, NonAnchorCarriers};

/// Settings of some cells that replace the network's (TS 36.331 SIB2-NB, SIB22-NB).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellSettings {
    /// The cells, from 0. The sectors of a site have consecutive numbers.
    pub cells: Vec<u16>,
    /// The RSRP thresholds between the coverage levels of these cells, as in `NetworkConfig::rsrp_thresholds_dbm`.
    pub rsrp_thresholds_dbm: Vec<f64>,
    /// The coverage levels of these cells.
    pub levels: Vec<CoverageLevel>,
    /// The non-anchor carriers of these cells.
    pub non_anchor_carriers: Option<NonAnchorCarriers>,
}

impl NetworkConfig {
    /// The settings of the cells that have none of their own, then those of each entry of `cell_settings`.
    pub(crate) fn of_each_kind_of_cell(&self) -> Vec<Self> {
        let common = Self {
            cell_settings: Vec::new(),
            ..self.clone()
        };
        let own = self.cell_settings.iter().map(|own| own.over(&common));
        core::iter::once(common.clone()).chain(own).collect()
    }

    /// The place of a cell's settings among these.
    pub(crate) fn kind_of_cell(&self, cell: u16) -> usize {
        (self.cell_settings.iter())
            .position(|own| own.cells.contains(&cell))
            .map_or(0, |place| place + 1)
    }

    /// Returns the number of carriers of all cells.
    #[must_use]
    pub fn carriers_of_all_cells(&self) -> u64 {
        let kinds = self.of_each_kind_of_cell();
        (0..self.cells())
            .map(|cell| kinds[self.kind_of_cell(cell)].carriers() as u64)
            .sum()
    }

    pub(super) fn check_cell_settings(&self) -> Result<(), ConfigError> {
        let mut seen = vec![false; usize::from(self.cells())];
        for (place, (own, whole)) in (self
            .cell_settings
            .iter()
            .zip(&self.of_each_kind_of_cell()[1..]))
        .enumerate()
        {
            let under = format!("cell_settings[{place}]");
            own.check_cells(&mut seen).map_err(|e| e.under(&under))?;
            whole.check().map_err(|e| e.under(&under))?;
        }
        Ok(())
    }
}

impl CellSettings {
    fn over(&self, common: &NetworkConfig) -> NetworkConfig {
        NetworkConfig {
            rsrp_thresholds_dbm: self.rsrp_thresholds_dbm.clone(),
            levels: self.levels.clone(),
            non_anchor_carriers: self.non_anchor_carriers.clone(),
            ..common.clone()
        }
    }

    fn check_cells(&self, seen: &mut [bool]) -> Result<(), ConfigError> {
        if self.cells.is_empty() {
            let problem = "names no cell; write those that it is for, as in [0, 1, 2]";
            return Err(ConfigError::new("cells", problem));
        }
        for &cell in &self.cells {
            let Some(seen) = seen.get_mut(usize::from(cell)) else {
                return Err(ConfigError::new(
                    "cells",
                    format!(
                        "has cell {cell}; there are {}, counted from 0, so choose at most {}",
                        seen.len(),
                        seen.len() - 1
                    ),
                ));
            };
            if core::mem::replace(seen, true) {
                return Err(ConfigError::new(
                    "cells",
                    format!("has cell {cell}, which has settings already; name each cell once"),
                ));
            }
        }
        Ok(())
    }
}
