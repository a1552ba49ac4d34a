//! DTLS 1.2 sessions one behind the other, later ones resumed by their identifier (RFC 5246 section 7.3), to be held against
//! other implementations: `dtls_sessions ADDRESS COUNT --psk FILE`, or `--cafile FILE` for a server that shows a certificate
//! of that address. It says a word in each, prints how each came about, and goes on once it hears something back.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program says what it does"
)]

use core::cell::Cell;
use core::error::Error;
use core::net::SocketAddr;
use core::sync::atomic::AtomicBool;
use std::process::ExitCode;
use std::rc::Rc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, Host, HostInput, HostOutput, Layer, Provenance,
    ResetReason, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_dtls::{ClientProfile, Dtls, PreSharedKey, Version};
use lasthop_live::{KernelUdp, Poller, WallTime, Watch, certified_client, keyed_client, live_run};
use lasthop_tls::roots_of_pem;
use lasthop_units::{Duration, Instant};

/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(30);
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// Opens a session when the one before has ended.
struct Sessions {
    dtls: Dtls<KernelUdp>,
    server: SocketAddr,
    rest: u32,
    /// Set when all are over.
    done: Rc<Cell<bool>>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("dtls_sessions: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (server, rest, profile) = match words[..] {
        [server, count, "--psk", file] => (server, count, by_key(file)?),
        [server, count, "--cafile", file] => (server, count, by_certificate(server, file)?),
        _ => return Err("write ADDRESS COUNT --psk FILE, or ADDRESS COUNT --cafile FILE".into()),
    };
    let (server, rest) = (server.parse()?, rest.parse()?);
    let (time, poller) = (WallTime::starting_now(), Poller::new()?);
    let done: Rc<Cell<bool>> = Rc::default();
    let udp = KernelUdp::client(&poller);
    let mut sessions = Sessions {
        dtls: Dtls::new(udp, Some(profile), None, None),
        server,
        rest,
        done: Rc::clone(&done),
    };
    sessions.open(time.now());
    let watch = Watch::until(time.now() + PATIENCE, Rc::clone(&done));
    let mut run = live_run(time, &poller, watch);
    let host = run.add_host(Box::new(sessions), Direction::Up);
    run.open_to_outside(host);
    run.run(&AtomicBool::new(false));
    match poller.take_failure() {
        Some(error) => Err(error.into()),
        None => Ok(done.get()),
    }
}

fn by_key(file: &str) -> Result<ClientProfile, Box<dyn Error>> {
    Ok(keyed_client(PreSharedKey::read(&std::fs::read_to_string(
        file,
    )?)?))
}

fn by_certificate(server: &str, file: &str) -> Result<ClientProfile, Box<dyn Error>> {
    let server: SocketAddr = server.parse()?;
    let roots = roots_of_pem(&std::fs::read(file)?)?;
    let name = server.ip().to_string();
    Ok(certified_client(Version::V1_2, &name, roots, None)?)
}

impl Sessions {
    fn open(&mut self, now: Instant) {
        match self.rest.checked_sub(1) {
            Some(rest) => {
                self.rest = rest;
                // What cannot be opened never says a word.
                let _ = self.dtls.open(now, self.server, &[]);
            }
            None => self.done.set(true),
        }
    }

    fn attend(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(how) => {
                println!("{how:?}");
                let chunk = Chunk {
                    bytes: b"a word\n",
                    provenance: PAYLOAD,
                };
                let _ = self.dtls.send_datagram(now, id, &[chunk]);
            }
            TransportEvent::DatagramReadable => {
                self.dtls.reset(now, id, ResetReason::NotNeeded);
            }
            TransportEvent::Closed(reason) => {
                println!("{reason:?}");
                self.open(now);
            }
            _ => {}
        }
    }
}

impl Host for Sessions {
    fn handle(&mut self, now: Instant, _: HostInput) {
        self.dtls.handle(now, TransportInput::Timeout);
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        loop {
            match self.dtls.poll(now) {
                TransportOutput::Event(id, event) => self.attend(now, id, event),
                TransportOutput::WaitUntil(deadline) => return HostOutput::WaitUntil(deadline),
                TransportOutput::Transmit(_)
                | TransportOutput::Discard(..)
                | TransportOutput::Evicted => {}
            }
        }
    }
}
