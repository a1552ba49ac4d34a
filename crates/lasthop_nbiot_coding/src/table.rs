use core::fmt::Write;
use std::sync::Mutex;

use crate::{Effort, Sweep, TransportFormat};

/// A link table of `lasthop_nbiot`: its file name, and a row for each measured format.
#[derive(Debug)]
pub struct Table {
    /// The file name of the table.
    pub file: &'static str,
    head: String,
    seed: u64,
    effort: Effort,
    rows: Vec<(TransportFormat, Option<String>)>,
}

impl Table {
    /// Creates all tables without rows, for blocks of up to `most_bits` bits.
    #[must_use]
    pub fn all(seed: u64, effort: Effort, most_bits: u16) -> [Self; 3] {
        let table = |file, what, columns, formats: Vec<TransportFormat>| Self {
            file,
            head: head(what, columns, seed, effort),
            seed,
            effort,
            rows: formats.into_iter().map(|format| (format, None)).collect(),
        };
        [
            table(
                "npdcch.csv",
                "control messages on NPDCCH",
                "carrier,message",
                TransportFormat::all_npdcch().collect(),
            ),
            table(
                "npusch.csv",
                "transport blocks on NPUSCH format 1",
                "tones,i_tbs,i_ru,combining",
                TransportFormat::all_npusch(most_bits).collect(),
            ),
            table(
                "npdsch.csv",
                "transport blocks on NPDSCH",
                "carrier,i_tbs,i_sf",
                TransportFormat::all_npdsch(most_bits).collect(),
            ),
        ]
    }

    /// Takes the rows of an earlier run if that run had the same seed, effort and version.
    pub fn continue_from(&mut self, text: &str) {
        let Some(lines) = text.strip_prefix(&self.head) else {
            return;
        };
        for line in lines.lines() {
            let same = |(format, _): &&mut (TransportFormat, _)| {
                let name = format!("{format},");
                line.starts_with(&name)
            };
            if let Some((_, row)) = self.rows.iter_mut().find(same) {
                *row = Some(format!("{line}\n"));
            }
        }
    }

    /// Returns the number of measured formats and the number of all formats.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let done = self.rows.iter().filter(|(_, row)| row.is_some());
        (done.count(), self.rows.len())
    }

    /// Measures the next few formats, in parallel on `threads` threads. Returns whether any were left to measure.
    ///
    /// # Panics
    /// When a measurement does.
    pub fn measure_some(&mut self, threads: usize) -> bool {
        let (seed, effort) = (self.seed, self.effort);
        let missing = self.rows.iter_mut().filter(|(_, row)| row.is_none());
        let missing: Vec<_> = missing.take(threads * FORMATS_PER_THREAD).collect();
        let any = !missing.is_empty();
        let queue = Mutex::new(missing.into_iter());
        let next = || queue.lock().expect("no measurement failed").next();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((format, row)) = next() {
                        *row = Some(line(*format, &Sweep::of(*format, seed, effort)));
                    }
                });
            }
        });
        any
    }

    /// Returns the text of the file with all measured rows.
    #[must_use]
    pub fn text(&self) -> String {
        let rows = self.rows.iter().filter_map(|(_, row)| row.as_deref());
        rows.fold(self.head.clone(), |text, row| text + row)
    }
}

/// So that threads seldom wait for each other.
const FORMATS_PER_THREAD: usize = 8;

fn head(what: &str, columns: &str, seed: u64, effort: Effort) -> String {
    format!(
        "# Lost {what} over white noise, by Es/N0 of a resource element summed over all that is combined.\n\
         # Made by: generate_link_tables --seed {seed} --errors {errors} --blocks {blocks} \
         (lasthop_nbiot_coding {version}).\n\
         # A point is measured until {errors} blocks are lost or {blocks} are sent.\n\
         {columns},payload_bits,coded_bits,modulation,es_n0_from_db,es_n0_step_db,errors_of_blocks\n",
        errors = effort.errors,
        blocks = effort.blocks,
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// The row of a format.
fn line(format: TransportFormat, sweep: &Sweep) -> String {
    let mut line = format!(
        "{format},{},{},{},{:.2},{:.2},",
        format.payload_bits(),
        format.coded_bits(),
        format.modulation().name(),
        f64::from(sweep.first) * sweep.step_db,
        sweep.step_db,
    );
    for (index, count) in sweep.counts.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        let _ = write!(line, "{space}{}/{}", count.errors, count.blocks);
    }
    line.push('\n');
    line
}
