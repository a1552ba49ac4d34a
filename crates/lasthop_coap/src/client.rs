mod messages;
mod session;

use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_cache::ResourceIds;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, ConnectionId, DeviceId,
    FailureReason, MessageId, RandomStream, ShortQueue, Transport, TransportEvent,
};
use lasthop_units::Instant;

use crate::answering::Answering;
use crate::codec::MessageType;
use crate::context::Context;
use crate::endpoint::{Endpoint, Role};
use crate::inbox::{DEVICES, MessageOptions};
use crate::proxying::Proxying;
use crate::topic_observations::TopicObservations;
use crate::{
    Carrier, CoapCounters, CoapParameters, CoapRequest, CoapTopics, Push, RequestEvent, RequestId,
};

/// The CoAP client of a device. It sends messages by POST and receives the server's messages.
///
/// It carries any other request as well ([`CoapClient::request`]).
#[derive(Debug)]
pub struct CoapClient {
    config: CoapClientConfig,
    options: MessageOptions,
    endpoint: Endpoint,
    session: Session,
    connection: Option<ConnectionId>,
    /// What answers the server's questions, where it has any.
    answering: Option<Box<Answering>>,
    /// Where it publishes to topics, or observes some.
    topics: Option<Box<TopicObservations>>,
    /// Where its host is a proxy.
    proxying: Option<Box<Proxying>>,
    /// The message of the newest notification: a registration made again brings it again.
    newest: Option<MessageId>,
    /// Whether the application has asked for its end.
    is_released: bool,
    /// Whether the connection has been set up: from then on, setting it up means that its session is another.
    is_set_up: bool,
    outputs: ShortQueue<ApplicationOutput>,
    events: ShortQueue<Box<RequestEvent>>,
}

/// The configuration of a client.
#[derive(Clone, Debug)]
pub struct CoapClientConfig {
    /// The address of the server.
    pub server: SocketAddr,
    /// The device, which determines the name of its resource at the server.
    pub device: DeviceId,
    /// Whether the client's messages are confirmable. The type has no effect over streams.
    pub kind: MessageType,
    /// How the server sends messages to the client.
    pub push: Push,
    /// Whether the client receives messages. If so, it registers first.
    pub receives: bool,
    /// Whether the server fetches messages from the client.
    pub answers: bool,
    /// The kind of transport.
    pub carrier: Carrier,
    /// The parameters of the endpoint.
    pub parameters: Arc<CoapParameters>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Session {
    /// The server does not know the device. No registration is needed or started.
    Unknown,
    /// The registration is in progress.
    Registering(RequestId),
    /// The registration failed and is repeated at this instant.
    Retrying(Instant),
    /// The device is registered. If messages are observed, the observation is active.
    Registered(RequestId),
}

impl CoapClient {
    /// Creates a client.
    #[must_use]
    pub fn new(config: CoapClientConfig, stream: RandomStream) -> Self {
        let mut endpoint = Endpoint::new(config.carrier, Arc::clone(&config.parameters), stream);
        if !config.receives {
            endpoint.hear_answers_only();
        }
        Self {
            answering: config.answers.then(Box::default),
            options: MessageOptions::to(&resource_of(config.device)),
            endpoint,
            config,
            session: Session::Unknown,
            connection: None,
            topics: None,
            proxying: None,
            newest: None,
            is_released: false,
            is_set_up: false,
            outputs: ShortQueue::new(),
            events: ShortQueue::new(),
        }
    }

    /// Adds topics of the client's server.
    #[must_use]
    pub fn with_topics(self, topics: CoapTopics) -> Self {
        Self {
            topics: Some(Box::new(TopicObservations::new(topics))),
            ..self
        }
    }

    /// Sets the names of the resources that the client requests and writes.
    #[must_use]
    pub fn resource_ids(mut self, resource_ids: ResourceIds) -> Self {
        if let ResourceIds::Cached(cache) = &resource_ids {
            self.proxying = Some(Box::new(Proxying::new(cache.clone())));
        }
        self.endpoint.resource_ids = Some(Box::new(resource_ids));
        self
    }

    /// Sends a request to the server. [`CoapClient::next_event`] returns its outcome.
    ///
    /// # Errors
    /// When there is no connection.
    pub fn request(
        &mut self,
        now: Instant,
        request: CoapRequest,
        transport: &mut dyn Transport,
    ) -> Result<RequestId, FailureReason> {
        let connection = self.connection.ok_or(FailureReason::NotConnected)?;
        let mut cx = Context::new(now, transport, &mut self.outputs);
        let id = self
            .endpoint
            .request(&mut cx, connection, request, Role::Content);
        self.attend(now);
        Ok(id)
    }

    /// Cancels an observation (RFC 7641 section 3.6).
    pub fn cancel(&mut self, now: Instant, request: RequestId, transport: &mut dyn Transport) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.cancel(&mut cx, request);
        self.attend(now);
    }

    /// Drops a request.
    ///
    /// A later notification is rejected, which ends its observation (RFC 7641 section 3.6).
    pub fn forget(&mut self, now: Instant, request: RequestId, transport: &mut dyn Transport) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.forget(&mut cx, request);
        self.attend(now);
    }

    /// Releases a stream connection permanently (RFC 8323 section 5.5). Over datagrams this has no effect.
    pub fn release(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let Some(connection) = self.connection {
            self.is_released = true;
            let mut cx = Context::new(now, transport, &mut self.outputs);
            self.endpoint.release(&mut cx, connection);
        }
    }

    /// Returns the next outcome of a request, in order.
    pub fn next_event(&mut self) -> Option<RequestEvent> {
        self.events.pop().map(|event| *event)
    }

    /// Returns the counters of input that was not usable.
    #[must_use]
    pub fn counters(&self) -> CoapCounters {
        self.endpoint.tally.counters()
    }

    fn note(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        event: TransportEvent,
        transport: &mut dyn Transport,
    ) {
        match event {
            TransportEvent::DatagramReadable | TransportEvent::Readable(_) => {
                self.receive(now, connection, transport);
            }
            TransportEvent::Writable(_) => {
                let mut cx = Context::new(now, transport, &mut self.outputs);
                self.endpoint.writable(&mut cx, connection);
            }
            TransportEvent::Closed(_) => self.closed(now, connection, transport),
            TransportEvent::Established(_) => self.established(now, transport),
            TransportEvent::Moved => self.make_known_again(now, transport),
            TransportEvent::StreamOpened(..)
            | TransportEvent::StreamReset(..)
            | TransportEvent::StreamsAllowed
            | TransportEvent::Rebound => {}
        }
    }
}

/// The path of a device's resource at the server.
fn resource_of(device: DeviceId) -> String {
    format!("{DEVICES}/{}", device.0)
}

impl Application for CoapClient {
    fn awaits(&self) -> Awaited {
        match (self.connection, self.session) {
            (Some(connection), Session::Unknown | Session::Registered(_)) => {
                self.endpoint.awaits(connection)
            }
            _ => Awaited::nothing_if(self.is_released),
        }
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => {
                self.is_released = false;
                self.open(now, transport);
            }
            ApplicationInput::Crash(_) => self.leave(),
            ApplicationInput::Transport(connection, event) => {
                self.note(now, connection, event, transport);
            }
            ApplicationInput::Send(message) => self.send(now, message, transport),
            ApplicationInput::Timeout => self.timeout(now, transport),
            ApplicationInput::Stop => self.release(now, transport),
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        if let (Some(proxying), Some(connection)) = (&mut self.proxying, self.connection) {
            let mut cx = Context::new(now, transport, &mut self.outputs);
            proxying.carry_out(&mut cx, &mut self.endpoint, connection);
            self.attend(now);
        }
        match self.outputs.pop() {
            Some(output) => output,
            None => ApplicationOutput::WaitUntil(self.next_deadline()),
        }
    }
}
