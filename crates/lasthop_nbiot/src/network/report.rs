use core::ops::AddAssign;

use crate::cell::{CellReport, LevelReport};

/// The counters of a network since the start of the run.
///
/// Packets are conserved: those offered are delivered, dropped or queued.
#[derive(Clone, Debug, Default)]
pub struct NetworkReport {
    /// The counters of each cell, by carrier: all anchors, then the second carrier of each cell, and so on.
    pub cells: Vec<CellReport>,
    /// The number of devices that ever attached.
    pub devices_attached: u64,
    /// The number of packets that entered the network at either end.
    pub packets_offered: u64,
    /// The number of packets that left the network at the other end.
    pub packets_delivered: u64,
    /// The number of packets that the network dropped.
    pub packets_dropped: u64,
    /// The number of packets that are still in the network.
    pub packets_queued: u64,
    /// The number of evaluations of an antenna's fading.
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

    /// Returns the number of simulation events of all cells.
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
