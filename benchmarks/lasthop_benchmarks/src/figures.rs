use serde_json::{Value, json};

use crate::cpu_time;

/// The median of what rounds have measured, and their smallest and largest.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// The middle one; of an even number the larger of the two.
    pub median: f64,
    least: f64,
    most: f64,
}

impl Figures {
    /// The figures of some rounds.
    ///
    /// # Panics
    ///
    /// Without any round.
    #[must_use]
    pub fn of(mut rounds: Vec<f64>) -> Self {
        rounds.sort_by(f64::total_cmp);
        Self {
            median: rounds[rounds.len() / 2],
            least: rounds[0],
            most: rounds[rounds.len() - 1],
        }
    }

    /// All three times `unit`, to two decimals.
    #[must_use]
    pub fn told(&self, unit: f64) -> Value {
        let [median, least, most] =
            [self.median, self.least, self.most].map(|it| rounded(it * unit));
        json!({"median": median, "least": least, "most": most})
    }
}

/// A figure to two decimals.
#[must_use]
pub fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

/// Seconds of processor time that one of so many repetitions takes.
#[must_use]
pub fn cpu_seconds_each(count: u32, mut work: impl FnMut()) -> f64 {
    let start = cpu_time();
    for _ in 0..count {
        work();
    }
    ((cpu_time() - start) / count).as_secs_f64()
}
