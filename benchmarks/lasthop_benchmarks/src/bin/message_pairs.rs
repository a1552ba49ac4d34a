//! Measures the CPU time of a message in runs of [`MessagePairs`], and prints it as a JSON object.
//!
//! The time is that of `Simulated::run`: setting the run up counts, reading spec and tables does not.
//! `--tables DIR` writes the tables of the first run instead, to compare builds by.

use core::error::Error;
use core::sync::atomic::AtomicBool;
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lasthop_benchmarks::{MessagePairs, PairStack, cpu_time, peak_memory_mib};
use lasthop_world::{Observe, RunError, Simulated};
use serde_json::json;

struct Arguments {
    content: MessagePairs,
    repeat: u64,
    tables: Option<PathBuf>,
}

/// What all repetitions took together.
#[derive(Default)]
struct Totals {
    cpu: Duration,
    sent: u64,
    received: u64,
    packets: u64,
    events: u64,
    polls: u64,
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match Arguments::read().and_then(|arguments| arguments.run()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("message_pairs: {error}");
            ExitCode::from(2)
        }
    }
}

impl Arguments {
    fn read() -> Result<Self, Box<dyn Error>> {
        use lexopt::prelude::*;

        let mut content = MessagePairs {
            stack: PairStack::RawUdp,
            pairs: 1,
            seconds: 600,
            seed: 1,
        };
        let (mut repeat, mut tables) = (1, None);
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("stack") => content.stack = parser.value()?.parse()?,
                Long("pairs") => content.pairs = parser.value()?.parse()?,
                Long("seconds") => content.seconds = parser.value()?.parse()?,
                Long("seed") => content.seed = parser.value()?.parse()?,
                Long("repeat") => repeat = parser.value()?.parse()?,
                Long("tables") => tables = Some(parser.value()?.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(Self {
            content,
            repeat,
            tables,
        })
    }

    fn run(&self) -> Result<String, Box<dyn Error>> {
        match &self.tables {
            Some(folder) => self.write_tables(folder),
            None => self.measure(),
        }
    }

    /// Each repetition has a seed of its own.
    fn repetitions(&self) -> impl Iterator<Item = MessagePairs> + '_ {
        (0..self.repeat).map(|index| MessagePairs {
            seed: self.content.seed + index,
            ..self.content
        })
    }

    fn measure(&self) -> Result<String, Box<dyn Error>> {
        let mut totals = Totals::default();
        for content in self.repetitions() {
            totals.add(content)?;
        }
        let cpu_s = totals.cpu.as_secs_f64();
        let sent = totals.sent as f64;
        let line = json!({
            "program": "lasthop",
            "stack": self.content.stack.name(),
            "pairs": self.content.pairs,
            "simulated_s": self.content.seconds,
            "repeat": self.repeat,
            "cpu_s": cpu_s,
            "messages_sent": totals.sent,
            "messages_received": totals.received,
            "packets": totals.packets,
            "cpu_us_per_message": cpu_s * 1e6 / sent,
            "events": totals.events,
            "events_per_cpu_s": (totals.events as f64 / cpu_s).round(),
            "events_per_message": totals.events as f64 / sent,
            "polls_per_event": totals.polls as f64 / totals.events as f64,
            "peak_rss_mib": peak_memory_mib()?,
        });
        Ok(line.to_string())
    }

    fn write_tables(&self, folder: &Path) -> Result<String, Box<dyn Error>> {
        let tables = simulate(self.content)?.tables("run");
        fs::create_dir_all(folder)?;
        for (name, table) in [
            ("summary", tables.summary),
            ("messages", tables.messages),
            ("ledger", tables.ledger),
            ("packets", tables.packets),
            ("latency", tables.latency),
        ] {
            fs::write(folder.join(name).with_extension("arrows"), table)?;
        }
        Ok(folder.display().to_string())
    }
}

impl Totals {
    fn add(&mut self, content: MessagePairs) -> Result<(), RunError> {
        let before = cpu_time();
        let simulated = simulate(content)?;
        self.cpu += cpu_time().saturating_sub(before);
        let summary = simulated.summary();
        self.sent += summary.messages_offered;
        self.received += summary.messages_delivered;
        self.packets += summary
            .offered
            .iter()
            .map(|(packets, _)| packets)
            .sum::<u64>();
        self.events += simulated.events();
        self.polls += simulated.polls();
        Ok(())
    }
}

fn simulate(content: MessagePairs) -> Result<Simulated, RunError> {
    Simulated::run(&content.spec(), Observe::default(), &AtomicBool::new(false))
}
