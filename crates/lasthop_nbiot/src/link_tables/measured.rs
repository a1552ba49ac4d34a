/// Measured block errors along a uniform grid of Es/N0, as log-odds that never rise.
#[derive(Debug)]
pub(super) struct Measured {
    from_db: f64,
    step_db: f64,
    log_odds: Vec<f64>,
    /// The slopes with which the curve goes on before its first and behind its last point, per dB.
    slopes: [f64; 2],
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
const FLATTEST_PER_DB: f64 = -1.0;

impl Measured {
    /// The least-squares fit that never rises (pool adjacent violators) to the shares with errors.
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

    /// Where the continued curve has these log-odds, which lie outside what was measured.
    pub(super) fn es_n0_db(&self, log_odds: f64) -> f64 {
        let (first_db, last_db) = self.range_db();
        let (first, last) = (self.log_odds[0], self.log_odds[self.log_odds.len() - 1]);
        if log_odds >= first {
            first_db + (log_odds - first) / self.slopes[0]
        } else {
            last_db + (log_odds - last).min(0.0) / self.slopes[1]
        }
    }

    /// The log-odds of a loss at this Es/N0.
    pub(super) fn log_odds_at(&self, es_n0_db: f64) -> f64 {
        let position = (es_n0_db - self.from_db) / self.step_db;
        let last = self.log_odds.len() - 1;
        if position <= 0.0 {
            return self.log_odds[0] + position * self.step_db * self.slopes[0];
        }
        let left = position as usize;
        if left >= last {
            let beyond = position - last as f64;
            return self.log_odds[last] + beyond * self.step_db * self.slopes[1];
        }
        let share = position - left as f64;
        self.log_odds[left] * (1.0 - share) + self.log_odds[left + 1] * share
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
