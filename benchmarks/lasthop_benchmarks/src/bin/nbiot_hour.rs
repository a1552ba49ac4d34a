//! Measures what a device of an [`NbIotHour`] costs, and prints it as a JSON object.

use core::error::Error;
use core::sync::atomic::AtomicBool;
use std::process::ExitCode;

use lasthop_benchmarks::{HourContent, NbIotHour, cpu_time, peak_memory_mib};
use lasthop_world::{Observe, Simulated};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match city().and_then(measure) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("nbiot_hour: {error}");
            ExitCode::from(2)
        }
    }
}

fn city() -> Result<NbIotHour, Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut city = NbIotHour {
        content: HourContent::RawUdp25,
        cells: 21,
        per_second_per_cell: 4.0,
        seconds: 3600,
        seed: 1,
        link_simulation_receivers: false,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("content") => city.content = parser.value()?.parse()?,
            Long("cells") => city.cells = parser.value()?.parse()?,
            Long("rate") => city.per_second_per_cell = parser.value()?.parse()?,
            Long("seconds") => city.seconds = parser.value()?.parse()?,
            Long("seed") => city.seed = parser.value()?.parse()?,
            Long("link-simulation-receivers") => city.link_simulation_receivers = true,
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
fn measure(city: NbIotHour) -> Result<String, Box<dyn Error>> {
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
        "link_simulation_receivers": city.link_simulation_receivers,
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
}
