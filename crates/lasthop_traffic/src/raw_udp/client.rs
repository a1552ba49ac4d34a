use core::net::SocketAddr;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, ChannelSet, ConnectionId, DeviceId,
    FlowId, RandomStream, Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};

use super::message_link::MessageLink;
use super::reliability::RetransmissionPolicy;
use lasthop_contract::message_text::{ID_LENGTH, write_id};

/// The device's client of `raw_udp`.
#[derive(Debug)]
pub struct RawUdpClient {
    server: SocketAddr,
    device: DeviceId,
    session: Session,
    connection: Option<ConnectionId>,
    /// Whether the connection ended by itself, as a handshake without an answer does; the next message opens another.
    is_lost: bool,
    messages: MessageLink,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Session {
    /// The server needs no greeting.
    NotGreeting,
    /// The greeting leaves again at this instant.
    Greeting(Instant),
    /// The server has confirmed.
    Greeted,
}

/// How long the greeting waits for its confirmation before it leaves again.
const GREETING_TIMEOUT: Duration = Duration::from_secs(1);

impl RawUdpClient {
    /// Creates a client for the server at this address. With `greets`, the client first identifies itself, which
    /// commands need.
    #[must_use]
    pub fn new(
        server: SocketAddr,
        device: DeviceId,
        policy: Option<RetransmissionPolicy>,
        greets: bool,
        stream: RandomStream,
    ) -> Self {
        Self {
            server,
            device,
            session: if greets {
                Session::Greeting(Instant::ZERO)
            } else {
                Session::NotGreeting
            },
            connection: None,
            is_lost: false,
            messages: MessageLink::new(policy, stream),
        }
    }

    /// Declares that the client receives no messages, so that a radio waits for acknowledgements only.
    #[must_use]
    pub fn reporting_only(mut self) -> Self {
        self.messages.only_sends();
        self
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        // The first flow of a host always finds a port.
        self.connection = transport.open(now, self.server, &[]).ok();
        match self.session {
            Session::Greeting(_) => self.greet(now, transport),
            _ => self
                .messages
                .push(ApplicationOutput::Ready(self.device, ChannelSet::ALL)),
        }
    }

    fn reopen(&mut self, now: Instant, transport: &mut dyn Transport) {
        if core::mem::take(&mut self.is_lost) {
            self.connection = transport.open(now, self.server, &[]).ok();
        }
    }

    /// The host goes off.
    fn leave(&mut self) {
        self.connection = None;
        self.is_lost = false;
        self.messages.forget();
        if self.session != Session::NotGreeting {
            self.session = Session::Greeting(Instant::FAR_FUTURE);
        }
    }

    fn greet(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.reopen(now, transport);
        let Some(connection) = self.connection else {
            return;
        };
        let mut greeting = [0; ID_LENGTH];
        write_id(FlowId::of(self.device, 0), 0, &mut greeting);
        self.messages.greet(now, connection, &greeting, transport);
        self.session = Session::Greeting(now + GREETING_TIMEOUT);
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            if self.messages.greeting(&datagram).is_some() {
                if matches!(self.session, Session::Greeting(_)) {
                    self.session = Session::Greeted;
                    self.messages
                        .push(ApplicationOutput::Ready(self.device, ChannelSet::ALL));
                }
            } else {
                self.messages.receive(now, connection, datagram, transport);
            }
        }
    }

    fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        if matches!(self.session, Session::Greeting(at) if at <= now) {
            self.greet(now, transport);
        }
        self.messages.timeout(now, transport);
    }
}

impl Application for RawUdpClient {
    fn awaits(&self) -> Awaited {
        match self.session {
            Session::Greeting(at) if at < Instant::FAR_FUTURE => Awaited::More,
            _ => self.messages.awaits(),
        }
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Stop | ApplicationInput::Crash(_) => self.leave(),
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                self.receive(now, connection, transport);
            }
            ApplicationInput::Transport(connection, TransportEvent::Closed(_))
                if self.connection == Some(connection) =>
            {
                self.connection = None;
                self.is_lost = true;
            }
            // To the server it is somebody else now.
            ApplicationInput::Transport(
                _,
                TransportEvent::Moved | TransportEvent::Established(_),
            ) if self.session == Session::Greeted => self.greet(now, transport),
            ApplicationInput::Transport(..) => {}
            ApplicationInput::Send(message) => {
                self.reopen(now, transport);
                self.messages.send(now, self.connection, message, transport);
            }
            ApplicationInput::Timeout => self.timeout(now, transport),
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.messages.poll().unwrap_or_else(|| {
            let greeting = match self.session {
                Session::Greeting(at) => Some(at),
                _ => None,
            };
            let deadlines = [greeting, self.messages.next_deadline()];
            ApplicationOutput::WaitUntil(deadlines.into_iter().flatten().min())
        })
    }
}
