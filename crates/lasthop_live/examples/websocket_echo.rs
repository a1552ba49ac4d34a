//! A WebSocket that says what it hears, message by message, for suites that judge implementations:
//! `websocket_echo serve ADDRESS`, or `websocket_echo ask ADDRESS RESOURCE`, which ends with the connection.

#![expect(clippy::print_stderr, reason = "a program that fails says why")]

use core::cell::Cell;
use core::error::Error;
use core::net::SocketAddr;
use core::sync::atomic::AtomicBool;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, Host, HostInput, HostOutput, Layer, Provenance,
    StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_live::{ConnectionLimits, KernelTcp, Listener, Poller, WallTime, Watch, live_run};
use lasthop_units::Instant;
use lasthop_websocket::{MessageKind, MessageOutcome, WebSocket, WebSocketConfig};

/// What comes is kept until its message is whole, and goes back in one.
struct Echo {
    web: WebSocket<KernelTcp>,
    heard: BTreeMap<ConnectionId, Heard>,
    is_client: bool,
    /// Set when the connection of a client is over.
    done: Rc<Cell<bool>>,
}

struct Heard {
    stream: StreamId,
    message: Vec<u8>,
    /// It is whole, but not taken yet.
    waits: Option<MessageKind>,
}

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("websocket_echo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (address, resource) = match words[..] {
        ["serve", address] => (address, None),
        ["ask", address, resource] => (address, Some(resource)),
        _ => return Err("write serve ADDRESS, or ask ADDRESS RESOURCE".into()),
    };
    let address: SocketAddr = address.parse()?;
    let (time, poller) = (WallTime::starting_now(), Poller::new()?);
    let tcp = match resource {
        None => {
            let limits = ConnectionLimits {
                connections: 1000,
                connections_per_address: 1000,
            };
            KernelTcp::server(&poller, vec![Listener::stream(address)?], limits)?
        }
        Some(_) => KernelTcp::client(&poller),
    };
    let config = WebSocketConfig {
        resource: resource.unwrap_or("/").to_owned(),
        subprotocol: None,
        takes_text: true,
        ..WebSocketConfig::new("")
    };
    let done: Rc<Cell<bool>> = Rc::default();
    let mut echo = Echo {
        web: WebSocket::new(tcp, Arc::new(config), None),
        heard: BTreeMap::new(),
        is_client: resource.is_some(),
        done: Rc::clone(&done),
    };
    if resource.is_some() {
        echo.web.open(time.now(), address, &[])?;
    }
    let mut run = live_run(time, &poller, Watch::until(Instant::FAR_FUTURE, done));
    let host = run.add_host(Box::new(echo), Direction::Down);
    run.open_to_outside(host);
    run.run(&AtomicBool::new(false));
    poller
        .take_failure()
        .map_or(Ok(()), |error| Err(error.into()))
}

impl Echo {
    fn attend(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(_) => {
                let heard = Heard {
                    stream: self.web.initial_stream(id).unwrap_or(StreamId(0)),
                    message: Vec::new(),
                    waits: None,
                };
                self.heard.insert(id, heard);
                self.read(now, id);
            }
            TransportEvent::Readable(_) => self.read(now, id),
            TransportEvent::Writable(_) => {
                self.answer(now, id);
                self.read(now, id);
            }
            TransportEvent::Closed(_) => {
                self.heard.remove(&id);
                self.done.set(self.is_client);
            }
            _ => {}
        }
    }

    fn read(&mut self, now: Instant, id: ConnectionId) {
        let mut room = vec![0; 1 << 16];
        while let Some(heard) = self.heard.get_mut(&id)
            && heard.waits.is_none()
        {
            match self.web.read_message(now, id, heard.stream, &mut room) {
                Ok(MessageOutcome::Part(count)) => heard.message.extend(&room[..count]),
                Ok(MessageOutcome::End(kind)) => {
                    heard.waits = Some(kind);
                    self.answer(now, id);
                }
                Ok(MessageOutcome::Finished) => return self.web.finish(now, id, heard.stream),
                Ok(MessageOutcome::Blocked) | Err(_) => return,
            }
        }
    }

    fn answer(&mut self, now: Instant, id: ConnectionId) {
        let Some(heard) = self.heard.get_mut(&id) else {
            return;
        };
        let Some(kind) = heard.waits else { return };
        let chunk = Chunk {
            bytes: &heard.message,
            provenance: PAYLOAD,
        };
        if self.web.write_message(now, id, kind, &[chunk]) != Ok(false) {
            heard.waits = None;
            heard.message.clear();
        }
    }
}

impl Host for Echo {
    fn handle(&mut self, now: Instant, _: HostInput) {
        self.web.handle(now, TransportInput::Timeout);
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        loop {
            match self.web.poll(now) {
                TransportOutput::Event(id, event) => self.attend(now, id, event),
                TransportOutput::WaitUntil(deadline) => return HostOutput::WaitUntil(deadline),
                TransportOutput::Transmit(_)
                | TransportOutput::Discard(..)
                | TransportOutput::Evicted => {}
            }
        }
    }
}
