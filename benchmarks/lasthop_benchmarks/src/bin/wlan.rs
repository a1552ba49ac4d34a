//! The WLAN cell beside the literature, and what a packet costs: the page `benchmarks/wlan.md`.
//!
//! `--write FILE` writes the page; without it, it is printed. CPU times are of this machine.

use std::fmt::Write as _;
use std::process::ExitCode;

use lasthop_benchmarks::{WLAN_STATIONS, WlanCase, WlanSaturation, cpu_time, heusse_2003};
use lasthop_units::Duration;

const PAGE: &str = include_str!("wlan/page.md");
const DURATION: Duration = Duration::from_secs(200);
const SEEDS: u64 = 5;

fn main() -> ExitCode {
    let page = PAGE
        .replace("{bianchi}", &bianchi())
        .replace("{heusse}", &heusse())
        .replace("{cost}", &cost());
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => print!("{page}"),
        (Some("--write"), Some(file)) => {
            if let Err(error) = std::fs::write(&file, page) {
                eprintln!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!("usage: wlan [--write FILE]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Our throughput, its spread over the seeds, what the equations say and what ns-3's table says.
fn bianchi() -> String {
    let mut rows = String::new();
    for case in WlanCase::all() {
        for (place, stations) in WLAN_STATIONS.into_iter().enumerate() {
            let analysis = case.analysis(stations).throughput_mbit_s();
            let ours: Vec<f64> = (1..=SEEDS)
                .map(|seed| case.run(stations, DURATION, seed).total_mbit_s())
                .collect();
            let mean = ours.iter().sum::<f64>() / ours.len() as f64;
            let [low, high] = [f64::min, f64::max].map(|of| ours.iter().copied().reduce(of));
            let spread = format!("{:.4} to {:.4}", low.unwrap_or(mean), high.unwrap_or(mean));
            let reference = case.reference_mbit_s.map(|all| all[place]);
            let [told, off] = match reference {
                Some(told) => [format!("{told:.4}"), percent(mean, told)],
                None => [String::new(), String::new()],
            };
            let by_analysis = percent(mean, analysis);
            _ = writeln!(
                rows,
                "| {} | {stations} | {mean:.4} | {spread} | {analysis:.4} | {by_analysis} | {told} | {off} |",
                case.name
            );
        }
    }
    rows
}

fn percent(value: f64, of: f64) -> String {
    format!("{:+.1} %", 100.0 * (value / of - 1.0))
}

fn heusse() -> String {
    let mut rows = String::new();
    for rates in [
        &[11][..],
        &[11, 11],
        &[11, 1],
        &[11, 11, 11, 1],
        &[11, 11, 11, 11],
    ] {
        let saturated = heusse_2003(rates).run();
        let throughput = &saturated.throughput_mbit_s;
        let shares = saturated.report.stations.iter();
        let shares: Vec<String> = shares
            .map(|it| format!("{:.0} %", 100.0 * it.airtime().as_secs_f64() / 200.0))
            .collect();
        let each: Vec<String> = throughput.iter().map(|it| format!("{it:.2}")).collect();
        let names: Vec<String> = rates.iter().map(ToString::to_string).collect();
        _ = writeln!(
            rows,
            "| {} | {} | {:.2} | {} |",
            names.join(", "),
            each.join(", "),
            saturated.total_mbit_s(),
            shares.join(", ")
        );
    }
    rows
}

fn cost() -> String {
    let mut rows = String::new();
    let case = WlanCase::all()[7];
    for (senders, idle) in [(1, 0), (1, 100), (1, 10_000), (50, 0), (50, 10_000)] {
        let load = WlanSaturation {
            cell: case.cell,
            senders: vec![case.station; senders],
            idle,
            packet_bytes: 100,
            duration: Duration::from_secs(100),
            seed: 1,
        };
        let turns: Vec<u128> = (0..5)
            .map(|_| {
                let start = cpu_time();
                let packets = load.run().packets;
                (cpu_time() - start).as_nanos() / u128::from(packets.max(1))
            })
            .collect();
        let least = turns.iter().min().copied().unwrap_or_default();
        let most = turns.iter().max().copied().unwrap_or_default();
        _ = writeln!(rows, "| {senders} | {idle} | {least} | {most} |");
    }
    rows
}
