//! Measures the CPU time of a device in an NB-IoT network without stacks above it, and prints it as a JSON object.

use core::error::Error;
use std::process::ExitCode;

use lasthop_benchmarks::{NbIotCity, cpu_time, peak_memory_mib};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run() {
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

fn run() -> Result<String, Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut city = NbIotCity {
        cells: 21,
        rate: 4.0,
        seconds: 60,
        bytes: 73,
        seed: 1,
    };
    let mut with_levels = false;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("cells") => city.cells = arguments.value()?.parse()?,
            Long("rate") => city.rate = arguments.value()?.parse()?,
            Long("seconds") => city.seconds = arguments.value()?.parse()?,
            Long("bytes") => city.bytes = arguments.value()?.parse()?,
            Long("seed") => city.seed = arguments.value()?.parse()?,
            Long("levels") => with_levels = true,
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
    if with_levels {
        for (number, level) in report.levels().iter().enumerate() {
            for (name, count) in level.named() {
                eprintln!("level {number} {name} {count}");
            }
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
}
