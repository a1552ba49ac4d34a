<<<<<<< HEAD
//! Measures the CPU time of a device in an NB-IoT network without stacks above it, and prints it as a JSON object.

use core::error::Error;
use std::process::ExitCode;

use lasthop_benchmarks::{NbIotCity, cpu_time, peak_memory_mib};
=======
//! Measures what a device of an [`NbIotCity`] costs, and prints it as a JSON object.

use core::error::Error;
use core::sync::atomic::AtomicBool;
use std::process::ExitCode;

use lasthop_benchmarks::{CityContent, NbIotCity, cpu_time, peak_memory_mib};
use lasthop_world::{Observe, Simulated};
>>>>>>> w-world
use serde_json::json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
<<<<<<< HEAD
    match run() {
=======
    match city().and_then(measure) {
>>>>>>> w-world
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("nbiot_city: {error}");
            ExitCode::from(2)
        }
    }
}

<<<<<<< HEAD
fn run() -> Result<String, Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut city = NbIotCity {
        cells: 21,
        rate: 4.0,
        seconds: 60,
        bytes: 73,
        seed: 1,
    };
    let mut verbose = false;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("cells") => city.cells = arguments.value()?.parse()?,
            Long("rate") => city.rate = arguments.value()?.parse()?,
            Long("seconds") => city.seconds = arguments.value()?.parse()?,
            Long("bytes") => city.bytes = arguments.value()?.parse()?,
            Long("seed") => city.seed = arguments.value()?.parse()?,
            Long("cells-reports") => verbose = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let config = city.config();
    let before = cpu_time();
    let outcome = city.run(config)?;
    let cpu = cpu_time().saturating_sub(before);
    let report = &outcome.report;
    let devices = report.devices_attached;
    let per_device = |count: u64| count as f64 / devices.max(1) as f64;
    if verbose {
        for cell in &report.cells {
            eprintln!("{cell:?}");
        }
    }
    Ok(json!({
        "cells": city.cells,
        "rate_per_cell": city.rate,
        "seconds": city.seconds,
        "ip_bytes": city.bytes,
        "devices": devices,
        "delivered": outcome.delivered,
        "dropped": outcome.dropped,
        "queued": report.packets_queued,
        "mean_latency_ms": outcome.mean_latency_ms,
        "within_20_s": outcome.within_20_s,
        "cpu_s": cpu.as_secs_f64(),
        "us_per_device": cpu.as_secs_f64() * 1e6 / devices.max(1) as f64,
        "events": report.events(),
        "events_per_device": per_device(report.events()),
        "ns_per_event": cpu.as_secs_f64() * 1e9 / report.events().max(1) as f64,
        "inputs_per_device": per_device(outcome.inputs),
        "fading_evaluations_per_device": per_device(report.fading_evaluations),
        "times_real_time": city.seconds as f64 / cpu.as_secs_f64(),
        "peak_memory_mib": peak_memory_mib()?,
    })
    .to_string())
=======
fn city() -> Result<NbIotCity, Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut city = NbIotCity {
        content: CityContent::RawUdp25,
        cells: 21,
        per_second_per_cell: 4.0,
        seconds: 3600,
        seed: 1,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("content") => city.content = parser.value()?.parse()?,
            Long("cells") => city.cells = parser.value()?.parse()?,
            Long("rate") => city.per_second_per_cell = parser.value()?.parse()?,
            Long("seconds") => city.seconds = parser.value()?.parse()?,
            Long("seed") => city.seed = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(city)
}

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "wall time is what is measured here"
)]
fn measure(city: NbIotCity) -> Result<String, Box<dyn Error>> {
    let spec = city.spec();
    let (wall, cpu) = (std::time::Instant::now(), cpu_time());
    let simulated = Simulated::run(&spec, Observe::default(), &AtomicBool::new(false))?;
    let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
    let summary = simulated.summary();
    let network = simulated.network().ok_or("the path is no network")?;
    let devices = network.devices_attached as f64;
    let events = network.events() + simulated.events();
    let line = json!({
        "program": "lasthop",
        "content": city.content.name(),
        "cells": city.cells,
        "per_second_per_cell": city.per_second_per_cell,
        "seconds": city.seconds,
        "devices": network.devices_attached,
        "messages_delivered": summary.messages_delivered,
        "uncarried_ratio": summary.uncarried_share,
        "wall_s": wall.as_secs_f64(),
        "cpu_s": cpu.as_secs_f64(),
        "times_real_time": city.seconds as f64 / cpu.as_secs_f64(),
        "cpu_us_per_device": cpu.as_secs_f64() * 1e6 / devices,
        "events_per_device": events as f64 / devices,
        "radio_events_per_device": network.events() as f64 / devices,
        "cpu_ns_per_event": cpu.as_secs_f64() * 1e9 / events as f64,
        "fading_evaluations_per_device": network.fading_evaluations as f64 / devices,
        "peak_rss_mib": peak_memory_mib()?,
    });
    Ok(line.to_string())
>>>>>>> w-world
}
