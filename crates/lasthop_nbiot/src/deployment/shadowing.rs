use lasthop_contract::RandomStream;

use super::hexagons::Place;
use crate::config::Shadowing;
use crate::mixed::mixed;

/// Log-normal shadowing as a function of place and site, in no memory: random numbers at the points of two square
/// grids are hashed from their coordinates and interpolated between.
///
/// A place has a part common to all sites and a part of each site; the sectors of a site share theirs.
#[derive(Clone, Debug)]
pub(super) struct ShadowMap {
    key: u64,
    /// How finely a metre divides the correlation distance.
    per_correlation_distance: f64,
    common_db: f64,
    own_db: f64,
}

/// The shadows of one place.
#[derive(Clone, Debug)]
pub(super) struct Shadows<'a> {
    map: &'a ShadowMap,
    /// The points of the grids around the place, hashed, and how much each counts.
    points: [(u64, f64); 4 * GRIDS.len()],
}

/// Pitches of the two grids in correlation distances, and the share of the variance that each carries.
///
/// Fitted (non-negative least squares) so that the correlation over distance follows exp(-distance / correlation
/// distance); it keeps within 0.1 of it.
const GRIDS: [(f64, f64); 2] = [(60.0 / 110.0, 0.555), (240.0 / 110.0, 0.445)];

impl ShadowMap {
    pub(super) fn new(config: &Shadowing, seed: u64) -> Self {
        let deviation_db = config.standard_deviation_db;
        Self {
            key: RandomStream::named(seed, "nbiot/shadowing").next_u64(),
            per_correlation_distance: 1.0 / config.correlation_distance_m,
            common_db: deviation_db * config.site_correlation.sqrt(),
            own_db: deviation_db * (1.0 - config.site_correlation).sqrt(),
        }
    }

    /// The shadows of a place.
    pub(super) fn around(&self, place: Place) -> Shadows<'_> {
        let mut points = [(0, 0.0); 4 * GRIDS.len()];
        for (number, (pitch, share)) in GRIDS.iter().enumerate() {
            let scale = self.per_correlation_distance / pitch;
            let around = points_around(place.x * scale, place.y * scale);
            for (slot, (point, weight)) in points[4 * number..].iter_mut().zip(around) {
                *slot = (
                    mixed(self.key ^ point).wrapping_add(number as u64),
                    weight * share.sqrt(),
                );
            }
        }
        Shadows { map: self, points }
    }
}

impl Shadows<'_> {
    /// The part that all sites share.
    pub(super) fn common_db(&self) -> f64 {
        self.map.common_db * self.normal(0)
    }

    /// The part that belongs to a site.
    pub(super) fn own_db(&self, site: usize) -> f64 {
        self.map.own_db * self.normal(1 + site as u64)
    }

    /// A standard normal number that varies over the plane; layers are independent of each other.
    fn normal(&self, layer: u64) -> f64 {
        let layer = layer.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let weighted = self
            .points
            .iter()
            .map(|(point, weight)| weight * normal_of(mixed(point ^ layer)));
        weighted.sum()
    }
}

/// The four points of a square grid of pitch 1 around a place, and their weights, whose squares add up to 1 wherever
/// the place is.
fn points_around(x: f64, y: f64) -> [(u64, f64); 4] {
    let (left, low) = (x.floor(), y.floor());
    let (right_share, high_share) = (x - left, y - low);
    let squares = |share: f64| share * share + (1.0 - share) * (1.0 - share);
    let scale = 1.0 / (squares(right_share) * squares(high_share)).sqrt();
    let point = |along: i64, up: i64| {
        let (column, row) = ((left as i64 + along) as u64, (low as i64 + up) as u64);
        column.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ row.rotate_left(32)
    };
    [
        (
            point(0, 0),
            (1.0 - right_share) * (1.0 - high_share) * scale,
        ),
        (point(1, 0), right_share * (1.0 - high_share) * scale),
        (point(0, 1), (1.0 - right_share) * high_share * scale),
        (point(1, 1), right_share * high_share * scale),
    ]
}

/// The sum of the four words of 64 random bits, as a standard normal number. The kurtosis of one is 0.3 too small; of a
/// shadow, which adds up many, by 0.03.
fn normal_of(bits: u64) -> f64 {
    const WORDS: u64 = 0x0000_ffff_0000_ffff;
    const MEAN: f64 = 131_070.0;
    const DEVIATION: f64 = 37_837.227_4;
    let pairs = (bits & WORDS) + (bits >> 16 & WORDS);
    let sum = (pairs + (pairs >> 32)) & 0xffff_ffff;
    (sum as i64 as f64 - MEAN) * (1.0 / DEVIATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(site_correlation: f64) -> ShadowMap {
        let config = Shadowing {
            standard_deviation_db: 8.0,
            correlation_distance_m: 110.0,
            site_correlation,
        };
        ShadowMap::new(&config, 5)
    }

    fn random_place(stream: &mut RandomStream) -> Place {
        Place {
            x: (stream.unit() - 0.5) * 2e6,
            y: (stream.unit() - 0.5) * 2e6,
        }
    }

    #[test]
    fn shadows_have_the_declared_spread_and_the_declared_correlation_between_sites() {
        // 100,000 independent places: standard error of the deviation 0.018 dB, of the correlation 0.003.
        let map = map(0.5);
        let mut stream = RandomStream::named(1, "places");
        let (mut sum, mut squares, mut products, mut fourth) = (0.0, 0.0, 0.0, 0.0);
        let count = 100_000.0;
        for _ in 0..100_000 {
            let place = random_place(&mut stream);
            let shadows = map.around(place);
            let common = shadows.common_db();
            let (a, b) = (common + shadows.own_db(0), common + shadows.own_db(6));
            sum += a;
            squares += a * a;
            products += a * b;
            fourth += a * a * a * a;
        }
        let variance = squares / count;
        assert!((sum / count).abs() < 0.13, "{}", sum / count);
        assert!((variance.sqrt() - 8.0).abs() < 0.1, "{}", variance.sqrt());
        assert!(
            (products / count / variance - 0.5).abs() < 0.02,
            "{}",
            products / count / variance
        );
        // Kurtosis of the normal distribution is 3; standard error 0.016.
        let kurtosis = fourth / count / (variance * variance);
        assert!((kurtosis - 3.0).abs() < 0.1, "{kurtosis}");
    }

    #[test]
    fn the_correlation_over_distance_is_near_the_exponential() {
        let map = map(0.0);
        let mut stream = RandomStream::named(2, "pairs");
        for distance_m in [10.0, 40.0, 80.0, 110.0, 150.0, 250.0, 500.0] {
            let mut products = 0.0;
            for _ in 0..60_000 {
                let place = random_place(&mut stream);
                let turn = stream.unit() * core::f64::consts::TAU;
                let other = Place {
                    x: place.x + distance_m * libm::cos(turn),
                    y: place.y + distance_m * libm::sin(turn),
                };
                products +=
                    map.around(place).own_db(3) * map.around(other).own_db(3) / 64.0 / 60_000.0;
            }
            // 0.1 of the fit, and four standard errors of 0.005.
            let expected = libm::exp(-distance_m / 110.0);
            assert!(
                (products - expected).abs() < 0.12,
                "{distance_m}: {products} {expected}"
            );
        }
    }
}
