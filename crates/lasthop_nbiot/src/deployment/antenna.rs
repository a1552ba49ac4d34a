use core::f32::consts::{PI, TAU};

use crate::config::BaseStationAntenna;

/// The horizontal pattern of the three sectors of a site (TR 36.942 section 4.2.1.1); there is no vertical one.
#[derive(Clone, Debug)]
pub(super) struct SectorAntenna {
    gain_db: f32,
    /// What a radian off the boresight takes off, which grows with the square.
    per_squared_radian_db: f32,
    front_to_back_db: f32,
}

impl SectorAntenna {
    /// Sectors of a site.
    pub(super) const SECTORS: usize = 3;

    pub(super) fn new(config: &BaseStationAntenna) -> Self {
        let beamwidth = config.beamwidth_deg.to_radians();
        Self {
            gain_db: (config.gain_dbi - config.cable_loss_db) as f32,
            per_squared_radian_db: (12.0 / (beamwidth * beamwidth)) as f32,
            front_to_back_db: config.front_to_back_db as f32,
        }
    }

    /// What antenna and cable add in a direction given in radians, -pi to pi.
    pub(super) fn gain_db(&self, sector: usize, direction: f32) -> f32 {
        let off = direction - BORESIGHTS[sector];
        let off = if off < -PI { off + TAU } else { off };
        let lost_db = self.per_squared_radian_db * off * off;
        let is_ahead = lost_db < self.front_to_back_db;
        self.gain_db
            - if is_ahead {
                lost_db
            } else {
                self.front_to_back_db
            }
    }
}

/// The directions in which sectors look, in radians.
const BORESIGHTS: [f32; SectorAntenna::SECTORS] = [0.0, TAU / 3.0, TAU / 1.5];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_strongest_ahead_half_at_the_edge_of_its_beam_and_weakest_behind() {
        let antenna = SectorAntenna::new(&BaseStationAntenna {
            gain_dbi: 18.0,
            beamwidth_deg: 65.0,
            front_to_back_db: 20.0,
            cable_loss_db: 3.0,
        });
        for (sector, ahead_deg) in [(0, 0.0), (1, 120.0), (2, -120.0)] {
            for (off_deg, gain_db) in [(0.0, 15.0), (32.5, 12.0), (-32.5, 12.0), (180.0, -5.0)] {
                let mut direction = f32::to_radians(ahead_deg + off_deg);
                if direction > PI {
                    direction -= TAU;
                }
                let got = antenna.gain_db(sector, direction);
                assert!((got - gain_db).abs() < 1e-4, "{sector} {off_deg}: {got}");
            }
        }
    }
}
