use lasthop_contract::RandomStream;

use crate::config::IndoorLoss;

/// The loss into the building of one device, in dB. A device takes as many draws whatever is drawn.
pub(super) fn draw(loss: &IndoorLoss, stream: &mut RandomStream) -> f64 {
    match loss {
        IndoorLoss::Fixed { loss_db } => *loss_db,
        IndoorLoss::Tr45820 => external_wall_db(stream) + inside_db(stream),
    }
}

/// TR 45.820 annex D, scenario 1: the share of buildings, and the bounds between which the loss is uniform, in dB.
const EXTERNAL_WALLS: [(f64, f64, f64); 3] =
    [(0.25, 4.0, 11.0), (0.65, 11.0, 19.0), (0.10, 19.0, 23.0)];
/// The chances of none, one and two internal walls in the way; three have the rest.
const FEWER_WALLS: [f64; 3] = [0.2833, 0.2833, 0.2833];
/// The bounds between which the loss of an internal wall is uniform, in dB.
const INTERNAL_WALL_DB: (f64, f64) = (4.0, 10.0);
/// A device is at most this deep in the building, each depth as likely as the next.
const DEEPEST_M: f64 = 15.0;
/// What a metre of depth attenuates at least.
const DEPTH_DB_PER_M: f64 = 0.6;

fn external_wall_db(stream: &mut RandomStream) -> f64 {
    let (mut building, within) = (stream.unit(), stream.unit());
    for (share, low, high) in EXTERNAL_WALLS {
        if building < share {
            return low + (high - low) * within;
        }
        building -= share;
    }
    EXTERNAL_WALLS[2].2
}

fn inside_db(stream: &mut RandomStream) -> f64 {
    let (mut chance, within, depth) = (stream.unit(), stream.unit(), stream.unit());
    let mut walls = 0.0;
    for share in FEWER_WALLS {
        if chance < share {
            break;
        }
        chance -= share;
        walls += 1.0;
    }
    let (low, high) = INTERNAL_WALL_DB;
    (walls * (low + (high - low) * within)).max(DEPTH_DB_PER_M * DEEPEST_M * depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_loss_is_fixed() {
        let mut stream = RandomStream::named(1, "indoor");
        assert_eq!(
            draw(&IndoorLoss::Fixed { loss_db: 20.0 }, &mut stream),
            20.0
        );
    }

    #[test]
    fn the_distribution_has_the_moments_of_its_parts() {
        // The mean of the external wall is 0.25 7.5 + 0.65 15 + 0.1 21 = 13.725 dB. Inside: without a wall (0.2833)
        // 4.5 dB; with walls the depth of at most 9 dB counts only against a single thin one.
        let mut stream = RandomStream::named(2, "indoor");
        let count = 200_000;
        let (mut outside, mut inside, mut least, mut most) = (0.0, 0.0, f64::INFINITY, 0.0_f64);
        for _ in 0..count {
            outside += external_wall_db(&mut stream) / f64::from(count);
            inside += inside_db(&mut stream) / f64::from(count);
            let loss = draw(&IndoorLoss::Tr45820, &mut stream);
            least = least.min(loss);
            most = most.max(loss);
        }
        // Standard errors 0.01 and 0.02; the bounds are five of them.
        assert!((outside - 13.725).abs() < 0.05, "{outside}");
        let one_wall = one_wall_mean_db();
        let expected =
            0.2833 * 4.5 + 0.2833 * one_wall + 0.2833 * two_walls_mean_db() + 0.1501 * 21.0;
        assert!((inside - expected).abs() < 0.1, "{inside} {expected}");
        assert!(
            (4.0..5.0).contains(&least) && (45.0..=53.0).contains(&most),
            "{least} {most}"
        );
    }

    /// The mean of the larger of U(4, 10) and U(0, 9), by the midpoint rule.
    fn one_wall_mean_db() -> f64 {
        mean_of_larger(4.0, 10.0)
    }

    /// The mean of the larger of twice U(4, 10) and U(0, 9), by the midpoint rule.
    fn two_walls_mean_db() -> f64 {
        mean_of_larger(8.0, 20.0)
    }

    fn mean_of_larger(low: f64, high: f64) -> f64 {
        let steps = 1000;
        let midpoint = |step: i32| (f64::from(step) + 0.5) / f64::from(steps);
        let mut sum = 0.0;
        for wall in 0..steps {
            for depth in 0..steps {
                sum += (low + (high - low) * midpoint(wall)).max(9.0 * midpoint(depth));
            }
        }
        sum / f64::from(steps * steps)
    }
}
