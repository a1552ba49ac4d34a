use core::net::SocketAddr;

use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, ChannelSet, ConnectionId, DeviceId,
    FailureReason, FlowId, OutgoingMessage, ResetReason, ShortQueue, Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};

use super::framed_stream::{FramedStream, failed, is_greeting};

/// The device's client of `raw_tcp`.
#[derive(Debug)]
pub struct RawTcpClient {
    server: SocketAddr,
    device: DeviceId,
    greets: bool,
    session: Session,
    outputs: ShortQueue<ApplicationOutput>,
}

#[derive(Debug)]
enum Session {
    /// The connection is opened at this instant.
    Waiting(Instant),
    /// The handshake goes on.
    Opening(ConnectionId),
    /// There is a connection.
    Open(FramedStream),
}

/// How long after a connection is lost the next one is opened.
const REOPEN_DELAY: Duration = Duration::from_secs(1);

impl RawTcpClient {
    /// Creates a client for the server at this address. With `greets`, the client first identifies itself, which
    /// commands need.
    #[must_use]
    pub fn new(server: SocketAddr, device: DeviceId, greets: bool) -> Self {
        Self {
            server,
            device,
            greets,
            session: Session::Waiting(Instant::ZERO),
            outputs: ShortQueue::new(),
        }
    }

    fn open(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.session = match transport.open(now, self.server, &[]) {
            Ok(connection) => Session::Opening(connection),
            Err(_) => Session::Waiting(now + REOPEN_DELAY),
        };
    }

    fn begin(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        let Ok(stream) = transport.own_stream(now, connection) else {
            return transport.reset(now, connection, ResetReason::NotNeeded);
        };
        let mut stream = FramedStream::new(connection, stream);
        if self.greets {
            let mut greeting = [0; ID_LENGTH];
            write_id(FlowId::of(self.device, 0), 0, &mut greeting);
            stream.greet(now, &greeting, transport);
        } else {
            self.outputs
                .push(ApplicationOutput::Ready(self.device, ChannelSet::ALL));
        }
        self.session = Session::Open(stream);
    }

    fn send(&mut self, now: Instant, message: OutgoingMessage<'_>, transport: &mut dyn Transport) {
        let event = match &mut self.session {
            Session::Open(stream) => stream.send(now, message, transport),
            _ => failed(message.id, FailureReason::NotConnected),
        };
        self.outputs.push(ApplicationOutput::Event(event));
    }

    fn event(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        event: TransportEvent,
        transport: &mut dyn Transport,
    ) {
        let Session::Open(stream) = &mut self.session else {
            return;
        };
        if stream.id() != connection {
            return;
        }
        match event {
            TransportEvent::Writable(_) => stream.flush(now, transport),
            TransportEvent::Readable(_) => {
                let (device, outputs) = (self.device, &mut self.outputs);
                let goes_on = stream.receive(now, transport, |received| {
                    outputs.push(if is_greeting(&received.payload) {
                        ApplicationOutput::Ready(device, ChannelSet::ALL)
                    } else {
                        ApplicationOutput::Received(received)
                    });
                });
                if !goes_on {
                    stream.finish(now, transport);
                }
            }
            TransportEvent::Closed(_) => {
                stream.give_up(&mut self.outputs);
                self.session = Session::Waiting(now + REOPEN_DELAY);
            }
            _ => {}
        }
    }
}

impl Application for RawTcpClient {
    fn awaits(&self) -> Awaited {
        Awaited::nothing_if(matches!(self.session, Session::Open(_)))
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match (input, &self.session) {
            (ApplicationInput::Start, _) => self.open(now, transport),
            (ApplicationInput::Timeout, Session::Waiting(at)) if *at <= now => {
                self.open(now, transport);
            }
            (ApplicationInput::Timeout, _) => {}
            (ApplicationInput::Send(message), _) => self.send(now, message, transport),
            (ApplicationInput::Transport(connection, event), Session::Opening(opening))
                if connection == *opening =>
            {
                match event {
                    TransportEvent::Established(_) => self.begin(now, connection, transport),
                    TransportEvent::Closed(_) => {
                        self.session = Session::Waiting(now + REOPEN_DELAY);
                    }
                    _ => {}
                }
            }
            (ApplicationInput::Transport(connection, event), _) => {
                self.event(now, connection, event, transport);
            }
            (ApplicationInput::Stop | ApplicationInput::Crash(_), _) => {
                self.session = Session::Waiting(Instant::FAR_FUTURE);
            }
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.outputs.pop().unwrap_or(match self.session {
            Session::Waiting(at) => ApplicationOutput::WaitUntil(Some(at)),
            Session::Opening(_) | Session::Open(_) => ApplicationOutput::WaitUntil(None),
        })
    }
}
