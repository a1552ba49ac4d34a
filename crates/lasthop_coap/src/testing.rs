//! Endpoints that receive arbitrary bytes, for fuzzing and for tests of bad input.

use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_contract::testing::{STREAM, WireEnd};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, ConnectionId, DeviceId, FlowId,
    Layer, MessageId, OutgoingMessage, Provenance, RandomStream, Transport, TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapRequest, CoapServer,
    CoapServerConfig, Code, MessageType, PORT, Push,
};

/// Sends these datagrams to a server, interleaved with time and valid messages.
pub fn tell_server(data: &[u8]) {
    let (steps, push) = steps_of(data);
    let server = CoapServer::new(server_config(Carrier::Datagrams, push), stream());
    Told::new(server).datagrams(steps);
}

/// Sends these datagrams to a device while it registers, observes and requests.
pub fn tell_client(data: &[u8]) {
    let (steps, push) = steps_of(data);
    let client = CoapClient::new(client_config(Carrier::Datagrams, push), stream());
    let mut told = Told::new(client);
    for observe in [false, true] {
        let request = CoapRequest {
            observe,
            ..CoapRequest::new(MessageType::NonConfirmable, Code::GET, "a")
        };
        // There is a connection: it was opened at the start.
        let _ = told
            .application
            .request(told.now, request, &mut told.transport);
    }
    told.datagrams(steps);
}

/// Sends these bytes of a stream to a server, in pieces.
pub fn tell_server_by_stream(data: &[u8]) {
    let (steps, push) = steps_of(data);
    let server = CoapServer::new(server_config(Carrier::Streams, push), stream());
    Told::new(server).stream(steps);
}

/// Sends these bytes of a stream to a device, in pieces.
pub fn tell_client_by_stream(data: &[u8]) {
    let (steps, push) = steps_of(data);
    let client = CoapClient::new(client_config(Carrier::Streams, push), stream());
    Told::new(client).stream(steps);
}

/// Pieces of the data: a length, then that many bytes. The first byte says how messages are pushed.
fn steps_of(data: &[u8]) -> (Vec<&[u8]>, Push) {
    let (first, mut rest) = data.split_first().unwrap_or((&0, &[]));
    let push = [Push::Post, Push::Put, Push::Observe][usize::from(first % 3)];
    let mut steps = Vec::new();
    while let Some((&length, behind)) = rest.split_first() {
        let (step, behind) = behind.split_at(behind.len().min(length.into()));
        steps.push(step);
        rest = behind;
    }
    (steps, push)
}

fn stream() -> RandomStream {
    RandomStream::named(1, "told")
}

fn parameters() -> Arc<CoapParameters> {
    Arc::new(CoapParameters {
        token_length: 1,
        max_body_size: 4096,
        ..CoapParameters::default()
    })
}

fn server_config(carrier: Carrier, push: Push) -> CoapServerConfig {
    CoapServerConfig {
        kind: MessageType::Confirmable,
        push,
        answers: true,
        carrier,
        parameters: parameters(),
    }
}

fn client_config(carrier: Carrier, push: Push) -> CoapClientConfig {
    CoapClientConfig {
        server: SocketAddr::from(([10, 0, 0, 2], PORT)),
        device: DeviceId(1),
        kind: MessageType::Confirmable,
        push,
        receives: true,
        answers: true,
        carrier,
        parameters: parameters(),
    }
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance::new(Layer::Application, Cause::Opaque),
    }
}

/// An application and what it is told.
struct Told<A> {
    application: A,
    transport: WireEnd,
    /// Where what it is told comes from; what it says is not heard.
    far: WireEnd,
    connection: ConnectionId,
    now: Instant,
    deadline: Option<Instant>,
}

impl<A: Application> Told<A> {
    fn new(application: A) -> Self {
        let (transport, far, wire) = WireEnd::pair();
        (wire.borrow_mut().swallows, wire.borrow_mut().record) = (true, false);
        let mut told = Self {
            application,
            transport,
            far,
            connection: ConnectionId(0),
            now: Instant::ZERO,
            deadline: None,
        };
        told.inform(ApplicationInput::Start);
        if wire.borrow().connections() == 0 {
            let peer = SocketAddr::from(([10, 0, 0, 1], PORT));
            let opened = told.far.open(told.now, peer, &[]);
            told.connection = opened.expect("a wire has no limits");
        }
        told.hear();
        told
    }

    fn datagrams(mut self, steps: Vec<&[u8]>) {
        for step in steps {
            // A connection that the application has ended hears no more.
            let _ = self
                .far
                .send_datagram(self.now, self.connection, &[chunk(step)]);
            self.tell(step);
        }
        self.pass(Duration::from_secs(1000));
    }

    fn stream(mut self, steps: Vec<&[u8]>) {
        for step in steps {
            let _ = self
                .far
                .write(self.now, self.connection, STREAM, &[chunk(step)]);
            self.tell(step);
        }
        self.pass(Duration::from_secs(1000));
    }

    fn tell(&mut self, step: &[u8]) {
        self.hear();
        // Now and then it has something to say itself, or time passes.
        match step.len() % 8 {
            0 => self.pass(Duration::from_secs(step.len() as u64)),
            1 => {
                let id = MessageId {
                    flow: FlowId(1),
                    number: core::num::NonZeroU32::MIN,
                };
                let payload = &step.repeat(20);
                self.inform(ApplicationInput::Send(OutgoingMessage {
                    id,
                    payload,
                    asks: false,
                }));
            }
            _ => {}
        }
    }

    /// Hands on what the transport says.
    fn hear(&mut self) {
        while let TransportOutput::Event(id, event) = self.transport.poll(self.now) {
            self.inform(ApplicationInput::Transport(id, event));
        }
    }

    /// Lets time pass, with what is due in it.
    fn pass(&mut self, span: Duration) {
        let end = self.now + span;
        while let Some(deadline) = self.deadline.filter(|at| *at <= end) {
            self.now = deadline.max(self.now);
            self.inform(ApplicationInput::Timeout);
        }
        self.now = end;
    }

    fn inform(&mut self, input: ApplicationInput<'_>) {
        self.application
            .handle(self.now, input, &mut self.transport);
        self.deadline = loop {
            let output = self.application.poll(self.now, &mut self.transport);
            if let ApplicationOutput::WaitUntil(deadline) = output {
                break deadline;
            }
        };
    }
}
