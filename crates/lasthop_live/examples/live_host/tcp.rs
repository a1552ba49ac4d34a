use core::error::Error;
use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, CloseReason, ConnectionId,
    Layer, Provenance, RandomStream, ReadOutcome, Transport, TransportEvent,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};
use serde_json::json;

use crate::{Options, Outcome, run_host};

/// Sends a known sequence of bytes over one connection, and checks that the peer's are the same.
struct Exchange {
    end: End,
    to_send: u64,
    write_size: u64,
    write_interval: Duration,
    /// Sends only when the peer has finished.
    answers: bool,
    connection: Option<ConnectionId>,
    established: Option<Instant>,
    written: u64,
    read: u64,
    is_intact: bool,
    peer_finished: bool,
    finished: bool,
    buffer: Box<[u8]>,
    outcome: Outcome,
}

#[derive(Clone, Copy)]
enum End {
    Connects(SocketAddr),
    Accepts(u16),
}

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// A prime, so that no segment size is a multiple.
const PERIOD: u64 = 251;

pub(crate) fn run(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let [role, place, to_send, rest @ ..] = words else {
        return Err("tcp takes a role, a peer or port, and a number of bytes".into());
    };
    let end = match role.as_str() {
        "connect" => End::Connects(place.parse()?),
        "accept" => End::Accepts(place.parse()?),
        other => return Err(format!("{other} is neither connect nor accept").into()),
    };
    let to_send = to_send.parse()?;
    let (answers, (write_size, every_ms)) = match rest {
        [] => (false, (to_send, 0)),
        [word] if word == "answer" => (true, (to_send, 0)),
        [size, every_ms] => (false, (size.parse()?, every_ms.parse()?)),
        _ => {
            return Err("after the bytes may stand: answer, or SIZE MILLISECONDS of writes".into());
        }
    };
    let outcome = Outcome::awaited();
    let exchange = Exchange {
        end,
        to_send,
        write_size: write_size.max(1),
        write_interval: Duration::from_millis(every_ms),
        answers,
        connection: None,
        established: None,
        written: 0,
        read: 0,
        is_intact: true,
        peer_finished: false,
        finished: false,
        buffer: vec![0; 1 << 16].into_boxed_slice(),
        outcome: outcome.clone(),
    };
    let profile = TcpProfile {
        nodelay: true,
        ..TcpProfile::linux()
    };
    let stream = RandomStream::named(options.seed, "tcp");
    let tcp = Tcp::new(options.address, Arc::new(profile), stream);
    run_host(options, tcp, exchange, &outcome)
}

/// The byte at a place of the sequence.
fn byte_at(place: u64) -> u8 {
    (place % PERIOD) as u8
}

impl Exchange {
    fn read(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        loop {
            match transport.read(now, connection, Tcp::STREAM, &mut self.buffer) {
                Ok(ReadOutcome::Read(length)) => {
                    let expected = (self.read..).map(byte_at);
                    self.is_intact &= self.buffer[..length]
                        .iter()
                        .copied()
                        .eq(expected.take(length));
                    self.read += length as u64;
                }
                Ok(ReadOutcome::Finished) => {
                    self.peer_finished = true;
                    return;
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
    }

    /// How much is to be written by now.
    fn due(&self, now: Instant) -> u64 {
        let Some(established) = self.established else {
            return 0;
        };
        if self.answers && !self.peer_finished {
            return 0;
        }
        if self.write_interval == Duration::ZERO {
            return self.to_send;
        }
        let writes = (now - established).as_nanos() / self.write_interval.as_nanos() + 1;
        writes.saturating_mul(self.write_size).min(self.to_send)
    }

    fn write(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(connection) = self.connection.filter(|_| !self.finished) else {
            return;
        };
        let due = self.due(now);
        while self.written < due {
            let size = (due - self.written).min(self.write_size).min(1 << 14);
            let bytes: Vec<u8> = (self.written..self.written + size).map(byte_at).collect();
            let chunk = Chunk {
                bytes: &bytes,
                provenance: PAYLOAD,
            };
            match transport.write(now, connection, Tcp::STREAM, &[chunk]) {
                Ok(taken) if taken > 0 => self.written += taken as u64,
                _ => return,
            }
        }
        if self.established.is_some()
            && self.written == self.to_send
            && (self.peer_finished || !self.answers)
        {
            self.finished = true;
            transport.finish(now, connection, Tcp::STREAM);
        }
    }

    fn next_write(&self) -> Option<Instant> {
        let established = self
            .established
            .filter(|_| self.write_interval > Duration::ZERO)?;
        let writes = self.written / self.write_size;
        (!self.finished).then(|| established + self.write_interval * writes)
    }

    fn closed(&self, reason: CloseReason) {
        let line = json!({
            "sent": self.written,
            "received": self.read,
            "intact": self.is_intact,
            "closed": format!("{reason:?}"),
        });
        println!("{line}");
        self.outcome.set_done();
    }
}

impl Application for Exchange {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => match self.end {
                End::Connects(peer) => {
                    let opened = transport.open(now, peer, &[]);
                    self.connection = Some(opened.expect("every port is free"));
                }
                End::Accepts(port) => transport.listen(port).expect("nobody else listens"),
            },
            ApplicationInput::Transport(connection, event) => {
                match event {
                    TransportEvent::Established(_) => {
                        self.connection = Some(connection);
                        self.established = Some(now);
                    }
                    TransportEvent::Readable(_) => self.read(now, connection, transport),
                    TransportEvent::Closed(reason) => self.closed(reason),
                    _ => {}
                }
                self.write(now, transport);
            }
            _ => self.write(now, transport),
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        ApplicationOutput::WaitUntil(self.next_write())
    }
}
