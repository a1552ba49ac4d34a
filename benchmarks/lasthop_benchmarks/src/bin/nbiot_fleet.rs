//! Measures what a report of an [`NbIotFleet`] costs, and prints it as a JSON object.

use core::error::Error;
use core::sync::atomic::AtomicBool;
use std::process::ExitCode;

use lasthop_benchmarks::{NbIotFleet, cpu_time, peak_memory_mib};
use lasthop_world::{MessageDetail, Observe, Simulated};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match fleet().and_then(measure) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("nbiot_fleet: {error}");
            ExitCode::from(2)
        }
    }
}

fn fleet() -> Result<NbIotFleet, Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut fleet = NbIotFleet {
        devices: 1000,
        cells: 21,
        coupling_loss_db: 144.0,
        hours: 720,
        messages: MessageDetail::Summed,
        seed: 1,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("devices") => fleet.devices = parser.value()?.parse()?,
            Long("cells") => fleet.cells = parser.value()?.parse()?,
            Long("coupling-loss") => fleet.coupling_loss_db = parser.value()?.parse()?,
            Long("hours") => fleet.hours = parser.value()?.parse()?,
            Long("each") => fleet.messages = MessageDetail::Each,
            Long("seed") => fleet.seed = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(fleet)
}

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "wall time is what is measured here"
)]
fn measure(fleet: NbIotFleet) -> Result<String, Box<dyn Error>> {
    let spec = fleet.spec();
    let (wall, cpu) = (std::time::Instant::now(), cpu_time());
    let simulated = Simulated::run(&spec, Observe::default(), &AtomicBool::new(false))?;
    let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
    let summary = simulated.summary();
    let network = simulated.network().ok_or("the path is no network")?;
    let reports = summary.messages_offered as f64;
    let events = network.events() + simulated.events();
    let line = json!({
        "program": "lasthop",
        "devices": fleet.devices,
        "cells": fleet.cells,
        "coupling_loss_db": fleet.coupling_loss_db,
        "hours": fleet.hours,
        "messages": fleet.messages,
        "reports": summary.messages_offered,
        "delivered": summary.messages_delivered,
        "wall_s": wall.as_secs_f64(),
        "cpu_s": cpu.as_secs_f64(),
        "cpu_us_per_report": cpu.as_secs_f64() * 1e6 / reports,
        "events_per_report": events as f64 / reports,
        "radio_events_per_report": network.events() as f64 / reports,
        "cpu_ns_per_event": cpu.as_secs_f64() * 1e9 / events as f64,
        "fading_evaluations_per_report": network.fading_evaluations as f64 / reports,
        "peak_rss_mib": peak_memory_mib()?,
    });
    Ok(line.to_string())
}
