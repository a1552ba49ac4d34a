use core::ops::AddAssign;

use crate::cell::{CellReport, LevelReport};

/// The counters of a network since the start of the run.
///
/// Packets are conserved: those offered are delivered, dropped or queued.
#[derive(Clone, Debug, Default)]
pub struct NetworkReport {
    /// The cells by carrier: all anchors, then the second carrier of each cell, and so on.
    pub cells: Vec<CellReport>,
    /// The number of attached devices, including those that have left.
    pub devices_attached: u64,
    /// Packets that entered, at either end.
    pub packets_offered: u64,
    /// Packets that left at the other end.
    pub packets_delivered: u64,
    /// Packets that ended in the network.
    pub packets_dropped: u64,
    /// Packets that are still in the network.
    pub packets_queued: u64,
    /// How often the fading of an antenna was looked up.
    pub fading_evaluations: u64,
}

impl NetworkReport {
    /// Returns the counters of each coverage level, summed over cells.
    #[must_use]
    pub fn levels(&self) -> Vec<LevelReport> {
        let mut sums = Vec::new();
        for cell in &self.cells {
            // Networks may have different levels.
            let levels = cell.levels.len().max(sums.len());
            sums.resize(levels, LevelReport::default());
            for (sum, level) in sums.iter_mut().zip(&cell.levels) {
                *sum += *level;
            }
        }
        sums
    }

    /// Events of all cells.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.cells.iter().map(|cell| cell.events).sum()
    }
}

/// The cells of another network stand behind these.
impl AddAssign for NetworkReport {
    fn add_assign(&mut self, other: Self) {
        self.cells.extend(other.cells);
        self.devices_attached += other.devices_attached;
        self.packets_offered += other.packets_offered;
        self.packets_delivered += other.packets_delivered;
        self.packets_dropped += other.packets_dropped;
        self.packets_queued += other.packets_queued;
        self.fading_evaluations += other.fading_evaluations;
    }
}
