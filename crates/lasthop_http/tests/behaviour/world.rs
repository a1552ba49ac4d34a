//! A server without an application, and what a client that writes by hand hears of it.

use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::testing::{STREAM, Wire, WireEnd};
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, MessageId, Provenance, ReadOutcome, Transport,
    TransportEvent, TransportOutput,
};
use lasthop_http::http::{Request, Response};
use lasthop_http::{ExchangeId, Purpose, RequestServer, ServerEvent, ServerLimits};
use lasthop_units::{Duration, Instant};

pub(crate) struct Served {
    pub(crate) now: Instant,
    pub(crate) client: WireEnd,
    server: WireEnd,
    pub(crate) wire: Rc<RefCell<Wire>>,
    pub(crate) requests: RequestServer,
    /// What was asked and not answered yet.
    pub(crate) asked: Vec<(ExchangeId, Request<Vec<u8>>)>,
    pub(crate) gone: Vec<ExchangeId>,
    /// Whether what is asked is answered at once, by its own body.
    pub(crate) answers: bool,
}

/// What a client has heard.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) text: String,
    pub(crate) is_over: bool,
}

pub(crate) const ANY: Provenance = Provenance::new(Layer::Application, Cause::Payload);

pub(crate) fn message() -> MessageId {
    lasthop_contract::message_text::message_id(b"AAAAAAAB").unwrap()
}

impl Served {
    pub(crate) fn new(limits: ServerLimits) -> Self {
        let (client, server, wire) = WireEnd::pair();
        Self {
            now: Instant::ZERO,
            client,
            server,
            wire,
            requests: RequestServer::new(limits),
            asked: Vec::new(),
            gone: Vec::new(),
            answers: true,
        }
    }

    pub(crate) fn open(&mut self) -> ConnectionId {
        let peer = "192.0.2.1:80".parse().unwrap();
        let id = self.client.open(self.now, peer, &[]).unwrap();
        self.attend();
        id
    }

    pub(crate) fn write(&mut self, id: ConnectionId, bytes: &[u8]) {
        let chunk = Chunk {
            bytes,
            provenance: ANY,
        };
        // Of a connection that is over nothing is taken.
        let _ = self.client.write(self.now, id, STREAM, &[chunk]);
        self.attend();
    }

    /// Writes what there is room for; how much that is.
    pub(crate) fn write_some(&mut self, id: ConnectionId, bytes: &[u8]) -> usize {
        let chunk = Chunk {
            bytes,
            provenance: ANY,
        };
        let taken = self.client.write(self.now, id, STREAM, &[chunk]);
        self.attend();
        taken.unwrap_or(0)
    }

    /// How many bytes the client reads now; the server learns that there is room for more.
    pub(crate) fn hear_bytes(&mut self, id: ConnectionId) -> usize {
        let mut room = [0; 4096];
        let mut heard = 0;
        while let Ok(ReadOutcome::Read(count)) = self.client.read(self.now, id, STREAM, &mut room) {
            heard += count;
        }
        self.attend();
        heard
    }

    pub(crate) fn finish(&mut self, id: ConnectionId) {
        self.client.finish(self.now, id, STREAM);
        self.attend();
    }

    pub(crate) fn answer(&mut self, exchange: ExchangeId, response: &Response<Vec<u8>>) {
        let purpose = Purpose::carrying(message());
        let (requests, server) = (&mut self.requests, &mut self.server);
        requests.respond(self.now, exchange, response, purpose, server);
        self.attend();
    }

    pub(crate) fn stop(&mut self) {
        self.requests.stop(self.now, &mut self.server);
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, seconds: u64) {
        let end = self.now + Duration::from_secs(seconds);
        while let Some(at) = self.requests.next_deadline().filter(|at| *at <= end) {
            self.now = at.max(self.now);
            self.requests.timeout(self.now, &mut self.server);
            self.attend();
        }
        self.now = end;
    }

    fn attend(&mut self) {
        while let TransportOutput::Event(id, event) = self.server.poll(self.now) {
            self.requests.handle(self.now, id, event, &mut self.server);
            self.drain();
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(event) = self.requests.next_event() {
            match event {
                ServerEvent::Asked { exchange, request } if self.answers => {
                    let response = Response::new(request.body().clone());
                    self.asked.push((exchange, *request));
                    self.answer(exchange, &response);
                }
                ServerEvent::Asked { exchange, request } => self.asked.push((exchange, *request)),
                ServerEvent::Gone(exchange) => self.gone.push(exchange),
            }
        }
    }

    /// What the client reads on a connection now.
    pub(crate) fn hear(&mut self, id: ConnectionId) -> Heard {
        let mut heard = Heard::default();
        let mut room = [0; 512];
        loop {
            match self.client.read(self.now, id, STREAM, &mut room) {
                Ok(ReadOutcome::Read(count)) => {
                    heard.text += &String::from_utf8_lossy(&room[..count]);
                }
                Ok(ReadOutcome::Blocked) => break,
                Ok(ReadOutcome::Finished) | Err(_) => {
                    heard.is_over = true;
                    break;
                }
            }
        }
        while let TransportOutput::Event(of, event) = self.client.poll(self.now) {
            heard.is_over |= of == id && matches!(event, TransportEvent::Closed(_));
        }
        heard
    }

    /// What a new connection hears on which this is written.
    pub(crate) fn say(&mut self, bytes: &[u8]) -> Heard {
        let id = self.open();
        self.write(id, bytes);
        self.hear(id)
    }
}
