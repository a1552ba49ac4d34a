use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_cache::Naming;
use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, ConnectionId, DeviceId,
    FailureReason, MessageId, OutgoingMessage, Payload, RandomStream, Received, ShortQueue,
    Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};

use crate::answering::{Answering, ask};
use crate::codec::{Code, Message, MessageType, Token};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint, Parcel, Role};
use crate::inbox::{
    DEVICES, FILE, INBOX, MessageOptions, REGISTRATION, is_question, path_of, take_message,
};
use crate::proxying::Proxying;
use crate::topic_observations::TopicObservations;
use crate::{
    Carrier, CoapCounters, CoapParameters, CoapRequest, CoapTopics, Push, RequestEvent, RequestId,
};

/// The device's end: it POSTs its messages to the server, and takes those that the server has for it.
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
    outputs: ShortQueue<ApplicationOutput>,
    events: ShortQueue<Box<RequestEvent>>,
}

/// What a client is to do.
#[derive(Clone, Debug)]
pub struct CoapClientConfig {
    /// Where the server listens.
    pub server: SocketAddr,
    /// Who it is, which names its resource at the server.
    pub device: DeviceId,
    /// How its messages go: confirmable or not. Over streams it means nothing.
    pub kind: MessageType,
    /// How messages come to it.
    pub push: Push,
    /// Whether messages come to it at all. Then it makes itself known first.
    pub receives: bool,
    /// Whether the server asks it for messages.
    pub answers: bool,
    /// What the transport carries.
    pub carrier: Carrier,
    /// What the endpoint is tuned by.
    pub parameters: Arc<CoapParameters>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Session {
    /// The server does not know the device, and need not.
    Unknown,
    /// The registration is under way.
    Registering(RequestId),
    /// The registration failed; the next one leaves at this instant.
    Retrying(Instant),
    /// The server knows the device; an observation goes on.
    Registered(RequestId),
}

/// How long after a registration that failed the next one leaves.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl CoapClient {
    /// A client.
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
            outputs: ShortQueue::new(),
            events: ShortQueue::new(),
        }
    }

    /// The same with topics of its server.
    #[must_use]
    pub fn with_topics(self, topics: CoapTopics) -> Self {
        Self {
            topics: Some(Box::new(TopicObservations::new(topics))),
            ..self
        }
    }

    /// The same, which names what it asks for, and what it writes.
    #[must_use]
    pub fn naming(mut self, naming: Naming) -> Self {
        if let Naming::Cached(cache) = &naming {
            self.proxying = Some(Box::new(Proxying::new(cache.clone())));
        }
        self.endpoint.naming = Some(Box::new(naming));
        self
    }

    /// Sends a request to the server; what becomes of it comes by [`CoapClient::next_event`].
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

    /// Asks the server to end an observation (RFC 7641 §3.6).
    pub fn cancel(&mut self, now: Instant, request: RequestId, transport: &mut dyn Transport) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.cancel(&mut cx, request);
        self.attend(now);
    }

    /// Forgets a request. A notification that still comes is rejected, which ends its observation (RFC 7641 §3.6).
    pub fn forget(&mut self, now: Instant, request: RequestId, transport: &mut dyn Transport) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.forget(&mut cx, request);
        self.attend(now);
    }

    /// Ends a stream connection in good order, for good (RFC 8323 §5.5). Over datagrams there is nothing to end.
    pub fn release(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let Some(connection) = self.connection {
            self.is_released = true;
            let mut cx = Context::new(now, transport, &mut self.outputs);
            self.endpoint.release(&mut cx, connection);
        }
    }

    /// What became of requests, in order.
    pub fn next_event(&mut self) -> Option<RequestEvent> {
        self.events.pop().map(|event| *event)
    }

    /// What it could not use.
    #[must_use]
    pub fn counters(&self) -> CoapCounters {
        self.endpoint.tally.counters()
    }

    /// Opens the connection. Over a stream the rest follows when the server has sent its settings.
    fn open(&mut self, now: Instant, transport: &mut dyn Transport) {
        // The first flow of a host always finds a port.
        self.connection = transport.open(now, self.config.server, &[]).ok();
        self.session = Session::Unknown;
        let Some(connection) = self.connection else {
            return;
        };
        let stream = match self.config.carrier {
            Carrier::Datagrams => None,
            Carrier::Streams => transport.own_stream(now, connection).ok(),
        };
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.opened(&mut cx, connection, stream);
        if self.endpoint.is_over_datagrams() {
            self.make_known(now, transport);
        }
    }

    /// The host goes off: nothing is known of what was under way.
    fn leave(&mut self) {
        let naming = self.endpoint.naming.take();
        self.endpoint = self.endpoint.anew(self.config.carrier);
        self.endpoint.naming = naming;
        if !self.config.receives {
            self.endpoint.hear_answers_only();
        }
        self.answering = self.config.answers.then(Box::default);
        self.session = Session::Unknown;
        self.connection = None;
        if let Some(topics) = &mut self.topics {
            topics.crash();
        }
        if let Some(proxying) = &mut self.proxying {
            proxying.crash();
        }
        self.newest = None;
        self.is_released = false;
    }

    fn make_known(&mut self, now: Instant, transport: &mut dyn Transport) {
        if self.config.receives {
            self.register(now, transport);
        } else {
            let ready = ApplicationOutput::Ready(self.config.device, ChannelSet::ALL);
            self.outputs.push(ready);
        }
        self.observe(now, transport);
    }

    fn observe(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(connection) = self.connection else {
            return;
        };
        let mut cx = Context::new(now, transport, &mut self.outputs);
        if let Some(topics) = &mut self.topics {
            topics.observe(&mut cx, &mut self.endpoint, connection);
        }
        if let Some(proxying) = &mut self.proxying {
            proxying.observe(&mut cx, &mut self.endpoint, connection);
        }
        self.attend(now);
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
            TransportEvent::Established(_)
            | TransportEvent::StreamOpened(..)
            | TransportEvent::StreamReset(..)
            | TransportEvent::StreamsAllowed
            | TransportEvent::Rebound => {}
        }
    }

    /// The connection is gone; unless it was released, the next one is opened a little later.
    fn closed(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.closed(&mut cx, connection);
        if let Some(answering) = &mut self.answering {
            answering.forget(connection);
        }
        self.attend(now);
        if self.connection == Some(connection) {
            self.connection = None;
            if let Some(topics) = &mut self.topics {
                topics.lapse();
            }
            if let Some(proxying) = &mut self.proxying {
                proxying.lapse();
            }
            self.session = if self.is_released {
                Session::Unknown
            } else {
                Session::Retrying(now + self.config.parameters.reconnect_delay)
            };
        }
    }

    /// Makes the device known, or observes its resource; always by a confirmable request.
    fn register(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(connection) = self.connection else {
            return;
        };
        let device = self.config.device;
        let confirmable = MessageType::Confirmable;
        let request = match self.config.push {
            Push::Post | Push::Put => CoapRequest {
                query: vec![format!("ep={}", device.0)],
                ..CoapRequest::new(confirmable, Code::POST, REGISTRATION)
            },
            Push::Observe => CoapRequest {
                observe: true,
                ..CoapRequest::new(confirmable, Code::GET, &resource_of(device))
            },
        };
        let mut cx = Context::new(now, transport, &mut self.outputs);
        let id = self
            .endpoint
            .request(&mut cx, connection, request, Role::SessionSetUp);
        self.session = Session::Registering(id);
        self.attend(now);
    }

    fn send(&mut self, now: Instant, message: OutgoingMessage<'_>, transport: &mut dyn Transport) {
        let OutgoingMessage { id, payload, .. } = message;
        let mut cx = Context::new(now, transport, &mut self.outputs);
        let Some(connection) = self.connection else {
            return cx.fail(id, FailureReason::NotConnected);
        };
        if let Some(answering) = &mut self.answering
            && answering.give(&mut self.endpoint, &mut cx, message, None)
        {
            return;
        }
        if message.asks {
            // A block that is lost would be the end of a file, so these are confirmable always.
            let naming = self.endpoint.naming.as_deref();
            let resource = naming.and_then(|naming| naming.resource_of(id));
            let question = match resource {
                None => ask(MessageType::Confirmable, FILE),
                Some(resource) => CoapRequest {
                    etag: naming
                        .and_then(|naming| naming.tag_for(id))
                        .map(|tag| Token::from_bits(tag.into(), 4)),
                    ..ask(MessageType::Confirmable, &path_of(resource))
                },
            };
            return self.endpoint.ask_in_turn(&mut cx, connection, id, question);
        }
        let kind = self.config.kind;
        let topics = self.topics.as_ref();
        let topic = topics.and_then(|topics| topics.resource_of(id.flow));
        let naming = self.endpoint.naming.as_deref();
        let named = naming.and_then(|naming| naming.resource_of(id));
        let topic = topic.or(named.map(path_of));
        if payload.len() > self.endpoint.whole_limit(connection) {
            let path = topic.unwrap_or_else(|| resource_of(self.config.device));
            let request = CoapRequest {
                payload: payload.into(),
                ..CoapRequest::new(kind, Code::POST, &path)
            };
            let role = Role::Message(id);
            self.endpoint.request(&mut cx, connection, request, role);
        } else {
            let is_answered =
                kind == MessageType::Confirmable || !self.endpoint.is_over_datagrams();
            let of_topic = topic.map(|path| MessageOptions::to(&path));
            let options = of_topic.as_ref().unwrap_or(&self.options);
            let parcel = Parcel {
                id,
                kind,
                code: Code::POST,
                options: options.get(is_answered),
                payload,
                is_answered,
            };
            self.endpoint.send_parcel(&mut cx, connection, &parcel);
        }
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        while let Some((request, datagram)) = self.endpoint.next_request(&mut cx, connection) {
            let endpoint = &mut self.endpoint;
            if let Some(answering) = &mut self.answering
                && is_question(&request, &datagram, INBOX)
            {
                let question = (&request, &datagram[..]);
                answering.take(endpoint, &mut cx, connection, question, None);
                continue;
            }
            if let Some(payload) = serve(endpoint, &mut cx, connection, &request, datagram) {
                cx.outputs.push(ApplicationOutput::Received(Received {
                    connection,
                    payload,
                }));
            }
        }
        while let Some(usable) = self.endpoint.next_usable() {
            if self.connection == Some(usable) {
                self.make_known(now, transport);
            }
        }
        self.attend(now);
    }

    /// Looks at what became of requests: the own one for the session, and those of others.
    fn attend(&mut self, now: Instant) {
        if !self.endpoint.has_news() {
            return;
        }
        // Nobody observes a resource of a device, and its connection stays.
        self.endpoint.take_ended_observations();
        while self.endpoint.next_forgotten().is_some() {}
        while let Some(event) = self.endpoint.next_event() {
            let request = event.request();
            let is_own = matches!(self.session,
                Session::Registering(own) | Session::Registered(own) if own == request);
            if is_own {
                self.attend_session(now, event);
            } else {
                self.attend_other(now, event);
            }
        }
    }

    /// What became of a request for a topic, or of one that somebody else has made.
    fn attend_other(&mut self, now: Instant, event: RequestEvent) {
        let taken = match &mut self.topics {
            Some(topics) => topics.take(now, event),
            None => Err(event),
        };
        let taken = match (taken, &mut self.proxying) {
            // What is left of a request that was ended is for nobody.
            (Err(event), Some(proxying)) => {
                let _ = proxying.take(now, event);
                Ok(None)
            }
            (taken, _) => taken,
        };
        match (taken, self.connection) {
            (Err(event), _) => self.events.push(Box::new(event)),
            (Ok(Some(payload)), Some(connection)) => {
                self.outputs.push(ApplicationOutput::Received(Received {
                    connection,
                    payload,
                }));
            }
            (Ok(_), _) => {}
        }
    }

    /// An answer to the registration, a notification, or the end of either.
    fn attend_session(&mut self, now: Instant, event: RequestEvent) {
        let response = match event {
            RequestEvent::Response(response) if response.code.is_success() => response,
            _ => {
                self.session = Session::Retrying(now + RETRY_DELAY);
                return;
            }
        };
        if matches!(self.session, Session::Registering(_)) {
            self.session = Session::Registered(response.request);
            let ready = ApplicationOutput::Ready(self.config.device, ChannelSet::ALL);
            self.outputs.push(ready);
        }
        let message = message_id(&response.payload);
        let is_new = message.is_none() || message != self.newest;
        if !response.payload.is_empty()
            && is_new
            && let Some(connection) = self.connection
        {
            self.newest = message;
            self.outputs.push(ApplicationOutput::Received(Received {
                connection,
                payload: response.payload,
            }));
        }
    }

    fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        if self.next_deadline().is_none_or(|at| at > now) {
            return;
        }
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.timeout(&mut cx);
        if matches!(self.session, Session::Retrying(at) if at <= now) {
            if self.connection.is_none() {
                self.open(now, transport);
            } else {
                self.register(now, transport);
            }
        }
        if self.observe_deadline().is_some_and(|at| at <= now) {
            self.observe(now, transport);
        }
        self.attend(now);
    }

    /// When an observation is to be asked for again.
    #[inline]
    fn observe_deadline(&self) -> Option<Instant> {
        let topics = self.topics.as_ref().and_then(|it| it.next_deadline());
        let proxying = self.proxying.as_ref().and_then(|it| it.next_deadline());
        match (topics, proxying) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    #[inline]
    fn next_deadline(&self) -> Option<Instant> {
        let retry = match self.session {
            Session::Retrying(at) => Some(at),
            _ => None,
        };
        let (next, forget) = (
            self.endpoint.next_deadline(),
            self.endpoint.forget_deadline(),
        );
        let observe = self.observe_deadline();
        match (retry, next, forget) {
            (None, None, None) => observe,
            deadlines => [deadlines.0, deadlines.1, deadlines.2, observe]
                .into_iter()
                .flatten()
                .min(),
        }
    }
}

/// Serves a request of the server's to the device; gives a message that it brought.
fn serve(
    endpoint: &mut Endpoint,
    cx: &mut Context<'_>,
    connection: ConnectionId,
    request: &Message,
    datagram: Payload,
) -> Option<Payload> {
    if endpoint.refuse_impossible(cx, connection, request) {
        return None;
    }
    let is_inbox = request.content.has_path(&datagram, &[INBOX]);
    let code = match request.content.code {
        Code::POST | Code::PUT if is_inbox => {
            return take_message(endpoint, cx, connection, request, datagram);
        }
        _ if is_inbox => Code::METHOD_NOT_ALLOWED,
        _ => Code::NOT_FOUND,
    };
    let answer = Answer::bare(code, Purpose::Acknowledgement(None));
    endpoint.respond(cx, connection, request, &answer);
    None
}

/// The path of a device's resource at the server.
fn resource_of(device: DeviceId) -> String {
    format!("{DEVICES}/{}", device.0)
}

impl Application for CoapClient {
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
