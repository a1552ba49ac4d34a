//! The yardstick of a machine: a bare event loop, a binary heap of so many pending events, each of which plans the next
//! after an exponential time. Prints events a CPU second as a JSON object.

use core::cmp::Reverse;
use core::error::Error;
use std::collections::BinaryHeap;
use std::process::ExitCode;

use lasthop_benchmarks::cpu_time;
use serde_json::json;

fn main() -> ExitCode {
    match run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("event_loop: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<String, Box<dyn Error>> {
    use lexopt::prelude::*;

    let (mut pending, mut events) = (1_000_u32, 20_000_000_u64);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pending") => pending = parser.value()?.parse()?,
            Long("events") => events = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let mut times = Times(88_172_645_463_325_252);
    let mut heap = BinaryHeap::with_capacity(pending as usize);
    for id in 0..pending {
        heap.push(Reverse((times.draw(), id, id)));
    }
    let mut sequence = pending;
    let start = cpu_time();
    for _ in 0..events {
        let Some(mut next) = heap.peek_mut() else {
            return Err("--pending is 0; write at least 1".into());
        };
        let Reverse((at, _, id)) = *next;
        sequence = sequence.wrapping_add(1);
        *next = Reverse((at + times.draw(), sequence, id));
    }
    let cpu = cpu_time().saturating_sub(start);
    std::hint::black_box(heap);
    Ok(json!({
        "program": "event_loop",
        "pending": pending,
        "events": events,
        "cpu_s": cpu.as_secs_f64(),
        "events_per_cpu_s": events as f64 / cpu.as_secs_f64(),
    })
    .to_string())
}

/// Times to the next event in nanoseconds, exponential with a mean of a second (xorshift of Marsaglia 2003).
struct Times(u64);

impl Times {
    #[expect(
        clippy::disallowed_methods,
        reason = "nothing of a result depends on the logarithm, and this one is the machine's"
    )]
    fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let unit = ((self.0 >> 11) + 1) as f64 / 9_007_199_254_740_993.0;
        (-unit.ln() * 1e9) as u64 + 1
    }
}
