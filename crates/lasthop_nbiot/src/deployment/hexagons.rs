use lasthop_contract::RandomStream;
use smallvec::SmallVec;

use super::antenna::SectorAntenna;
use crate::config::NetworkConfig;
use crate::nth_least::nth_least;

/// Sites on a hexagonal grid, each the corner at which its three hexagonal cells meet (TR 36.942 section 4.2.1.1).
///
/// The cells are hexagons of side `inter-site distance / 3`; a sector looks across the middle of its own. With
/// wrap-around the cluster is a torus: six copies of it surround it, and of a site and its copies the nearest counts.
#[derive(Clone, Debug)]
pub(super) struct SiteGrid {
    sites: Vec<Place>,
    /// By how much the cluster is shifted for three of its copies; the other three lie opposite. None without
    /// wrap-around.
    shifts: SmallVec<[Place; 3]>,
    per_squared_shift: f64,
    hexagon_side_m: f64,
}

/// A point or a way in the plane, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A device hears this many sites; those farther off add less than a tenth to the interference.
const NEAREST: usize = 12;
/// Of the largest network.
const MOST_SITES: usize = NetworkConfig::MAX_CELLS as usize / SectorAntenna::SECTORS;

const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;
/// The directions in which the sectors of a site look, in which also three corners of a hexagon lie.
const AHEAD: [Place; SectorAntenna::SECTORS] = [
    Place { x: 1.0, y: 0.0 },
    Place {
        x: -0.5,
        y: HALF_ROOT_3,
    },
    Place {
        x: -0.5,
        y: -HALF_ROOT_3,
    },
];

impl SiteGrid {
    /// The sites nearest to the middle, as many as asked for.
    ///
    /// With wrap-around their number must be i^2 + i j + j^2 for whole i and j, which the configuration checks.
    pub(super) fn new(sites: usize, inter_site_distance_m: f64, wrap_around: bool) -> Self {
        let cluster = if wrap_around {
            shift_of_cluster(sites)
        } else {
            None
        };
        let metres = |(along, across): (i32, i32)| Place {
            x: inter_site_distance_m * (f64::from(along) + 0.5 * f64::from(across)),
            y: inter_site_distance_m * HALF_ROOT_3 * f64::from(across),
        };
        let mut chosen: Vec<(i32, i32)> = Vec::with_capacity(sites);
        for point in grid_points_from_the_middle() {
            let is_copy = |other: &(i32, i32)| {
                cluster.is_some_and(|shift| is_shift(shift, (point.0 - other.0, point.1 - other.1)))
            };
            if chosen.len() < sites && !chosen.iter().any(is_copy) {
                chosen.push(point);
            }
        }
        let mut shifts = SmallVec::new();
        if let Some(mut shift) = cluster {
            for _ in 0..3 {
                shifts.push(metres(shift));
                shift = turned_by_60_degrees(shift);
            }
        }
        Self {
            per_squared_shift: shifts
                .first()
                .map_or(0.0, |shift: &Place| 1.0 / shift.times(*shift)),
            shifts,
            sites: chosen.into_iter().map(metres).collect(),
            hexagon_side_m: inter_site_distance_m / 3.0,
        }
    }

    /// The sites nearest to a place, in the order of their numbers, and the way from each of them to it.
    pub(super) fn nearest_sites(&self, place: Place) -> SmallVec<[(usize, Place); NEAREST]> {
        let ways: SmallVec<[Place; MOST_SITES]> = (0..self.sites.len())
            .map(|site| self.way(site, place))
            .collect();
        let farthest = if ways.len() > NEAREST {
            nth_least::<NEAREST>(ways.iter().map(|way| way.length_squared()))
        } else {
            f64::INFINITY
        };
        let near = ways.iter().enumerate();
        near.filter(|(_, way)| way.length_squared() <= farthest)
            .map(|(site, way)| (site, *way))
            .collect()
    }

    /// The way from a site, or from its nearest copy, to a place.
    pub(super) fn way(&self, site: usize, place: Place) -> Place {
        self.shortest(place.minus(self.sites[site]))
    }

    /// The shortest of a way and what it becomes when its start is shifted to a copy of the cluster.
    ///
    /// All shifts have the same length, so that the shift farthest along the way shortens it most, and does so if the
    /// way is more than half a shift long in that direction.
    fn shortest(&self, way: Place) -> Place {
        let mut most = 0.5;
        let mut best = Place { x: 0.0, y: 0.0 };
        for shift in &self.shifts {
            let along = way.times(*shift) * self.per_squared_shift;
            if along.abs() > most {
                most = along.abs();
                best = if along > 0.0 {
                    *shift
                } else {
                    Place { x: 0.0, y: 0.0 }.minus(*shift)
                };
            }
        }
        way.minus(best)
    }

    /// A place in the hexagon of a cell, each as likely as the next.
    pub(super) fn draw_in_cell(
        &self,
        site: usize,
        sector: usize,
        stream: &mut RandomStream,
    ) -> Place {
        let side = self.hexagon_side_m;
        let ahead = AHEAD[sector];
        let mut place = draw_in_hexagon(side, stream);
        // The grid of hexagons has corners ahead and behind; the three at a site differ by turns of 120 degrees.
        place.x += self.sites[site].x + side * ahead.x;
        place.y += self.sites[site].y + side * ahead.y;
        // From nearest to the middle one ring of copies is enough.
        self.shortest(place)
    }
}

impl Place {
    fn minus(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            y: self.y - other.y,
        }
    }

    fn times(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    pub(super) fn length_squared(self) -> f64 {
        self.times(self)
    }

    /// In radians from the x axis, from -pi to pi.
    pub(super) fn direction(self) -> f32 {
        libm::atan2f(self.y as f32, self.x as f32)
    }
}

/// A point in the hexagon around the origin that has corners on the x axis: one of three rhombs, then a point in it.
fn draw_in_hexagon(side: f64, stream: &mut RandomStream) -> Place {
    let corner = stream.below(3) as usize;
    let (u, v) = (stream.unit() * side, stream.unit() * side);
    let (first, second) = (AHEAD[corner], AHEAD[(corner + 1) % 3]);
    Place {
        x: u * first.x + v * second.x,
        y: u * first.y + v * second.y,
    }
}

/// The shift between a cluster of so many sites and its neighbour, in steps of the grid; `None` if none tiles the plane.
fn shift_of_cluster(sites: usize) -> Option<(i32, i32)> {
    let sites = sites as i32;
    (0..=sites)
        .flat_map(|i| (0..=i).map(move |j| (i, j)))
        .find(|(i, j)| i * i + i * j + j * j == sites)
}

/// In coordinates along the two axes of the grid, which are 60 degrees apart.
fn turned_by_60_degrees((along, across): (i32, i32)) -> (i32, i32) {
    (-across, along + across)
}

/// Whether a way on the grid leads from a cluster to the same place in another.
fn is_shift(shift: (i32, i32), (along, across): (i32, i32)) -> bool {
    let (i, j) = shift;
    let sites = i * i + i * j + j * j;
    (along * (i + j) + across * j) % sites == 0 && (across * i - along * j) % sites == 0
}

/// More points than any network has sites, the nearest first and those as far in the order of their coordinates.
fn grid_points_from_the_middle() -> Vec<(i32, i32)> {
    const REACH: i32 = 9;
    let mut points: Vec<(i32, i32)> = (-REACH..=REACH)
        .flat_map(|along| (-REACH..=REACH).map(move |across| (along, across)))
        .collect();
    points.sort_by_key(|(p, q)| (p * p + p * q + q * q, *q, *p));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(way: Place) -> f64 {
        way.length_squared().sqrt()
    }

    const DISTANCE_M: f64 = 1732.0;

    #[test]
    fn every_site_of_a_wrapped_cluster_sees_the_same_network() {
        for sites in [3, 4, 7, 9, 12, 13, 16, 19, 21, 25, 27, 28] {
            let grid = SiteGrid::new(sites, DISTANCE_M, true);
            assert_eq!(grid.sites.len(), sites);
            let seen_from = |at: usize| {
                let mut distances: Vec<i64> = (0..sites)
                    .map(|site| length(grid.way(site, grid.sites[at])).round() as i64)
                    .collect();
                distances.sort_unstable();
                distances
            };
            assert_eq!(
                seen_from(0)[1],
                1732,
                "{sites}: the neighbour is where it should be"
            );
            for at in 1..sites {
                assert_eq!(seen_from(at), seen_from(0), "{sites} sites, site {at}");
            }
        }
    }

    #[test]
    fn seven_sites_are_one_and_its_six_neighbours_at_half_the_turn_of_their_copies() {
        let grid = SiteGrid::new(7, DISTANCE_M, true);
        for site in 1..7 {
            assert!((length(grid.sites[site]) - DISTANCE_M).abs() < 1e-6);
        }
        for shift in &grid.shifts {
            assert!((length(*shift) - DISTANCE_M * 7_f64.sqrt()).abs() < 1e-6);
        }
    }

    #[test]
    fn one_ring_of_copies_finds_the_nearest() {
        let mut stream = RandomStream::named(1, "wrap-around");
        for sites in [1, 3, 7, 12, 28] {
            let grid = SiteGrid::new(sites, DISTANCE_M, true);
            let (t1, t2) = (grid.shifts[0], grid.shifts[1]);
            for _ in 0..2000 {
                let cell = stream.below(3 * sites as u64) as usize;
                let place = grid.draw_in_cell(cell / 3, cell % 3, &mut stream);
                let site = stream.below(sites as u64) as usize;
                let mut nearest = f64::INFINITY;
                for (k, l) in
                    (-4..=4).flat_map(|k| (-4..=4).map(move |l| (f64::from(k), f64::from(l))))
                {
                    let way = place.minus(grid.sites[site]);
                    let shifted = Place {
                        x: way.x + k * t1.x + l * t2.x,
                        y: way.y + k * t1.y + l * t2.y,
                    };
                    nearest = nearest.min(length(shifted));
                }
                assert!(
                    (length(grid.way(site, place)) - nearest).abs() < 1e-6,
                    "{sites}"
                );
            }
        }
    }

    #[test]
    fn a_drop_fills_the_hexagon_of_its_cell_evenly() {
        // 60,000 points: the share of each sixth of the hexagon is 1/6 with a standard error of 0.0015.
        let grid = SiteGrid::new(1, DISTANCE_M, false);
        let side = DISTANCE_M / 3.0;
        let mut stream = RandomStream::named(2, "hexagon");
        for (sector, ahead) in AHEAD.into_iter().enumerate() {
            let centre = Place {
                x: side * ahead.x,
                y: side * ahead.y,
            };
            let mut sixths = [0_u32; 6];
            let mut square_sum = 0.0;
            for _ in 0..60_000 {
                let off = grid.draw_in_cell(0, sector, &mut stream).minus(centre);
                assert!(length(off) <= side * (1.0 + 1e-9));
                assert!(off.y.abs() <= side * HALF_ROOT_3 * (1.0 + 1e-9));
                let turn = (off.direction() / core::f32::consts::TAU).rem_euclid(1.0);
                sixths[(turn * 6.0) as usize % 6] += 1;
                square_sum += off.length_squared();
            }
            for count in sixths {
                assert!(
                    (f64::from(count) / 60_000.0 - 1.0 / 6.0).abs() < 0.0075,
                    "{sixths:?}"
                );
            }
            // The second moment of a regular hexagon about its middle is 5/12 of the side squared; 5 standard errors.
            let moment = square_sum / 60_000.0 / (side * side);
            assert!((moment - 5.0 / 12.0).abs() < 0.006, "{moment}");
        }
    }

    #[test]
    fn of_many_sites_the_nearest_are_heard() {
        let grid = SiteGrid::new(28, DISTANCE_M, true);
        let mut stream = RandomStream::named(3, "nearest");
        for _ in 0..500 {
            let place = grid.draw_in_cell(stream.below(28) as usize, 0, &mut stream);
            let heard = grid.nearest_sites(place);
            let farthest = heard
                .iter()
                .map(|(_, way)| length(*way))
                .fold(0.0, f64::max);
            let nearer = (0..28)
                .filter(|site| length(grid.way(*site, place)) <= farthest)
                .count();
            assert_eq!((heard.len(), nearer), (NEAREST, NEAREST));
            assert!(heard.is_sorted_by_key(|(site, _)| *site));
        }
        assert_eq!(
            SiteGrid::new(7, DISTANCE_M, true)
                .nearest_sites(Place { x: 1.0, y: 2.0 })
                .len(),
            7
        );
    }

    #[test]
    fn what_does_not_tile_has_no_cluster() {
        for sites in [2, 5, 6, 8, 10, 11, 14, 15] {
            assert_eq!(shift_of_cluster(sites), None, "{sites}");
        }
        assert_eq!(shift_of_cluster(7), Some((2, 1)));
        assert_eq!(SiteGrid::new(5, DISTANCE_M, false).sites.len(), 5);
    }
}
