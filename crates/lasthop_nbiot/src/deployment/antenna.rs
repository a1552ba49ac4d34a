use core::f64::consts::{PI, TAU};

use crate::config::BaseStationAntenna;

/// The horizontal pattern of the three sectors of a site (TR 36.942 4.2.1.1); there is no vertical one.
#[derive(Clone, Debug)]
pub(super) struct SectorAntenna {
    gain_db: f64,
    beamwidth: f64,
    front_to_back_db: f64,
}

impl SectorAntenna {
    /// Sectors of a site.
    pub(super) const SECTORS: usize = 3;

    pub(super) fn new(config: &BaseStationAntenna) -> Self {
        Self {
            gain_db: config.gain_dbi - config.cable_loss_db,
            beamwidth: config.beamwidth_deg.to_radians(),
            front_to_back_db: config.front_to_back_db,
        }
    }

    /// The direction in which a sector looks, in radians.
    pub(super) fn boresight(sector: usize) -> f64 {
        TAU / Self::SECTORS as f64 * sector as f64
    }

    /// What antenna and cable add in a direction given in radians.
    pub(super) fn gain_db(&self, sector: usize, direction: f64) -> f64 {
        let off = direction - Self::boresight(sector);
        // Directions lie in (-pi, pi] and boresights in [0, 2 pi).
        let off = if off <= -PI { off + TAU } else { off };
        let share = off / self.beamwidth;
        self.gain_db - (12.0 * share * share).min(self.front_to_back_db)
    }
}

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
                let mut direction = f64::to_radians(ahead_deg + off_deg);
                if direction > PI {
                    direction -= TAU;
                }
                let got = antenna.gain_db(sector, direction);
                assert!((got - gain_db).abs() < 1e-9, "{sector} {off_deg}: {got}");
            }
        }
    }
}
