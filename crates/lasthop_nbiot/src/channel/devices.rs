use crate::config::NetworkConfig;
use crate::deployment::{CellIndex, PathGains};

use super::CARRIER_HZ;
use crate::nth_least::nth_least;
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
}

/// A device's path to its own cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceRadio {
    pub(super) serving: CellIndex,
    neighbours: u8,
    pub(super) level: u8,
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
const MOST_NEIGHBOURS: usize = 8;

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
        }
    }

    pub(super) fn of(&self, device: u32) -> DeviceRadio {
        self.radios[device as usize]
    }

    pub(super) fn neighbours_of(&self, device: u32) -> &[Neighbour] {
        let count = usize::from(self.radios[device as usize].neighbours);
        &self.neighbours[device as usize * self.places..][..count]
    }

    /// A device takes this place, whoever had it before. The carriers that are like its own begin with the first of `carriers`;
    /// the other tells which cells have one.
    pub(super) fn insert(
        &mut self,
        device: u32,
        paths: &PathGains,
        carriers: (u8, impl Fn(CellIndex) -> bool),
        fading: u64,
    ) {
        let (first, _) = carriers;
        let at = device as usize;
        if at >= self.radios.len() {
            self.radios.resize(at + 1, DeviceRadio::NOBODY);
            let nobody = Neighbour {
                cell: CellIndex(0),
                gain: 0.0,
            };
            self.neighbours.resize((at + 1) * self.places, nobody);
        }
        let serving = CellIndex(paths.serving().0 + first);
        let neighbours = self.list_neighbours(at, paths, carriers);
        self.radios[at] = DeviceRadio {
            serving,
            neighbours,
            level: 0,
            gain: (-paths.coupling_loss()).ratio() as f32,
            fading,
        };
    }

    pub(super) fn set_level(&mut self, device: u32, level: u8) {
        self.radios[device as usize].level = level;
    }

    /// The path of a device is to another carrier of its cell, and to those of the same number in other cells.
    pub(super) fn tune(&mut self, device: u32, carrier: u8, cells: u8) {
        let first = carrier * cells;
        let radio = &mut self.radios[device as usize];
        radio.serving = CellIndex(radio.serving.0 % cells + first);
        let count = usize::from(radio.neighbours);
        for neighbour in &mut self.neighbours[device as usize * self.places..][..count] {
            neighbour.cell = CellIndex(neighbour.cell.0 % cells + first);
        }
    }

    /// Lists the strongest of the cells above the cut-off; what the others would add is shared out over them.
    fn list_neighbours(
        &mut self,
        at: usize,
        paths: &PathGains,
        (first, has_it): (u8, impl Fn(CellIndex) -> bool),
    ) -> u8 {
        let listed = &mut self.neighbours[at * self.places..][..self.places];
        let heard = || {
            (paths.to_others())
                .filter(|path| path.coupling_loss_db < self.most_loss_db && has_it(path.cell))
        };
        // The first for which no place is left.
        let most_loss_listed_db = nth_least::<{ MOST_NEIGHBOURS + 1 }>(
            heard().map(|path| f64::from(path.coupling_loss_db)),
        ) as f32;
        let (mut count, mut of_listed, mut of_others) = (0, 0.0, 0.0);
        for path in heard() {
            let gain = gain_of(path.coupling_loss_db);
            if path.coupling_loss_db < most_loss_listed_db {
                listed[count] = Neighbour {
                    cell: CellIndex(path.cell.0 + first),
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
        level: 0,
        gain: 0.0,
        fading: 0,
    };
}

/// The gain of a loss, within a millionth: 2^whole by its bits, 2^rest by a polynomial. Every drop needs dozens, and an
/// exact power takes three times as long.
fn gain_of(loss_db: f32) -> f32 {
    const LOG2_10: f32 = core::f32::consts::LOG2_10;
    let exponent = loss_db.min(MOST_LOSS_DB) * (-LOG2_10 / 10.0);
    let whole = exponent as i32 - 1;
    let x = exponent - whole as f32;
    // Taylor's series of 2^x around 1/2, where x is from 0 to 1.
    let y = (x - 0.5) * core::f32::consts::LN_2;
    let series = 1.0
        + y * (1.0
            + y * (0.5 + y * (1.0 / 6.0 + y * (1.0 / 24.0 + y * (1.0 / 120.0 + y / 720.0)))));
    f32::from_bits(((whole + 127) as u32) << 23) * series * core::f32::consts::SQRT_2
}

/// Above it a gain is nothing, and not far above it no number of 32 bits.
const MOST_LOSS_DB: f32 = 350.0;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_those_of_the_exact_power() {
        for step in 0..3500 {
            let loss_db = step as f32 / 10.0;
            let exact = libm::exp10(-f64::from(loss_db) / 10.0);
            let ratio = f64::from(gain_of(loss_db)) / exact;
            // A loss of 350 dB has itself an error of 3e-5 dB in 32 bits.
            assert!((ratio - 1.0).abs() < 1e-5, "{loss_db}: {ratio}");
        }
    }
}
