//! Measures the CPU time of a request with its answer in runs of [`HttpRequests`], both ends together, and prints it as
//! a JSON object with the packets of a request.
//!
//! The time is that of `Simulated::run` in this process, so the start of a command and its tables are in no figure; the
//! set-up of the one connection is. Stacks take turns. Each figure is the median of its rounds; beside it stand the
//! smallest and the largest. `--stack NAME` measures one stack alone, to profile it.

use core::error::Error;
use core::sync::atomic::AtomicBool;
use std::process::ExitCode;

use lasthop_benchmarks::{Figures, HttpRequests, RequestStack, cpu_time, rounded};
use lasthop_world::{Observe, Simulated};
use serde_json::{Map, Value, json};

struct Arguments {
    stacks: Vec<RequestStack>,
    requests: u64,
    rounds: u32,
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match Arguments::read().and_then(|arguments| arguments.measure()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("http_work: {error}");
            ExitCode::from(2)
        }
    }
}

impl Arguments {
    fn read() -> Result<Self, Box<dyn Error>> {
        use lexopt::prelude::*;

        let mut arguments = Self {
            stacks: RequestStack::ALL.to_vec(),
            requests: 20_000,
            rounds: 11,
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("stack") => {
                    let name = parser.value()?.string()?;
                    let known = RequestStack::ALL.into_iter().find(|it| it.name() == name);
                    arguments.stacks = vec![known.ok_or(format!("there is no stack \"{name}\""))?];
                }
                Long("requests") => arguments.requests = parser.value()?.parse()?,
                Long("rounds") => arguments.rounds = parser.value()?.parse()?,
                other => return Err(other.unexpected().into()),
            }
        }
        if arguments.requests == 0 || arguments.rounds == 0 {
            return Err("--requests and --rounds must be above 0".into());
        }
        Ok(arguments)
    }

    fn measure(&self) -> Result<Value, Box<dyn Error>> {
        let mut seconds = vec![Vec::new(); self.stacks.len()];
        let mut packets = vec![0.0; self.stacks.len()];
        for _ in 0..self.rounds {
            for (place, stack) in self.stacks.iter().enumerate() {
                let (cpu_s, count) = self.simulated(*stack)?;
                seconds[place].push(cpu_s);
                packets[place] = count;
            }
        }
        let figures = self.stacks.iter().zip(seconds).zip(packets);
        let lines: Map<String, Value> = figures
            .map(|((stack, seconds), packets)| {
                let line = json!({
                    "cpu_us_per_request": Figures::of(seconds).told(1e6),
                    "packets_per_request": rounded(packets),
                });
                (stack.name().to_owned(), line)
            })
            .collect();
        Ok(Value::Object(lines))
    }

    /// The CPU seconds and the packets of a request.
    fn simulated(&self, stack: RequestStack) -> Result<(f64, f64), Box<dyn Error>> {
        let requests = self.requests;
        let spec = HttpRequests { stack, requests }.spec();
        let before = cpu_time();
        let simulated = Simulated::run(&spec, Observe::default(), &AtomicBool::new(false))?;
        let taken = cpu_time().saturating_sub(before);
        let summary = simulated.summary();
        if summary.messages_delivered != requests {
            return Err(format!("{}: some requests failed", stack.name()).into());
        }
        let packets: u64 = summary.offered.iter().map(|(packets, _)| packets).sum();
        let each = requests as f64;
        Ok((taken.as_secs_f64() / each, packets as f64 / each))
    }
}
