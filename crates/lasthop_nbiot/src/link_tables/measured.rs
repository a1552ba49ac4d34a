/// Measured block errors along a uniform grid of Es/N0, as log-odds that never rise.
#[derive(Debug)]
pub(super) struct Measured {
    from_db: f64,
    step_db: f64,
    log_odds: Vec<f64>,
    /// The slopes with which the curve goes on before its first and behind its last point, per dB.
    slopes: [f64; 2],
}

/// A stretch of a curve along which the log-odds change by as much from node to node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// At its first node.
    pub(super) log_odds: f64,
    pub(super) per_node: f64,
    pub(super) nodes: usize,
}

/// Errors among so many blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) errors: u32,
    pub(super) blocks: u32,
}

/// Over how much of its end a curve's slope is taken, so that no single point decides it.
const END_DB: f64 = 1.0;
/// A curve goes on at least this steeply; no code measured here is as flat at its ends.
const FLATTEST_PER_DB: f64 = -0.5;

impl Measured {
    /// The fit that never rises (pool adjacent violators) to the shares that were lost.
    ///
    /// # Panics
    /// With fewer than two points.
    pub(super) fn new(from_db: f64, step_db: f64, counts: &[Count]) -> Self {
        assert!(counts.len() >= 2, "a curve has two points at least");
        let log_odds = falling_log_odds(counts);
        let width = ((END_DB / step_db) as usize).clamp(1, counts.len() - 1);
        let slope = |left: usize, right: usize| {
            let rise = log_odds[right] - log_odds[left];
            (rise / ((right - left) as f64 * step_db)).min(FLATTEST_PER_DB)
        };
        let last = counts.len() - 1;
        let slopes = [slope(0, width), slope(last - width, last)];
        Self {
            from_db,
            step_db,
            log_odds,
            slopes,
        }
    }

    pub(super) fn range_db(&self) -> (f64, f64) {
        let last = self.log_odds.len() - 1;
        (self.from_db, self.from_db + last as f64 * self.step_db)
    }

    /// The curve as straight pieces with so many nodes a decibel, continued to these log-odds on either side.
    ///
    /// Each piece starts at a node and ends before the first of the next one.
    pub(super) fn pieces(
        &self,
        nodes_per_db: f64,
        from_log_odds: f64,
        to_log_odds: f64,
    ) -> impl Iterator<Item = Piece> {
        let (first, last) = (self.log_odds[0], self.log_odds[self.log_odds.len() - 1]);
        let [before, behind] = self.slopes.map(|slope| slope / nodes_per_db);
        let nodes_before = ((from_log_odds - first) / -before).max(0.0).ceil();
        let nodes_behind = ((last - to_log_odds) / -behind).max(0.0).ceil();
        let nodes = (self.step_db * nodes_per_db) as usize;
        let between = self.log_odds.windows(2).map(move |pair| Piece {
            log_odds: pair[0],
            per_node: (pair[1] - pair[0]) / nodes as f64,
            nodes,
        });
        let before = Piece {
            log_odds: first - nodes_before * before,
            per_node: before,
            nodes: nodes_before as usize,
        };
        let behind = Piece {
            log_odds: last,
            per_node: behind,
            nodes: nodes_behind as usize + 1,
        };
        core::iter::once(before)
            .chain(between)
            .chain(core::iter::once(behind))
    }
}

/// Errors and blocks that share one rate, since apart they would rise.
struct Pool {
    errors: f64,
    blocks: f64,
    points: usize,
}

impl Pool {
    fn rate(&self) -> f64 {
        self.errors / self.blocks
    }
}

fn falling_log_odds(counts: &[Count]) -> Vec<f64> {
    let mut pools: Vec<Pool> = Vec::with_capacity(counts.len());
    for count in counts {
        // Half an error and half a success more keep the log-odds finite.
        let mut pool = Pool {
            errors: f64::from(count.errors) + 0.5,
            blocks: f64::from(count.blocks) + 1.0,
            points: 1,
        };
        while let Some(before) = pools.pop_if(|before| before.rate() < pool.rate()) {
            pool.errors += before.errors;
            pool.blocks += before.blocks;
            pool.points += before.points;
        }
        pools.push(pool);
    }
    let mut log_odds = Vec::with_capacity(counts.len());
    for pool in pools {
        let value = libm::log(pool.errors / (pool.blocks - pool.errors));
        log_odds.extend(core::iter::repeat_n(value, pool.points));
    }
    log_odds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(errors: &[u32]) -> Vec<Count> {
        let count = |errors: &u32| Count {
            errors: *errors,
            blocks: 1_000,
        };
        errors.iter().map(count).collect()
    }

    #[test]
    fn points_that_rise_share_their_rate() {
        let falling = falling_log_odds(&counts(&[900, 300, 400, 350, 10]));
        assert!(falling[0] > falling[1] && falling[3] > falling[4]);
        assert_eq!(falling[1..3], falling[2..4]);
        // 350 of 1000, each with half an error more among one block more.
        let shared = 350.5 / 1001.0;
        assert!((falling[1] - libm::log(shared / (1.0 - shared))).abs() < 1e-12);
    }

    #[test]
    fn a_point_without_errors_is_half_an_error() {
        let last = falling_log_odds(&counts(&[500, 0]))[1];
        assert!((last - libm::log(0.5 / 1000.5)).abs() < 1e-12);
    }

    #[test]
    fn a_curve_goes_on_with_the_slope_of_its_last_decibel() {
        let measured = Measured::new(-2.0, 0.5, &counts(&[990, 800, 500, 100, 10, 1]));
        let pieces: Vec<Piece> = measured.pieces(8.0, 7.0, -12.0).collect();
        assert_eq!(pieces.len(), 1 + 5 + 1);
        assert_eq!(measured.range_db(), (-2.0, 0.5));
        let log_odds = &measured.log_odds;
        let (before, behind) = (pieces[0], pieces[6]);
        assert!((before.per_node * 8.0 - (log_odds[2] - log_odds[0])).abs() < 1e-12);
        assert!((behind.per_node * 8.0 - (log_odds[5] - log_odds[3])).abs() < 1e-12);
        // The first node is beyond the end that was asked for, and the pieces join.
        assert!(before.log_odds >= 7.0 && before.log_odds + before.per_node < 7.0);
        let joined = before.log_odds + before.nodes as f64 * before.per_node;
        assert!((joined - log_odds[0]).abs() < 1e-12);
        let end = behind.log_odds + (behind.nodes - 1) as f64 * behind.per_node;
        assert!(end <= -12.0 && end - behind.per_node > -12.0);
    }

    #[test]
    fn an_end_without_a_slope_still_falls() {
        let measured = Measured::new(0.0, 0.5, &counts(&[900, 20, 20, 20]));
        let behind = measured.pieces(8.0, 9.0, -13.0).last();
        assert_eq!(
            behind.map(|piece| piece.per_node * 8.0),
            Some(FLATTEST_PER_DB)
        );
    }
}
