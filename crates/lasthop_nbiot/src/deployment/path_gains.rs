use lasthop_units::Decibels;

/// The index of a cell, from 0: the sectors of site 0, then those of site 1, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellIndex(pub u8);

impl CellIndex {
    /// Returns the index in a list of all cells.
    #[must_use]
    pub fn as_usize(self) -> usize {
        usize::from(self.0)
    }
}

/// The path losses of a device to its serving cell and to other cells.
///
/// Coupling loss is between antenna connectors (TR 45.820): path loss, shadow and loss into the building, less the
/// antenna gains, with the cable. It is the same up and down.
#[derive(Clone, Debug, Default)]
pub struct PathGains {
    paths: Vec<Path>,
    serving: usize,
}

/// The path between a device and a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// The cell.
    pub cell: CellIndex,
    /// The coupling loss between the antenna connectors, in dB.
    pub coupling_loss_db: f32,
}

impl PathGains {
    /// Returns the serving cell: the cell with the lowest coupling loss. All cells have the same power, so its RSRP is
    /// the highest.
    ///
    /// # Panics
    ///
    /// Before a device has been dropped.
    #[must_use]
    pub fn serving(&self) -> CellIndex {
        self.paths[self.serving].cell
    }

    /// Returns the coupling loss to the serving cell.
    ///
    /// # Panics
    ///
    /// Before a device has been dropped.
    #[must_use]
    pub fn coupling_loss(&self) -> Decibels {
        Decibels::new(f64::from(self.paths[self.serving].coupling_loss_db))
    }

    /// Returns the paths to the cells of the nearest sites, including the serving cell.
    #[must_use]
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// Returns all paths but the one to the serving cell.
    pub fn to_others(&self) -> impl Iterator<Item = Path> {
        let serving = self.serving();
        self.paths
            .iter()
            .copied()
            .filter(move |path| path.cell != serving)
    }

    pub(super) fn clear(&mut self) {
        self.paths.clear();
        self.serving = 0;
    }

    /// Makes the coupling loss to the serving cell this one; the others stay as far from it as they are.
    pub(super) fn move_to(&mut self, coupling_loss_db: f64) {
        let by_db = coupling_loss_db as f32 - self.paths[self.serving].coupling_loss_db;
        for path in &mut self.paths {
            path.coupling_loss_db += by_db;
        }
        self.paths[self.serving].coupling_loss_db = coupling_loss_db as f32;
    }

    pub(super) fn push(&mut self, path: Path) {
        if (self.paths.get(self.serving))
            .is_some_and(|best| path.coupling_loss_db < best.coupling_loss_db)
        {
            self.serving = self.paths.len();
        }
        self.paths.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_coupling_loss_serves_and_the_first_of_equals() {
        let mut gains = PathGains::default();
        for losses_db in [&[140.0_f32, 120.0, 120.0, 130.0][..], &[100.0]] {
            gains.clear();
            for (cell, coupling_loss_db) in losses_db.iter().enumerate() {
                gains.push(Path {
                    cell: CellIndex(cell as u8),
                    coupling_loss_db: *coupling_loss_db,
                });
            }
            assert_eq!(gains.serving(), CellIndex((losses_db.len() / 4) as u8));
            assert_eq!(gains.to_others().count(), losses_db.len() - 1);
        }
        assert_eq!(gains.coupling_loss(), Decibels::new(100.0));
    }
}
