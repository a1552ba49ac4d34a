use core::net::SocketAddr;

use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, ChannelSet, ConnectionId,
    DatagramError, FailureReason, FlowId, MessageEvent, OutgoingMessage, Received, ShortQueue,
    Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};

use super::envelope::{
    Envelope, Framing, proving_subscription, publication, session_chunk, session_message,
};
use lasthop_contract::message_text::{device_topic_of, topic_of};

/// A client that publishes to its own topics, and may subscribe to them.
#[derive(Debug)]
pub struct JsonUdpClient {
    config: Arc<JsonUdpClientConfig>,
    /// That of its device with the lowest channel; most messages are of it.
    main_flow: FlowId,
    framing: Framing,
    session: Session,
    connection: Option<ConnectionId>,
    /// Whether it ended by itself; the next message opens another.
    is_lost: bool,
    outputs: ShortQueue<ApplicationOutput>,
}

/// The configuration of clients, which devices share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonUdpClientConfig {
    /// The address of the broker.
    pub broker: SocketAddr,
    /// The flows of its device whose topics the client subscribes to.
    pub subscribes: ChannelSet,
    /// The flows of other devices whose topics the client subscribes to.
    pub hears: Box<[FlowId]>,
    /// The flows with requests and responses. The client publishes to a separate topic in these.
    pub asks: ChannelSet,
    /// The time after which an unconfirmed subscription is repeated.
    pub subscribe_timeout: Duration,
}

impl JsonUdpClientConfig {
    /// What stands around messages of a flow that a client sends.
    fn framing_of(&self, flow: FlowId) -> Framing {
        Framing::new(&if self.asks.contains(flow.channel()) {
            device_topic_of(flow)
        } else {
            topic_of(flow)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Session {
    /// To the topic at this place among those that it wants.
    Subscribing {
        place: u16,
        repeat_at: Instant,
    },
    Ready,
}

impl JsonUdpClient {
    /// Creates the client of a device. `flow` is the device's flow with the lowest channel.
    #[must_use]
    pub fn new(config: Arc<JsonUdpClientConfig>, flow: FlowId) -> Self {
        Self {
            framing: config.framing_of(flow),
            config,
            main_flow: flow,
            session: Session::Ready,
            connection: None,
            is_lost: false,
            outputs: ShortQueue::new(),
        }
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        // The first flow of a host always finds a port.
        self.connection = transport.open(now, self.config.broker, &[]).ok();
        self.subscribe_from(now, 0, transport);
    }

    /// Subscribes to the topics that it wants, one after the other, from a place on.
    fn subscribe_from(&mut self, now: Instant, place: u16, transport: &mut dyn Transport) {
        match self.wanted(place) {
            Some(flow) => self.subscribe(now, (place, flow), transport),
            None => self.become_ready(),
        }
    }

    /// Has the broker know where it is now, where that matters and nothing is under way.
    fn subscribe_again(&mut self, now: Instant, transport: &mut dyn Transport) {
        if matches!(self.session, Session::Ready) && self.wanted(0).is_some() {
            self.subscribe_from(now, 0, transport);
        }
    }

    fn subscribe(
        &mut self,
        now: Instant,
        (place, flow): (u16, FlowId),
        transport: &mut dyn Transport,
    ) {
        self.reopen(now, transport);
        let text = session_message("sub", &topic_of(flow));
        if let Some(connection) = self.connection {
            // It is repeated until it is confirmed, so a failure needs no more.
            let _ = transport.send_datagram(now, connection, &[session_chunk(text.as_bytes())]);
        }
        let repeat_at = now + self.config.subscribe_timeout;
        self.session = Session::Subscribing { place, repeat_at };
    }

    /// The flow at a place among those whose topics it wants: its own, then those of others.
    fn wanted(&self, place: u16) -> Option<FlowId> {
        let device = self.main_flow.device();
        let own = self.config.subscribes.iter();
        let own = own.map(|channel| FlowId::of(device, channel));
        own.chain(self.config.hears.iter().copied())
            .nth(place.into())
    }

    fn become_ready(&mut self) {
        self.session = Session::Ready;
        self.outputs.push(ApplicationOutput::Ready(
            self.main_flow.device(),
            ChannelSet::ALL,
        ));
    }

    /// Opens another connection where the last one ended by itself, as a handshake without an answer does.
    fn reopen(&mut self, now: Instant, transport: &mut dyn Transport) {
        if core::mem::take(&mut self.is_lost) {
            self.connection = transport.open(now, self.config.broker, &[]).ok();
        }
    }

    fn publish(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let of_another;
        let framing = if id.flow == self.main_flow {
            &self.framing
        } else {
            of_another = self.config.framing_of(id.flow);
            &of_another
        };
        let (before, after) = framing.around(payload);
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

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            match Envelope::parse(&datagram) {
                Ok(Envelope::Subscribed { topic }) => {
                    if let Session::Subscribing { place, .. } = self.session
                        && self
                            .wanted(place)
                            .is_some_and(|flow| topic == topic_of(flow))
                    {
                        self.subscribe_from(now, place + 1, transport);
                    }
                }
                // It repeats the subscription with it until that is confirmed.
                Ok(Envelope::Challenge { echo }) => {
                    if let Session::Subscribing { place, .. } = self.session
                        && let Some(flow) = self.wanted(place)
                    {
                        let text = proving_subscription(&topic_of(flow), &echo);
                        let chunk = session_chunk(text.as_bytes());
                        let _ = transport.send_datagram(now, connection, &[chunk]);
                    }
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
    fn awaits(&self) -> Awaited {
        Awaited::nothing_if(self.session == Session::Ready)
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Stop | ApplicationInput::Crash(_) => {
                self.connection = None;
                self.is_lost = false;
                self.session = Session::Ready;
            }
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                self.receive(now, connection, transport);
            }
            ApplicationInput::Transport(connection, TransportEvent::Closed(_))
                if self.connection == Some(connection) =>
            {
                self.connection = None;
                self.is_lost = true;
            }
            ApplicationInput::Transport(
                _,
                TransportEvent::Moved | TransportEvent::Established(_),
            ) => self.subscribe_again(now, transport),
            ApplicationInput::Transport(..) => {}
            ApplicationInput::Send(message) => {
                self.reopen(now, transport);
                self.publish(now, message, transport);
            }
            ApplicationInput::Timeout => {
                if let Session::Subscribing { place, repeat_at } = self.session
                    && repeat_at <= now
                    && let Some(flow) = self.wanted(place)
                {
                    self.subscribe(now, (place, flow), transport);
                }
            }
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.outputs.pop().unwrap_or(match self.session {
            Session::Subscribing { repeat_at, .. } => ApplicationOutput::WaitUntil(Some(repeat_at)),
            Session::Ready => ApplicationOutput::WaitUntil(None),
        })
    }
}
