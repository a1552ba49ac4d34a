use crate::config::NetworkConfig;
use crate::deployment::{CellIndex, PathGains};

use super::CARRIER_HZ;
use crate::phy::noise_dbm;

/// What the radio knows of each device, by its place in the arena: compact, since there are many.
#[derive(Clone, Debug)]
pub(super) struct Devices {
    radios: Vec<DeviceRadio>,
    /// For each device the same number of places.
    neighbours: Vec<Neighbour>,
    places: usize,
    /// Cells with more coupling loss hear nothing of a device and harm it in nothing.
    most_loss_db: f32,
    losses_db: Vec<f32>,
}

/// A device's path to its own cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceRadio {
    pub(super) serving: CellIndex,
    neighbours: u8,
    pub(super) gain: f32,
    /// Where in the fading record the device starts.
    pub(super) fading: u64,
}

/// A cell other than its own that a device harms, and that harms it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub(super) cell: CellIndex,
    pub(super) gain: f32,
}

/// Neighbours that are followed one by one.
const MOST_NEIGHBOURS: usize = 12;

impl Devices {
    pub(super) fn new(config: &NetworkConfig, cells: usize) -> Self {
        let (places, most_loss_db) = match config.channel.interference_cut_off_below_noise_db {
            None => (0, f32::NEG_INFINITY),
            Some(below_db) => (
                (cells - 1).min(MOST_NEIGHBOURS),
                most_loss_db(config, below_db),
            ),
        };
        Self {
            radios: Vec::new(),
            neighbours: Vec::new(),
            places,
            most_loss_db,
            losses_db: Vec::new(),
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
        let neighbours = self.list_neighbours(at, paths);
        self.radios[at] = DeviceRadio {
            serving,
            neighbours,
            gain: (-paths.coupling_loss()).ratio() as f32,
            fading,
        };
    }

    /// Lists the strongest of the cells above the cut-off; what the others would add is shared out over them.
    fn list_neighbours(&mut self, at: usize, paths: &PathGains) -> u8 {
        let listed = &mut self.neighbours[at * self.places..][..self.places];
        let heard = || (paths.to_others()).filter(|path| path.coupling_loss_db < self.most_loss_db);
        let mut most_loss_listed_db = f32::INFINITY;
        self.losses_db.clear();
        self.losses_db
            .extend(heard().map(|path| path.coupling_loss_db));
        if self.losses_db.len() > listed.len() {
            // As many as there are places are below it.
            let (_, first_left_out, _) =
                (self.losses_db).select_nth_unstable_by(listed.len(), f32::total_cmp);
            most_loss_listed_db = *first_left_out;
        }
        let (mut count, mut of_listed, mut of_others) = (0, 0.0, 0.0);
        for path in heard() {
            let gain = gain_of(path.coupling_loss_db);
            if path.coupling_loss_db < most_loss_listed_db {
                listed[count] = Neighbour {
                    cell: path.cell,
                    gain,
                };
                of_listed += gain;
                count += 1;
            } else {
                of_others += gain;
            }
        }
        for neighbour in &mut listed[..count] {
            neighbour.gain *= 1.0 + of_others / of_listed;
        }
        count as u8
    }
}

impl DeviceRadio {
    const NOBODY: Self = Self {
        serving: CellIndex(0),
        neighbours: 0,
        gain: 0.0,
        fading: 0,
    };
}

fn gain_of(loss_db: f32) -> f32 {
    const LOG2_10: f32 = core::f32::consts::LOG2_10;
    libm::exp2f(loss_db * (-LOG2_10 / 10.0))
}

/// The coupling loss behind which the strongest that either end can send falls below the cut-off.
fn most_loss_db(config: &NetworkConfig, below_db: f64) -> f32 {
    let carrier = &config.carrier;
    let up_noise_dbm = noise_dbm(
        config.uplink.subcarrier_spacing.hz(),
        carrier.base_station_noise_figure_db,
    );
    let down_noise_dbm = noise_dbm(CARRIER_HZ, carrier.device_noise_figure_db);
    let up_db = config.device_power.maximum_dbm - up_noise_dbm;
    let down_db = carrier.downlink_power_dbm - down_noise_dbm;
    (up_db.max(down_db) + below_db) as f32
}
