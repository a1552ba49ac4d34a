//! One of our hosts on a TUN device, which is its standard input. The tests start it beside real software.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it tells the tests what happened by its output"
)]

mod coap_client;
mod coap_server;
mod dds;
mod dds_server;
mod http;
mod mqtt;
mod options;
mod outcome;
mod tcp;
mod udp_echo;

use core::error::Error;
use core::sync::atomic::AtomicBool;
use std::process::ExitCode;

use lasthop_contract::{Application, Transport};
use lasthop_live::{End, PacketDevice, Poller, WallTime, Watch, join, live_run};
use lasthop_transport::{Routes, StackHost};

use options::Options;
use outcome::Outcome;

const HELP: &str = "\
usage: live_host --address ADDRESS [--delay-ms N] [--loss SHARE] [--outage-ms FROM,FOR] [--seed N] [--patience-s N] WHAT ... <> DEVICE

  udp-echo PORT                        sends every datagram back
  tcp connect PEER BYTES [PACE]        sends bytes of a known sequence and checks that the peer's are the same;
  tcp accept PORT BYTES [PACE]         PACE is answer (after the peer has finished) or SIZE MILLISECONDS
  mqtt-broker                          a broker with its default settings
  mqtt-client BROKER 3.1.1|5 QOS SEND RECEIVE
                                       sends so many messages to its topic device/1, and awaits so many from there
  coap-server con|non|tcp              keeps resources; notifications are confirmable or not, or it is over TCP
  coap-client SERVER con|non|tcp REQUESTS
                                       each METHOD PATH, with a file after put and post, a number after observe
  http-server                          takes messages at /device/N, in HTTP/1.1 and HTTP/2
  http-client SERVER:PORT 1.1|2 keep|per_message SEND
                                       posts so many messages, each when the one before is acknowledged
  dds-device SERVER SETTINGS SEND RECEIVE BYTES
                                       sends so many messages of so many bytes to the other, and awaits so many; SETTINGS
                                       are words with commas: reliable, untyped, tcp
  dds-server SETTINGS                  sends every report back to the device that it is of

ADDRESS is the host's own. A link of ours with this delay, loss and outage, each way, lies before the device.
What happens is told on standard output, a JSON object a line. A client ends when it is done; all end after
their patience, which is a failure for a client.
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("live_host: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let Some(options) = Options::read()? else {
        print!("{HELP}");
        return Ok(());
    };
    let (what, words) = options
        .words
        .split_first()
        .ok_or("say what to run; --help tells more")?;
    match what.as_str() {
        "udp-echo" => udp_echo::run(&options, words),
        "tcp" => tcp::run(&options, words),
        "mqtt-broker" => mqtt::run_broker(&options, words),
        "mqtt-client" => mqtt::run_client(&options, words),
        "coap-client" => coap_client::run(&options, words),
        "coap-server" => coap_server::run(&options, words),
        "http-server" => http::run_server(&options, words),
        "http-client" => http::run_client(&options, words),
        "dds-device" => dds::run_device(&options, words),
        "dds-server" => dds_server::run(&options, words),
        other => Err(format!("there is no {other}; --help tells more").into()),
    }
}

/// Runs an application on a transport until the outcome says that it is done.
fn run_host(
    options: &Options,
    transport: impl Transport + 'static,
    application: impl Application + 'static,
    outcome: &Outcome,
) -> Result<(), Box<dyn Error>> {
    let (time, poller) = (WallTime::starting_now(), Poller::new()?);
    let device = PacketDevice::new(rustix::stdio::stdin(), &poller)?;
    let host = Box::new(StackHost::new(
        Box::new(transport),
        application,
        Routes::OneInterface,
    ));
    let watch = Watch::until(time.now() + options.patience, outcome.done());
    let mut run = live_run(time, &poller, watch);
    let ends = [End::Ours(host), End::Outside(device)];
    join(&mut run, Box::new(options.link()), ends);
    run.run(&AtomicBool::new(false));
    if let Some(error) = poller.take_failure() {
        return Err(error.into());
    }
    let damaged = run.observer().damaged();
    if damaged > 0 {
        return Err(format!("{damaged} packets could not be read").into());
    }
    if outcome.is_awaited() && !outcome.is_done() {
        return Err("its patience ended before it was done".into());
    }
    Ok(())
}
