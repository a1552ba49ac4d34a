//! Joins two TUN devices, its standard input and its standard output, by the paths of the flows of the grid.

use core::error::Error;
use core::sync::atomic::AtomicBool;
use std::io;
use std::process::ExitCode;
use std::rc::Rc;

use lasthop_contract::Link;
use lasthop_live::{End, FlowLinks, PacketDevice, Poller, WallTime, Watch, join, live_run};
use lasthop_measure::Histogram;
use lasthop_units::Duration;
use serde_json::json;
use tcp_against_linux::{Flow, Trace};

const HELP: &str = "\
usage: relay --seed N [--trace] <> NEAR 1<> FAR

Standard input is the device of the clients, standard output that of the servers. Each second a line
on standard error says how many packets passed and how late they were; --trace also writes a line for each segment. It runs until it is ended.
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("relay: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let (mut seed, mut trace) = (None, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") => {
                eprint!("{HELP}");
                return Ok(());
            }
            Long("seed") => seed = Some(parser.value()?.parse()?),
            Long("trace") => trace = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let seed: u64 = seed.ok_or("say the seed: --seed N")?;
    if trace {
        let link = move |flow: Flow| Trace::new(flow.link(seed), io::stderr());
        relay(FlowLinks::new(move |ports| {
            Flow::at_port(ports.near).map(link)
        }))
    } else {
        relay(FlowLinks::new(move |ports| {
            Flow::at_port(ports.near).map(|flow| flow.link(seed))
        }))
    }
}

fn relay(link: impl Link + 'static) -> Result<(), Box<dyn Error>> {
    let (time, poller) = (WallTime::starting_now(), Poller::new()?);
    let near = PacketDevice::new(rustix::stdio::stdin(), &poller)?;
    let far = PacketDevice::new(rustix::stdio::stdout(), &poller)?;
    let refused = [near.refused(), far.refused()];
    let watch = Watch::until(time.now(), Rc::default());
    let mut run = live_run(time, &poller, watch);
    join(&mut run, Box::new(link), [near, far].map(End::Outside));
    loop {
        run.observer_mut().end = time.now() + Duration::from_secs(1);
        run.run(&AtomicBool::new(false));
        if let Some(error) = poller.take_failure() {
            return Err(error.into());
        }
        let watch = run.observer();
        let lateness = watch.lateness();
        let line = json!({
            "packets": watch.packets(),
            "dropped": watch.dropped(),
            "refused": refused.iter().map(|refused| refused.get()).sum::<u64>(),
            "late_p50_us": lateness_us(lateness, 0.5),
            "late_p99_us": lateness_us(lateness, 0.99),
            "late_p999_us": lateness_us(lateness, 0.999),
            "late_max_us": lateness_us(lateness, 1.0),
        });
        eprintln!("{line}");
    }
}

/// The lateness that this share of the deadlines did not exceed, in microseconds.
fn lateness_us(lateness: &Histogram, share: f64) -> u64 {
    let rank = (lateness.count() as f64 * share).ceil() as u64;
    let mut seen = 0;
    let bucket = lateness.buckets().find(|(_, _, count)| {
        seen += count;
        seen >= rank
    });
    bucket.map_or(0, |(_, to, _)| to.as_nanos() / 1000)
}
