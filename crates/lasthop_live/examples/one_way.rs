//! Sends datagrams at a rate, or receives them and tells how long each was on its way: for measurements of what lies between.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it tells what it measured by its output"
)]

use core::error::Error;
use core::time::Duration;
use std::process::ExitCode;

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

const HELP: &str = "\
usage: one_way send ADDRESS:PORT COUNT BYTES PER_SECOND
       one_way receive ADDRESS:PORT SECONDS_OF_SILENCE

Datagrams carry the time when they were sent, so both are to run on one machine. PER_SECOND 0 is as fast as it goes.
The receiver says READY when it listens and, after the silence, the delays in nanoseconds as a JSON list.
";

const NANOS: u64 = 1_000_000_000;

/// A datagram carries at least its time.
const SMALLEST: usize = 8;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["send", to, count, bytes, rate] => send(to, count, bytes, rate),
        ["receive", at, silence] => receive(at, silence),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("one_way: {error}");
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::disallowed_types, reason = "it speaks with the kernel")]
fn send(to: &str, count: &str, bytes: &str, rate: &str) -> Result<(), Box<dyn Error>> {
    let (count, rate): (u64, u64) = (count.parse()?, rate.parse()?);
    let mut datagram = vec![0; bytes.parse::<usize>()?.max(SMALLEST)];
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    socket.connect(to)?;
    let begin = now();
    for number in 0..count {
        if let Some(after) = (number * NANOS).checked_div(rate) {
            sleep_until(begin + after)?;
        }
        datagram[..SMALLEST].copy_from_slice(&now().to_le_bytes());
        // Where there is no room it is lost, as on any device.
        let _ = socket.send(&datagram);
    }
    println!(
        r#"{{"sent":{count},"seconds":{}}}"#,
        (now() - begin) as f64 / NANOS as f64
    );
    Ok(())
}

#[expect(clippy::disallowed_types, reason = "it speaks with the kernel")]
fn receive(at: &str, silence: &str) -> Result<(), Box<dyn Error>> {
    let socket = std::net::UdpSocket::bind(at)?;
    println!("READY");
    let mut room = [0; 2048];
    let mut delays = Vec::new();
    // Patience for the first, then until nothing comes any more.
    socket.set_read_timeout(Some(Duration::from_secs(60)))?;
    let (mut first, mut last) = (0, 0);
    while let Ok(length) = socket.recv(&mut room) {
        last = now();
        let Some(sent) = room[..length].first_chunk::<SMALLEST>() else {
            continue;
        };
        delays.push(last - u64::from_le_bytes(*sent));
        if delays.len() == 1 {
            first = last;
            socket.set_read_timeout(Some(Duration::from_secs_f64(silence.parse()?)))?;
        }
    }
    let seconds = (last - first) as f64 / NANOS as f64;
    println!(r#"{{"seconds":{seconds},"delays_ns":{delays:?}}}"#);
    Ok(())
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * NANOS + time.tv_nsec as u64
}

fn sleep_until(nanos: u64) -> Result<(), Box<dyn Error>> {
    let at = Timespec {
        tv_sec: (nanos / NANOS) as i64,
        tv_nsec: (nanos % NANOS) as i64,
    };
    clock_nanosleep_absolute(ClockId::Monotonic, &at)?;
    Ok(())
}
