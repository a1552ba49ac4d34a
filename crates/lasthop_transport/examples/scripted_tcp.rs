//! Lets a script act on our TCP in virtual time, one command a line.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use core::error::Error;
use core::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, Packet, Provenance, RandomStream, ReadOutcome, ResetReason,
    Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::tcp::{CongestionControl, KeepAlive};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

const HELP: &str = "\
usage: scripted_tcp < COMMANDS

Reads one command a line, `NANOSECONDS ACTION [VALUE]`, and lets our TCP with the Linux profile
do it at that virtual time. Actions: set NAME VALUE, listen PORT, open ADDRESS:PORT[/EARLY],
packet HEX, write BYTES, read BYTES, finish, reset, wait. Each answer is the lines
`NANOSECONDS > HEX` (a packet that leaves) and `NANOSECONDS = TEXT` (what a call gave), then `.`.

example: printf '0 listen 1883\\n0 wait\\n' | scripted_tcp
";

/// Where the scripted peer finds our TCP.
const ADDRESS: &str = "10.78.0.1";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scripted_tcp: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    if let Some(argument) = std::env::args().nth(1) {
        if argument == "--help" {
            print!("{HELP}");
            return Ok(());
        }
        return Err(format!("no such option: {argument}; --help lists what there is").into());
    }
    let mut player = Player::new()?;
    for line in io::stdin().lines() {
        let line = line?;
        let mut words = line.splitn(3, ' ');
        let at = words.next().unwrap_or_default().parse()?;
        let action = words.next().ok_or("write an action behind the time")?;
        player.run_until(Instant::ZERO + Duration::from_nanos(at));
        player.act(action, words.next().unwrap_or_default())?;
        player.drain();
        println!("{}.", core::mem::take(&mut player.happened));
        io::stdout().flush()?;
    }
    Ok(())
}

/// Our TCP, and what it did since the last command.
struct Player {
    profile: TcpProfile,
    host: Tcp,
    now: Instant,
    connection: Option<ConnectionId>,
    deadline: Option<Instant>,
    happened: String,
}

impl Player {
    fn new() -> Result<Self, Box<dyn Error>> {
        let profile = TcpProfile::linux();
        let host = Tcp::new(
            ADDRESS.parse()?,
            Arc::new(profile.clone()),
            RandomStream::named(1, "tcp"),
        );
        Ok(Self {
            profile,
            host,
            now: Instant::ZERO,
            connection: None,
            deadline: None,
            happened: String::new(),
        })
    }

    fn run_until(&mut self, end: Instant) {
        while let Some(at) = self.deadline.filter(|at| *at <= end) {
            self.now = at.max(self.now);
            self.host.handle(self.now, TransportInput::Timeout);
            self.drain();
        }
        self.now = end;
    }

    fn act(&mut self, action: &str, value: &str) -> Result<(), Box<dyn Error>> {
        let now = self.now;
        match action {
            "wait" => {}
            "set" => self.set(value)?,
            "listen" => self.host.listen(value.parse()?)?,
            "open" => {
                let (peer, early) = value.split_once('/').unwrap_or((value, "0"));
                let bytes = vec![b'x'; early.parse()?];
                let chunk = payload(&bytes);
                let early = if bytes.is_empty() { &[][..] } else { &[chunk] };
                self.connection = Some(self.host.open(now, peer.parse()?, early)?);
            }
            "packet" => {
                let provenance = Provenance::new(Layer::Application, Cause::Payload);
                let packet = Packet::of(&from_hex(value)?, provenance);
                self.host.handle(now, TransportInput::Packet(packet));
            }
            "write" => {
                let bytes = vec![b'x'; value.parse()?];
                let id = self.connected()?;
                match self.host.write(now, id, Tcp::STREAM, &[payload(&bytes)]) {
                    Ok(taken) if taken < bytes.len() => self.note(&format!("wrote {taken}")),
                    Ok(_) => {}
                    Err(error) => self.note(&error.to_string()),
                }
            }
            "read" => {
                let mut room = vec![0; value.parse()?];
                let id = self.connected()?;
                let outcome = match self.host.read(now, id, Tcp::STREAM, &mut room) {
                    Ok(ReadOutcome::Read(count)) => format!("read {count}"),
                    Ok(ReadOutcome::Blocked) => "blocked".to_owned(),
                    Ok(ReadOutcome::Finished) => "finished".to_owned(),
                    Err(error) => error.to_string(),
                };
                self.note(&outcome);
            }
            "finish" => {
                let id = self.connected()?;
                self.host.finish(now, id, Tcp::STREAM);
            }
            "reset" => {
                let id = self.connected()?;
                self.host.reset(now, id, ResetReason::NotNeeded);
            }
            _ => return Err(format!("no such action: {action}").into()),
        }
        Ok(())
    }

    /// Changes the profile of the connections to come.
    fn set(&mut self, value: &str) -> Result<(), Box<dyn Error>> {
        let words: Vec<&str> = value.split(' ').collect();
        match words[..] {
            ["nodelay"] => self.profile.nodelay = true,
            ["receive_buffer", bytes] => self.profile.receive_buffer = bytes.parse()?,
            ["congestion", "reno"] => self.profile.congestion = CongestionControl::Reno,
            ["keep_alive", idle, interval, probes] => {
                self.profile.keep_alive = Some(KeepAlive {
                    idle: Duration::from_secs(idle.parse()?),
                    interval: Duration::from_secs(interval.parse()?),
                    probes: probes.parse()?,
                });
            }
            ["user_timeout", millis] => {
                self.profile.user_timeout = Some(Duration::from_millis(millis.parse()?));
            }
            _ => return Err(format!("no such setting: {value}").into()),
        }
        self.host.set_profile(Arc::new(self.profile.clone()));
        Ok(())
    }

    fn connected(&self) -> Result<ConnectionId, Box<dyn Error>> {
        Ok(self.connection.ok_or("there is no connection yet")?)
    }

    fn drain(&mut self) {
        loop {
            match self.host.poll(self.now) {
                TransportOutput::Transmit(packet) => {
                    let mut hex = String::new();
                    for byte in packet.bytes() {
                        let _ = write!(hex, "{byte:02x}");
                    }
                    self.say('>', &hex);
                }
                TransportOutput::Event(id, TransportEvent::Established(_)) => {
                    self.connection = Some(id);
                }
                TransportOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    return;
                }
                _ => {}
            }
        }
    }

    fn note(&mut self, text: &str) {
        self.say('=', text);
    }

    fn say(&mut self, mark: char, text: &str) {
        let at = self.now.as_nanos();
        let _ = writeln!(self.happened, "{at} {mark} {text}");
    }
}

fn payload(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance::new(Layer::Application, Cause::Payload),
    }
}

fn from_hex(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair| Ok(u8::from_str_radix(core::str::from_utf8(pair)?, 16)?);
    pairs.map(byte).collect()
}
