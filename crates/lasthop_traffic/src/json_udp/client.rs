use core::net::SocketAddr;

use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ConnectionId, DatagramError, FailureReason,
    FlowId, MessageEvent, OutgoingMessage, Received, ShortQueue, Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};

use super::envelope::{Envelope, Framing, publication, session_chunk, session_message, topic_of};

/// A client that publishes to its own topic, and may subscribe to it.
#[derive(Debug)]
pub struct JsonUdpClient {
    config: Arc<JsonUdpClientConfig>,
    flow: FlowId,
    framing: Framing,
    session: Session,
    connection: Option<ConnectionId>,
    outputs: ShortQueue<ApplicationOutput>,
}

/// What clients are to do. Devices share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonUdpClientConfig {
    /// Where the broker listens.
    pub broker: SocketAddr,
    /// Whether it wants the messages of its topic.
    pub subscribes: bool,
    /// How long a subscription waits for its confirmation before it is repeated.
    pub subscribe_timeout: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Session {
    Subscribing { repeat_at: Instant },
    Ready,
}

impl JsonUdpClient {
    /// A client of this flow, which names its topic.
    #[must_use]
    pub fn new(config: Arc<JsonUdpClientConfig>, flow: FlowId) -> Self {
        Self {
            config,
            flow,
            framing: Framing::new(&topic_of(flow)),
            session: Session::Ready,
            connection: None,
            outputs: ShortQueue::new(),
        }
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        // The first flow of a host always finds a port.
        self.connection = transport.open(now, self.config.broker, &[]).ok();
        if self.config.subscribes {
            self.subscribe(now, transport);
        } else {
            self.become_ready();
        }
    }

    fn subscribe(&mut self, now: Instant, transport: &mut dyn Transport) {
        let text = session_message("sub", &topic_of(self.flow));
        if let Some(connection) = self.connection {
            // It is repeated until it is confirmed, so a failure needs no more.
            let _ = transport.send_datagram(now, connection, &[session_chunk(text.as_bytes())]);
        }
        let repeat_at = now + self.config.subscribe_timeout;
        self.session = Session::Subscribing { repeat_at };
    }

    fn become_ready(&mut self) {
        self.session = Session::Ready;
        self.outputs.push(ApplicationOutput::Ready(self.flow));
    }

    fn publish(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let OutgoingMessage { id, payload } = message;
        let (before, after) = self.framing.around(payload);
        let chunks = publication(Some(id), [before, payload, after]);
        let sent = self
            .connection
            .ok_or(DatagramError::NoSuchConnection)
            .and_then(|connection| transport.send_datagram(now, connection, &chunks));
        let event = match sent {
            Ok(()) => MessageEvent::Transmitted {
                id,
                attempt: 1,
                last: true,
                trigger: None,
            },
            Err(DatagramError::TooLarge) => MessageEvent::Failed {
                id,
                reason: FailureReason::TooLarge,
            },
            Err(_) => MessageEvent::Failed {
                id,
                reason: FailureReason::NotConnected,
            },
        };
        self.outputs.push(ApplicationOutput::Event(event));
    }

    fn receive(&mut self, connection: ConnectionId, transport: &mut dyn Transport) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            match Envelope::parse(&datagram) {
                Ok(Envelope::Subscribed { .. }) if self.session != Session::Ready => {
                    self.become_ready();
                }
                Ok(Envelope::Publish { data, .. }) => {
                    let payload = datagram.narrowed(data);
                    self.outputs.push(ApplicationOutput::Received(Received {
                        connection,
                        payload,
                    }));
                }
                _ => {}
            }
        }
    }
}

impl Application for JsonUdpClient {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Stop | ApplicationInput::Crash(_) => {
                self.connection = None;
                self.session = Session::Ready;
            }
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                self.receive(connection, transport);
            }
            ApplicationInput::Transport(..) => {}
            ApplicationInput::Send(message) => self.publish(now, message, transport),
            ApplicationInput::Timeout => {
                if matches!(self.session, Session::Subscribing { repeat_at } if repeat_at <= now) {
                    self.subscribe(now, transport);
                }
            }
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.outputs.pop().unwrap_or(match self.session {
            Session::Subscribing { repeat_at } => ApplicationOutput::WaitUntil(Some(repeat_at)),
            Session::Ready => ApplicationOutput::WaitUntil(None),
        })
    }
}
