use crate::config::NetworkConfig;
use crate::deployment::{CellIndex, PathGains};
use lasthop_units::Decibels;

use super::CARRIER_HZ;
use crate::phy::noise_dbm;

/// What the radio knows of each device, by its place in the arena: compact, since there are many.
#[derive(Clone, Debug)]
pub(super) struct Devices {
    radios: Vec<DeviceRadio>,
    /// For each device the same number of places.
    neighbours: Vec<Neighbour>,
    places: usize,
    /// Cells with less gain hear nothing of a device and harm it in nothing.
    weakest_gain: f32,
    sorted: Vec<f32>,
}

/// A device's path to its own cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceRadio {
    pub(super) serving: CellIndex,
    neighbours: u8,
    pub(super) gain: f32,
    /// Of all other cells above the cut-off that are not listed.
    pub(super) gain_of_others: f32,
    /// Where in the fading record the device starts.
    pub(super) fading: u64,
}

/// A cell other than its own that a device harms, and that harms it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub(super) cell: CellIndex,
    pub(super) gain: f32,
}

/// Neighbours that are followed one by one: the strongest.
const MOST_NEIGHBOURS: usize = 24;

impl Devices {
    pub(super) fn new(config: &NetworkConfig, cells: usize) -> Self {
        let weakest_gain = match config.channel.interference_cut_off_below_noise_db {
            None => f32::INFINITY,
            Some(below_db) => weakest_gain(config, below_db),
        };
        let places = if weakest_gain.is_finite() {
            (cells - 1).min(MOST_NEIGHBOURS)
        } else {
            0
        };
        Self {
            radios: Vec::new(),
            neighbours: Vec::new(),
            places,
            weakest_gain,
            sorted: Vec::new(),
        }
    }

    pub(super) fn of(&self, device: u32) -> DeviceRadio {
        self.radios[device as usize]
    }

    pub(super) fn neighbours_of(&self, device: u32) -> &[Neighbour] {
        let count = usize::from(self.radios[device as usize].neighbours);
        &self.neighbours[device as usize * self.places..][..count]
    }

    /// A device takes this place, whoever had it before.
    pub(super) fn insert(&mut self, device: u32, paths: &PathGains, fading: u64) {
        let at = device as usize;
        if at >= self.radios.len() {
            self.radios.resize(at + 1, DeviceRadio::NOBODY);
            let nobody = Neighbour {
                cell: CellIndex(0),
                gain: 0.0,
            };
            self.neighbours.resize((at + 1) * self.places, nobody);
        }
        let serving = paths.serving();
        let (neighbours, gain_of_others) = self.list_neighbours(at, paths);
        self.radios[at] = DeviceRadio {
            serving,
            neighbours,
            gain: (-paths.coupling_loss(serving)).ratio() as f32,
            gain_of_others,
            fading,
        };
    }

    fn list_neighbours(&mut self, at: usize, paths: &PathGains) -> (u8, f32) {
        if self.places == 0 {
            return (0, 0.0);
        }
        let losses_db = paths.coupling_losses_db();
        let mut most_loss_db = f32::INFINITY;
        if losses_db.len() > self.places + 1 {
            self.sorted.clear();
            self.sorted.extend_from_slice(losses_db);
            // Place 0 is the serving cell's.
            let (_, last, _) = self
                .sorted
                .select_nth_unstable_by(self.places, f32::total_cmp);
            most_loss_db = *last;
        }
        let listed = &mut self.neighbours[at * self.places..][..self.places];
        let (mut count, mut of_others) = (0, 0.0);
        for (cell, loss_db) in losses_db.iter().enumerate() {
            let gain = gain_of(*loss_db);
            if cell == paths.serving().as_usize() || gain < self.weakest_gain {
                continue;
            }
            if *loss_db <= most_loss_db && count < listed.len() {
                listed[count] = Neighbour {
                    cell: CellIndex(cell as u8),
                    gain,
                };
                count += 1;
            } else {
                of_others += gain;
            }
        }
        (count as u8, of_others)
    }
}

impl DeviceRadio {
    const NOBODY: Self = Self {
        serving: CellIndex(0),
        neighbours: 0,
        gain: 0.0,
        gain_of_others: 0.0,
        fading: 0,
    };
}

fn gain_of(loss_db: f32) -> f32 {
    const LOG2_10: f32 = core::f32::consts::LOG2_10;
    libm::exp2f(loss_db * (-LOG2_10 / 10.0))
}

/// The gain at which the strongest that either end can send reaches the cut-off.
fn weakest_gain(config: &NetworkConfig, below_db: f64) -> f32 {
    let carrier = &config.carrier;
    let up_noise_dbm = noise_dbm(
        config.uplink.subcarrier_spacing.hz(),
        carrier.base_station_noise_figure_db,
    );
    let down_noise_dbm = noise_dbm(CARRIER_HZ, carrier.device_noise_figure_db);
    let up_db = up_noise_dbm - config.device_power.maximum_dbm;
    let down_db = down_noise_dbm - carrier.downlink_power_dbm;
    Decibels::new(up_db.min(down_db) - below_db).ratio() as f32
}
