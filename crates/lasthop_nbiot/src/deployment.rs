//! The positions of cells and devices, and the path loss between them.

mod antenna;
mod hexagons;
mod indoor_loss;
mod path_gains;
mod shadowing;

pub use path_gains::{CellIndex, Path, PathGains};

use lasthop_contract::RandomStream;

use self::antenna::SectorAntenna;
use self::hexagons::{Place, SiteGrid};
use self::shadowing::ShadowMap;
use crate::config::{IndoorLoss, NetworkConfig, Placement};

/// A map of the path loss between cells and positions. It draws the positions of devices and computes their coupling
/// losses.
///
/// A device that appears is a fresh draw, uniform over the hexagons of all cells. It belongs to the cell that it receives most strongly, as a device does (TS 36.304 section 5.2.3.2), which need not be
/// the one in whose hexagon it is.
#[derive(Clone, Debug)]
pub struct RadioMap(Terrain);

#[derive(Clone, Debug)]
enum Terrain {
    Stated { cells: u8, coupling_loss_db: f64 },
    Sites(Box<Sites>),
}

#[derive(Clone, Debug)]
struct Sites {
    cells: u8,
    grid: SiteGrid,
    at_1_km_db: f64,
    per_decade_db: f64,
    shadows: ShadowMap,
    antenna: SectorAntenna,
    device_antenna_gain_db: f64,
    indoor_loss: IndoorLoss,
    minimum_coupling_loss_db: f32,
}

/// Nobody is nearer to an antenna than this, so that the path loss stays finite; the minimum coupling loss rules there.
const NEAREST_M: f64 = 1.0;

impl RadioMap {
    /// Creates the map of a network. The seed determines the shadowing.
    #[must_use]
    pub fn new(config: &NetworkConfig, seed: u64) -> Self {
        let terrain = match &config.placement {
            Placement::StatedCouplingLoss {
                cells,
                coupling_loss_db,
            } => Terrain::Stated {
                cells: *cells as u8,
                coupling_loss_db: *coupling_loss_db,
            },
            Placement::Deployment(deployment) => Terrain::Sites(Box::new(Sites {
                cells: deployment.cells as u8,
                grid: SiteGrid::new(
                    usize::from(deployment.cells).div_ceil(SectorAntenna::SECTORS),
                    deployment.inter_site_distance_m,
                    deployment.wrap_around,
                ),
                at_1_km_db: deployment.path_loss.at_1_km_db,
                per_decade_db: deployment.path_loss.per_decade_db,
                shadows: ShadowMap::new(&deployment.shadowing, seed),
                antenna: SectorAntenna::new(&deployment.antenna),
                device_antenna_gain_db: deployment.device_antenna_gain_dbi,
                indoor_loss: deployment.indoor_loss.clone(),
                minimum_coupling_loss_db: deployment.minimum_coupling_loss_db as f32,
            })),
        };
        Self(terrain)
    }

    /// Returns the number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        match &self.0 {
            Terrain::Stated { cells, .. } => usize::from(*cells),
            Terrain::Sites(sites) => usize::from(sites.cells),
        }
    }

    /// Draws the position of a device and writes its path losses to `gains`, whose memory is reused.
    ///
    /// Without positions, the device's number selects its cell, and it has no path to any other cell. With positions
    /// and a stated coupling loss, all its path losses are shifted by the same amount, so that the differences between
    /// cells stay.
    pub fn drop_device(
        &self,
        number: u64,
        stream: &mut RandomStream,
        stated_db: Option<f64>,
        gains: &mut PathGains,
    ) {
        self.draw_device(number, stream, gains);
        if let Some(coupling_loss_db) = stated_db {
            gains.move_to(coupling_loss_db);
        }
    }

    fn draw_device(&self, number: u64, stream: &mut RandomStream, gains: &mut PathGains) {
        gains.clear();
        match &self.0 {
            Terrain::Stated {
                cells,
                coupling_loss_db,
            } => gains.push(Path {
                cell: CellIndex((number % u64::from(*cells)) as u8),
                coupling_loss_db: *coupling_loss_db as f32,
            }),
            Terrain::Sites(sites) => {
                let place = sites.draw_place(stream);
                // Last, so that the law of the loss into buildings moves no device.
                let indoor_db = indoor_loss::draw(&sites.indoor_loss, stream);
                sites.write_paths(place, indoor_db, gains);
            }
        }
    }
}

impl Sites {
    fn draw_place(&self, stream: &mut RandomStream) -> Place {
        let cell = stream.below(u64::from(self.cells)) as usize;
        let (site, sector) = (cell / SectorAntenna::SECTORS, cell % SectorAntenna::SECTORS);
        self.grid.draw_in_cell(site, sector, stream)
    }

    fn write_paths(&self, place: Place, indoor_db: f64, gains: &mut PathGains) {
        let shadows = self.shadows.around(place);
        let everywhere_db = shadows.common_db() + indoor_db - self.device_antenna_gain_db;
        for (site, way) in self.grid.nearest_sites(place) {
            let metres_squared = way.length_squared().max(NEAREST_M * NEAREST_M);
            let decades = 0.5 * f64::from(libm::log10f(metres_squared as f32)) - 3.0;
            let path_db = self.at_1_km_db
                + self.per_decade_db * decades
                + everywhere_db
                + shadows.own_db(site);
            let direction = way.direction();
            let first = site * SectorAntenna::SECTORS;
            let sectors = SectorAntenna::SECTORS.min(usize::from(self.cells) - first);
            for sector in 0..sectors {
                let loss_db = path_db as f32 - self.antenna.gain_db(sector, direction);
                gains.push(Path {
                    cell: CellIndex((first + sector) as u8),
                    coupling_loss_db: loss_db.max(self.minimum_coupling_loss_db),
                });
            }
        }
    }
}
