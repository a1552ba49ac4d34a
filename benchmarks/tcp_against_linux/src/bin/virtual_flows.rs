//! Runs flows over our TCP in virtual time.

use core::error::Error;
use std::io;
use std::process::ExitCode;

use lasthop_units::{Duration, Instant};
use serde_json::json;
use tcp_against_linux::{Flow, Trace, VirtualFlow};

const HELP: &str = "\
usage: virtual_flows --seed N [--patience-s N] [--trace] < FLOWS

Reads flows, one a line as in 3 17 for flow 17 of cell 3, and prints, for each, when the connection was there
and when each write had arrived. --trace writes their segments to standard error.
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("virtual_flows: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let (mut seed, mut patience_s, mut trace) = (None, 300, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            Long("seed") => seed = Some(parser.value()?.parse()?),
            Long("patience-s") => patience_s = parser.value()?.parse()?,
            Long("trace") => trace = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let seed: u64 = seed.ok_or("say the seed: --seed N")?;
    let patience = Duration::from_secs(patience_s);
    for line in io::stdin().lines() {
        let flow: Flow = line?.parse()?;
        let virtual_flow = VirtualFlow {
            flow,
            seed,
            patience,
        };
        let times = if trace {
            virtual_flow.run_over(Trace::new(flow.link(seed), io::stderr()))
        } else {
            virtual_flow.run()
        };
        let arrivals: Vec<u64> = times.arrivals.iter().map(|at| at.as_nanos()).collect();
        let values = json!({
            "arrivals": flow.cell.workload.arrivals(),
            "together": flow.cell.workload.together(),
            "interval_ns": flow.cell.workload.interval().as_nanos(),
            "connect_ns": 0,
            "established_ns": times.established.map(Instant::as_nanos),
            "arrivals_ns": arrivals,
        });
        println!("{}", flow.record(&values));
    }
    Ok(())
}
