//! One end of many flows on sockets of the kernel. Run it in a network namespace of its own.

use core::error::Error;
use std::io;
use std::net::IpAddr;
use std::process::ExitCode;

use lasthop_units::Duration;
use tcp_against_linux::{Client, Flow, Server};

const HELP: &str = "\
usage: kernel_flows server [--receive-buffer BYTES]
       kernel_flows client ADDRESS [--start-interval-us N] [--patience-s N] < FLOWS

The server listens at port 7000 and prints, for each flow, when each write had arrived.
The client reads its flows, one a line as in 3 17 for flow 17 of cell 3, starts one after the other and prints,
for each flow, when it called connect and when the connection was there.
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kernel_flows: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut words: Vec<String> = Vec::new();
    let (mut start_interval_us, mut patience_s, mut receive_buffer) = (100_000, 300, None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            Long("start-interval-us") => start_interval_us = parser.value()?.parse()?,
            Long("receive-buffer") => receive_buffer = Some(parser.value()?.parse()?),
            Long("patience-s") => patience_s = parser.value()?.parse()?,
            Value(word) => words.push(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["server"] => Ok(Server::new(io::stdout().lock(), receive_buffer)?.run()?),
        ["client", address] => {
            let server: IpAddr = address.parse()?;
            let mut client = Client::new(
                server,
                flows()?,
                Duration::from_nanos(start_interval_us * 1000),
                Duration::from_secs(patience_s),
                io::stdout().lock(),
            )?;
            Ok(client.run()?)
        }
        _ => Err("say server or client ADDRESS; --help tells more".into()),
    }
}

fn flows() -> Result<Vec<Flow>, Box<dyn Error>> {
    io::stdin().lines().map(|line| Ok(line?.parse()?)).collect()
}
