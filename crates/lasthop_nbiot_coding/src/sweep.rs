use crate::{Count, Simulation, TransportFormat};

/// The block error rates of a format along a grid of Es/N0, from nearly 1 to nearly 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The Es/N0 of the first grid point, in steps of `step_db`.
    pub first: i32,
    /// The distance between two grid points, in dB.
    pub step_db: f64,
    /// The counts at the first grid point and at each step above it.
    pub counts: Vec<Count>,
}

/// The effort at each grid point: when the measurement stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The number of block errors after which the measurement stops.
    pub errors: u32,
    /// The maximum number of blocks sent.
    pub blocks: u32,
}

impl Effort {
    /// The effort of the committed tables.
    pub const COMMITTED: Self = Self {
        errors: 200,
        blocks: 5_000,
    };
}

/// Where a sweep starts: at least so many are lost.
const NEARLY_ALL: f64 = 0.95;
/// Where it ends: at most so many are lost.
const NEARLY_NONE: f64 = 1e-3;
/// A format that still loses blocks so far above Shannon's limit has a floor.
const WIDEST_DB: f64 = 16.0;
/// Longer blocks fail within fewer decibels and are measured in smaller steps.
const LONG_BLOCK: usize = 256;

impl Sweep {
    /// Measures the block error rates of a format.
    #[must_use]
    pub fn of(format: TransportFormat, seed: u64, effort: Effort) -> Self {
        let mut simulation = Simulation::new(format);
        let step_db = if format.block_bits() < LONG_BLOCK {
            0.5
        } else {
            0.25
        };
        let mut measure = |step: i32| {
            let es_n0_db = f64::from(step) * step_db;
            simulation.run(seed, es_n0_db, effort.errors, effort.blocks)
        };
        let mut first = (shannon_limit_db(format) / step_db).round() as i32;
        let last = first + (WIDEST_DB / step_db) as i32;
        let mut counts = vec![measure(first)];
        while counts[0].share() < NEARLY_ALL {
            first -= 1;
            counts.insert(0, measure(first));
        }
        for step in first + counts.len() as i32..=last {
            if counts[counts.len() - 1].share() <= NEARLY_NONE {
                break;
            }
            counts.push(measure(step));
        }
        // What lies below the last point at which nearly all were lost says nothing.
        let useless = counts
            .iter()
            .take_while(|count| count.share() >= NEARLY_ALL);
        let useless = useless.count() - 1;
        Self {
            first: first + useless as i32,
            step_db,
            counts: counts.split_off(useless),
        }
    }
}

impl Count {
    /// Returns the block error rate.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.errors) / f64::from(self.blocks)
    }
}

/// The Es/N0, summed over the passes, below which no code carries the block over normally distributed symbols.
fn shannon_limit_db(format: TransportFormat) -> f64 {
    let passes = format.redundancy_versions().len() as f64;
    let symbols = format.coded_bits() as f64 / f64::from(format.modulation().bits_per_symbol());
    let bits_per_symbol = format.block_bits() as f64 / (symbols * passes);
    10.0 * libm::log10(passes * (libm::exp2(bits_per_symbol) - 1.0))
}
