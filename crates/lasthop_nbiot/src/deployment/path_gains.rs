use lasthop_units::Decibels;

/// A cell of the network, counted from 0: the sectors of site 0, then of site 1, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellIndex(pub u8);

impl CellIndex {
    /// The place in a list of all cells.
    #[must_use]
    pub fn as_usize(self) -> usize {
        usize::from(self.0)
    }
}

/// What a device's path to each cell attenuates, and the cell that it belongs to.
///
/// Coupling loss is between antenna connectors (TR 45.820): path loss, shadow and loss into the building, less the
/// antenna gains, with the cable. It is the same up and down.
#[derive(Clone, Debug, Default)]
pub struct PathGains {
    coupling_loss_db: Vec<f32>,
    serving: u8,
}

impl PathGains {
    /// The cell with the least coupling loss, which is that of the strongest RSRP: all cells send alike.
    #[must_use]
    pub fn serving(&self) -> CellIndex {
        CellIndex(self.serving)
    }

    /// The coupling loss to a cell.
    #[must_use]
    pub fn coupling_loss(&self, cell: CellIndex) -> Decibels {
        Decibels::new(f64::from(self.coupling_loss_db[cell.as_usize()]))
    }

    /// The coupling losses to all cells in dB, by cell.
    #[must_use]
    pub fn coupling_losses_db(&self) -> &[f32] {
        &self.coupling_loss_db
    }

    pub(super) fn fill(&mut self, coupling_losses_db: impl IntoIterator<Item = f32>) {
        self.coupling_loss_db.clear();
        self.coupling_loss_db.extend(coupling_losses_db);
        let mut best = f32::INFINITY;
        for (cell, loss_db) in self.coupling_loss_db.iter().enumerate() {
            if *loss_db < best {
                best = *loss_db;
                self.serving = cell as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_coupling_loss_serves_and_the_first_of_equals() {
        let mut gains = PathGains::default();
        gains.fill([140.0, 120.0, 120.0, 130.0]);
        assert_eq!(gains.serving(), CellIndex(1));
        gains.fill([100.0]);
        assert_eq!(gains.serving(), CellIndex(0));
        assert_eq!(gains.coupling_losses_db(), [100.0]);
    }
}
