//! Measures how many packets a second a run of [`SessionStorm`] takes through, and prints it as a JSON object.

use core::error::Error;
use core::sync::atomic::AtomicBool;
use std::process::ExitCode;

use lasthop_benchmarks::{SessionStorm, cpu_time, peak_memory_mib};
use lasthop_world::{Observe, Simulated};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match storm().and_then(measure) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("session_storm: {error}");
            ExitCode::from(2)
        }
    }
}

fn storm() -> Result<SessionStorm, Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut storm = SessionStorm {
        devices: 20_000,
        seed: 1,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("devices") => storm.devices = parser.value()?.parse()?,
            Long("seed") => storm.seed = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(storm)
}

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "wall time is what is measured here"
)]
fn measure(storm: SessionStorm) -> Result<String, Box<dyn Error>> {
    let spec = storm.spec();
    let (wall, cpu) = (std::time::Instant::now(), cpu_time());
    let simulated = Simulated::run(&spec, Observe::default(), &AtomicBool::new(false))?;
    let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
    let summary = simulated.summary();
    let packets: u64 = summary.offered.iter().map(|(packets, _)| packets).sum();
    let line = json!({
        "program": "lasthop",
        "devices": storm.devices,
        "messages_delivered": summary.messages_delivered,
        "packets": packets,
        "wall_s": wall.as_secs_f64(),
        "cpu_s": cpu.as_secs_f64(),
        "packets_per_wall_s": packets as f64 / wall.as_secs_f64(),
        "packets_per_cpu_s": packets as f64 / cpu.as_secs_f64(),
        "peak_rss_mib": peak_memory_mib()?,
    });
    Ok(line.to_string())
}
