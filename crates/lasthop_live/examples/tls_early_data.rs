//! TLS 1.3 with early data, to be held against other implementations: `tls_early_data ask ADDRESS COUNT ROOTS` says a word in
//! each of so many sessions, one behind the other, by early data where it may; `tls_early_data serve ADDRESS CERTIFICATE KEY`
//! hears words and says each again. Both print how each session came about.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program says what it does"
)]

use core::cell::Cell;
use core::error::Error;
use core::net::SocketAddr;
use core::sync::atomic::AtomicBool;
use std::fs::read;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, Host, HostInput, HostOutput, Layer, Provenance,
    ReadOutcome, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_live::{ConnectionLimits, KernelTcp, Listener, Poller, WallTime, Watch, live_run};
use lasthop_tls::{
    Chain, ClientProfile, ClientSettings, Group, Randomness, ServerProfile, ServerSettings,
    Settings, Tls, Verify, Version, roots_of_pem,
};
use lasthop_units::{Duration, Instant};

/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much early data the server takes, in bytes.
const EARLY_DATA: u32 = 4096;
const WORD: Chunk<'_> = Chunk {
    bytes: b"a word\n",
    provenance: Provenance::new(Layer::Application, Cause::Payload),
};

/// One end. A client has a server, and opens a session when the one before has ended.
struct End {
    tls: Tls<KernelTcp>,
    server: Option<SocketAddr>,
    rest: u32,
    /// Set when all are over.
    done: Rc<Cell<bool>>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tls_early_data: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (time, poller) = (WallTime::starting_now(), Poller::new()?);
    let done: Rc<Cell<bool>> = Rc::default();
    let (server, rest, tls) = match words[..] {
        ["ask", address, count, roots] => {
            let server: SocketAddr = address.parse()?;
            let tls = Tls::new(
                KernelTcp::client(&poller),
                Some(client(server, roots)?),
                None,
                None,
            );
            (Some(server), count.parse()?, tls)
        }
        ["serve", address, certificate, key] => {
            let limits = ConnectionLimits {
                connections: 10,
                connections_per_address: 10,
            };
            let listener = Listener::stream(address.parse()?)?;
            let tcp = KernelTcp::server(&poller, vec![listener], limits)?;
            let profile = profile_of_server(certificate, key)?;
            (None, 0, Tls::new(tcp, None, Some(profile), None))
        }
        _ => return Err("write ask ADDRESS COUNT ROOTS, or serve ADDRESS CERTIFICATE KEY".into()),
    };
    let mut end = End {
        tls,
        server,
        rest,
        done: Rc::clone(&done),
    };
    end.open(time.now());
    let watch = Watch::until(time.now() + PATIENCE, Rc::clone(&done));
    let mut run = live_run(time, &poller, watch);
    let host = run.add_host(Box::new(end), Direction::Up);
    run.open_to_outside(host);
    run.run(&AtomicBool::new(false));
    match poller.take_failure() {
        Some(error) => Err(error.into()),
        None if server.is_some() && !done.get() => Err("the server was too slow".into()),
        None => Ok(()),
    }
}

fn settings() -> Settings {
    Settings {
        randomness: Randomness::OfTheSystem,
        version: Version::Tls13,
        groups: vec![Group::X25519],
        largest_record: None,
        protocols: Vec::new(),
    }
}

fn client(server: SocketAddr, roots: &str) -> Result<ClientProfile, Box<dyn Error>> {
    let own = ClientSettings {
        server: server.ip().to_string(),
        verify: Verify::Against(Arc::new(roots_of_pem(&read(roots)?)?)),
        credentials: None,
        resumes: true,
        sends_early_data: true,
    };
    Ok(ClientProfile::new(&settings(), own)?)
}

fn profile_of_server(certificate: &str, key: &str) -> Result<ServerProfile, Box<dyn Error>> {
    let own = ServerSettings {
        credentials: Chain::of_pem(&read(certificate)?, &read(key)?)?,
        clients: None,
        tickets: 2,
        sessions: 100,
        early_data: EARLY_DATA,
        patience: None,
    };
    Ok(ServerProfile::new(&settings(), own)?)
}

impl End {
    fn open(&mut self, now: Instant) {
        let Some(server) = self.server else { return };
        match self.rest.checked_sub(1) {
            Some(rest) => {
                self.rest = rest;
                // What cannot be opened never says a word.
                let _ = self.tls.open(now, server, &[WORD]);
            }
            None => self.done.set(true),
        }
    }

    fn attend(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(how) => println!("{how:?}"),
            TransportEvent::Readable(stream) => {
                let mut room = [0; 1000];
                match self.tls.read(now, id, stream, &mut room) {
                    Ok(ReadOutcome::Read(count)) if self.server.is_none() => {
                        let bytes = &room[..count];
                        println!("heard: {}", String::from_utf8_lossy(bytes).trim_end());
                        let again = Chunk { bytes, ..WORD };
                        let _ = self.tls.write(now, id, stream, &[again]);
                    }
                    Ok(ReadOutcome::Blocked) => {}
                    _ => self.tls.finish(now, id, stream),
                }
            }
            TransportEvent::Closed(reason) => {
                println!("{reason:?}");
                self.open(now);
            }
            _ => {}
        }
    }
}

impl Host for End {
    fn handle(&mut self, now: Instant, _: HostInput) {
        self.tls.handle(now, TransportInput::Timeout);
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        loop {
            match self.tls.poll(now) {
                TransportOutput::Event(id, event) => self.attend(now, id, event),
                TransportOutput::WaitUntil(deadline) => return HostOutput::WaitUntil(deadline),
                TransportOutput::Transmit(_)
                | TransportOutput::Discard(..)
                | TransportOutput::Evicted => {}
            }
        }
    }
}
