use serde::{Deserialize, Serialize};

use super::allowed::{integer_within, within};
use super::{ConfigError, NetworkConfig};

/// The positions of cells and devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Placement {
    /// Isolated cells in which every device has the same coupling loss. Devices are assigned to cells in turn.
    StatedCouplingLoss {
        /// The number of cells: 1 to 84.
        cells: u16,
        /// The coupling loss between the antenna connectors of base station and device (TR 45.820), 70 to 180 dB.
        coupling_loss_db: f64,
    },
    /// Sites with three sectors, and devices at random positions between them.
    Deployment(Deployment),
}

/// Three-sector sites on a hexagonal grid, with a path loss model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// The number of cells, 1 to 84. Each site has three; the last site may have fewer.
    pub cells: u16,
    /// The distance between neighbouring sites, in metres.
    pub inter_site_distance_m: f64,
    /// Whether copies of the cluster surround it (wrap-around), so that no cell is at an edge.
    pub wrap_around: bool,
    /// The path loss over distance.
    pub path_loss: PathLoss,
    /// Log-normal shadowing: slow, correlated variation around the path loss.
    pub shadowing: Shadowing,
    /// The antenna of a sector.
    pub antenna: BaseStationAntenna,
    /// The antenna gain of a device, in dBi.
    pub device_antenna_gain_dbi: f64,
    /// The building penetration loss.
    pub indoor_loss: IndoorLoss,
    /// The minimum coupling loss, in dB.
    pub minimum_coupling_loss_db: f64,
}

/// A log-distance path loss model: loss in dB = `at_1_km_db` + `per_decade_db` log10(distance in km).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathLoss {
    /// The path loss at a distance of one kilometre, in dB.
    pub at_1_km_db: f64,
    /// The additional path loss for each factor of ten in distance, in dB.
    pub per_decade_db: f64,
}

/// Log-normal shadowing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shadowing {
    /// The standard deviation, in dB.
    pub standard_deviation_db: f64,
    /// The distance at which the correlation between two places has fallen to 1/e.
    pub correlation_distance_m: f64,
    /// The correlation between the paths to two sites. Sectors of one site are fully correlated.
    pub site_correlation: f64,
}

/// The antenna of a sector: horizontal pattern in dB = gain - min(12 (angle / beamwidth)^2, front to back).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseStationAntenna {
    /// The gain in the main direction, in dBi.
    pub gain_dbi: f64,
    /// The angle between the points 3 dB below the main direction, in degrees.
    pub beamwidth_deg: f64,
    /// The maximum attenuation of the pattern, in dB.
    pub front_to_back_db: f64,
    /// The cable loss between the antenna and its connector, in dB.
    pub cable_loss_db: f64,
}

/// The building penetration loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum IndoorLoss {
    /// The same penetration loss for all devices.
    Fixed {
        /// The penetration loss, in dB.
        loss_db: f64,
    },
    /// A random penetration loss through external and internal walls, with depth (TR 45.820 annex D, scenario 1).
    Tr45820,
}

impl Placement {
    /// The table of coupling losses ends here: TR 45.820 evaluates at 144, 154 and 164 dB.
    const COUPLING_LOSS_DB: core::ops::RangeInclusive<f64> = 70.0..=180.0;

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match self {
            Self::StatedCouplingLoss {
                cells,
                coupling_loss_db,
            } => {
                check_cells(*cells).map_err(|e| e.under("stated_coupling_loss"))?;
                within(
                    "stated_coupling_loss.coupling_loss_db",
                    *coupling_loss_db,
                    Self::COUPLING_LOSS_DB,
                    "the range of the link tables (TR 45.820 evaluates at 144, 154 and 164 dB)",
                    "dB",
                )
            }
            Self::Deployment(deployment) => deployment.check().map_err(|e| e.under("deployment")),
        }
    }
}

impl Deployment {
    /// Whether this number of sites tiles the plane: i^2 + i j + j^2 for integers i and j.
    #[must_use]
    pub fn is_cluster(sites: u16) -> bool {
        let sites = u32::from(sites);
        (0..=sites)
            .take_while(|i| i * i <= sites)
            .any(|i| (0..=i).any(|j| i * i + i * j + j * j == sites && sites > 0))
    }

    fn check(&self) -> Result<(), ConfigError> {
        check_cells(self.cells)?;
        if self.wrap_around && (!self.cells.is_multiple_of(3) || !Self::is_cluster(self.cells / 3))
        {
            return Err(ConfigError::new(
                "wrap_around",
                format!(
                    "wraps around {} cells; a cluster tiles the plane with 3, 9, 12, 21, 27, 36, 39, 48, 57, 63, 75, \
                     81 or 84 cells; choose one of them, or write \"wrap_around: off\"",
                    self.cells
                ),
            ));
        }
        let real = |field: &str, value: f64, bounds, unit: &str| {
            within(field, value, bounds, "the deployment table", unit)
        };
        real(
            "inter_site_distance_m",
            self.inter_site_distance_m,
            50.0..=100_000.0,
            "m",
        )?;
        real(
            "path_loss.at_1_km_db",
            self.path_loss.at_1_km_db,
            0.0..=300.0,
            "dB",
        )?;
        real(
            "path_loss.per_decade_db",
            self.path_loss.per_decade_db,
            10.0..=100.0,
            "dB",
        )?;
        let shadowing = &self.shadowing;
        real(
            "shadowing.standard_deviation_db",
            shadowing.standard_deviation_db,
            0.0..=20.0,
            "dB",
        )?;
        real(
            "shadowing.correlation_distance_m",
            shadowing.correlation_distance_m,
            1.0..=10_000.0,
            "m",
        )?;
        real(
            "shadowing.site_correlation",
            shadowing.site_correlation,
            0.0..=1.0,
            "",
        )?;
        real(
            "antenna.gain_dbi",
            self.antenna.gain_dbi,
            -10.0..=30.0,
            "dBi",
        )?;
        real(
            "antenna.beamwidth_deg",
            self.antenna.beamwidth_deg,
            1.0..=360.0,
            "degrees",
        )?;
        real(
            "antenna.front_to_back_db",
            self.antenna.front_to_back_db,
            0.0..=60.0,
            "dB",
        )?;
        real(
            "antenna.cable_loss_db",
            self.antenna.cable_loss_db,
            0.0..=20.0,
            "dB",
        )?;
        real(
            "device_antenna_gain_dbi",
            self.device_antenna_gain_dbi,
            -30.0..=30.0,
            "dBi",
        )?;
        if let IndoorLoss::Fixed { loss_db } = self.indoor_loss {
            real("indoor_loss.fixed.loss_db", loss_db, 0.0..=60.0, "dB")?;
        }
        real(
            "minimum_coupling_loss_db",
            self.minimum_coupling_loss_db,
            0.0..=120.0,
            "dB",
        )
    }
}

fn check_cells(cells: u16) -> Result<(), ConfigError> {
    integer_within(
        "cells",
        u64::from(cells),
        1..=u64::from(NetworkConfig::MAX_CELLS),
        "the deployment table (sites of 3 sectors)",
        "cells",
    )
}
