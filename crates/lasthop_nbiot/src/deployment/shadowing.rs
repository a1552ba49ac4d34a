use lasthop_contract::RandomStream;

use super::hexagons::Place;
use crate::config::Shadowing;

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

    /// The part of the shadow of a place that all sites share.
    pub(super) fn common_db(&self, place: Place) -> f64 {
        self.common_db * self.normal_at(0, place)
    }

    /// The part of the shadow of a place that belongs to a site.
    pub(super) fn own_db(&self, site: usize, place: Place) -> f64 {
        self.own_db * self.normal_at(1 + site as u64, place)
    }

    /// A standard normal number that varies over the plane; layers are independent of each other.
    fn normal_at(&self, layer: u64, place: Place) -> f64 {
        let mut sum = 0.0;
        for (number, (pitch, share)) in GRIDS.iter().enumerate() {
            let scale = self.per_correlation_distance / pitch;
            let key = mixed(self.key ^ mixed(2 * layer + number as u64));
            sum += share.sqrt() * interpolated(key, place.x * scale, place.y * scale);
        }
        sum
    }
}

/// Between the four points around a place, so weighted that the variance is 1 everywhere.
fn interpolated(key: u64, x: f64, y: f64) -> f64 {
    let (left, low) = (x.floor(), y.floor());
    let (right_share, high_share) = (x - left, y - low);
    let (column, row) = (left as i64, low as i64);
    let mut sum = 0.0;
    for (along, x_share) in [(0, 1.0 - right_share), (1, right_share)] {
        for (up, y_share) in [(0, 1.0 - high_share), (1, high_share)] {
            sum += x_share * y_share * normal_of_point(key, column + along, row + up);
        }
    }
    let squares = |share: f64| share * share + (1.0 - share) * (1.0 - share);
    sum / (squares(right_share) * squares(high_share)).sqrt()
}

/// The number of ones in 64 random bits, blurred by one step: mean 32, variance 16 + 1/12, and so close to the normal
/// distribution that the kurtosis differs by 0.03.
fn normal_of_point(key: u64, column: i64, row: i64) -> f64 {
    const DEVIATION: f64 = 4.010_402_720_260_064;
    let point = (column as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (row as u64).rotate_left(32);
    let bits = mixed(key ^ mixed(point));
    let blur = (mixed(bits) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
    (f64::from(bits.count_ones()) - 32.5 + blur) / DEVIATION
}

/// The finaliser of splitmix64 (Steele, Lea and Flood 2014).
fn mixed(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
            let common = map.common_db(place);
            let (a, b) = (common + map.own_db(0, place), common + map.own_db(6, place));
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
                products += map.own_db(3, place) * map.own_db(3, other) / 64.0 / 60_000.0;
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
