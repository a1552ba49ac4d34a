//! Endpoints that are told arbitrary bytes: what fuzzing and tests of bad input drive.

use core::net::SocketAddr;
use std::collections::VecDeque;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Chunk, ConnectionId, DatagramError,
    Established, FlowId, ListenError, MessageId, OpenError, OutgoingMessage, Payload, RandomStream,
    ReadOutcome, ResetReason, StreamError, StreamId, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapRequest, CoapServer,
    CoapServerConfig, Code, MessageType, PORT, Push,
};

/// Tells a server these datagrams, with time and messages of its own in between.
pub fn tell_server(data: &[u8]) {
    let (steps, push) = steps_of(data);
    let server = CoapServer::new(server_config(Carrier::Datagrams, push), stream());
    Told::new(server).datagrams(steps);
}

/// Tells a device these datagrams while it registers, observes and asks.
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

/// Tells a server these bytes of a stream, in pieces.
pub fn tell_server_by_stream(data: &[u8]) {
    let (steps, push) = steps_of(data);
    let server = CoapServer::new(server_config(Carrier::Streams, push), stream());
    Told::new(server).stream(steps);
}

/// Tells a device these bytes of a stream, in pieces.
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
        carrier,
        parameters: parameters(),
    }
}

fn client_config(carrier: Carrier, push: Push) -> CoapClientConfig {
    CoapClientConfig {
        server: SocketAddr::from(([10, 0, 0, 2], PORT)),
        flow: FlowId(1),
        kind: MessageType::Confirmable,
        push,
        receives: true,
        carrier,
        parameters: parameters(),
    }
}

/// An application and what it is told.
struct Told<A> {
    application: A,
    transport: OneSided,
    now: Instant,
    deadline: Option<Instant>,
}

const CONNECTION: ConnectionId = ConnectionId(0);

impl<A: Application> Told<A> {
    fn new(application: A) -> Self {
        let mut told = Self {
            application,
            transport: OneSided::default(),
            now: Instant::ZERO,
            deadline: None,
        };
        told.inform(ApplicationInput::Start);
        let established = TransportEvent::Established(Established::Full);
        told.inform(ApplicationInput::Transport(CONNECTION, established));
        told
    }

    fn datagrams(mut self, steps: Vec<&[u8]>) {
        for step in steps {
            let datagram = Payload::copied_from(step);
            self.transport.datagrams.push_back(datagram);
            self.tell(TransportEvent::DatagramReadable, step);
        }
        self.pass(Duration::from_secs(1000));
    }

    fn stream(mut self, steps: Vec<&[u8]>) {
        for step in steps {
            self.transport.stream.extend(step);
            self.tell(TransportEvent::Readable(StreamId::FIRST), step);
        }
        self.pass(Duration::from_secs(1000));
    }

    fn tell(&mut self, event: TransportEvent, step: &[u8]) {
        self.inform(ApplicationInput::Transport(CONNECTION, event));
        // Now and then it has something to say itself, or time passes.
        match step.len() % 8 {
            0 => self.pass(Duration::from_secs(step.len() as u64)),
            1 => {
                let id = MessageId {
                    flow: FlowId(1),
                    number: core::num::NonZeroU32::MIN,
                };
                let payload = &step.repeat(20);
                self.inform(ApplicationInput::Send(OutgoingMessage { id, payload }));
            }
            _ => {}
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

/// A transport of one connection that gives what it was given, and drops what is sent.
#[derive(Debug, Default)]
struct OneSided {
    datagrams: VecDeque<Payload>,
    stream: VecDeque<u8>,
}

impl Transport for OneSided {
    fn handle(&mut self, _now: Instant, _input: TransportInput) {}

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        TransportOutput::WaitUntil(None)
    }

    fn open(
        &mut self,
        _now: Instant,
        _peer: SocketAddr,
        _early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        Ok(CONNECTION)
    }

    fn listen(&mut self, _port: u16) -> Result<(), ListenError> {
        Ok(())
    }

    fn write(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        Ok(chunks.iter().map(|chunk| chunk.bytes.len()).sum())
    }

    fn read(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let length = into.len().min(self.stream.len());
        for (place, byte) in into.iter_mut().zip(self.stream.drain(..length)) {
            *place = byte;
        }
        Ok(match length {
            0 => ReadOutcome::Blocked,
            _ => ReadOutcome::Read(length),
        })
    }

    fn send_datagram(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        Ok(())
    }

    fn receive_datagram(&mut self, _connection: ConnectionId) -> Option<Payload> {
        self.datagrams.pop_front()
    }

    fn reset(&mut self, _now: Instant, _connection: ConnectionId, _reason: ResetReason) {}

    fn peer(&self, _connection: ConnectionId) -> Option<SocketAddr> {
        Some(SocketAddr::from(([10, 0, 0, 1], PORT)))
    }
}
