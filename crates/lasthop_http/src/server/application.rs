use std::collections::BTreeMap;

use http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use lasthop_cache::{Freshness, ResponseSource, ResponseState};
use lasthop_contract::message_text::{ID_LENGTH, message_id, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, ChannelSet, DeviceId, FailureReason,
    Layer, LookupMap, MessageEvent, MessageId, OutgoingMessage, Payload, Provenance, Received,
    ShortQueue, TimerQueue, Transport,
};
use lasthop_jwt::taken_until;
use lasthop_units::{Duration, Instant};

use super::inbox::Inbox;
use super::request_server::RequestServer;
use super::target::Target;
use super::unwrap::unwrapped;
use crate::bearer::shown_token;
use crate::caching::{had_already, named, say};
use crate::exchange::{ExchangeId, ServerEvent};
use crate::limits::ServerLimits;
use crate::purpose::Purpose;

/// The configuration of a server in a study.
#[derive(Clone, Debug)]
pub struct HttpServerConfig {
    /// The port.
    pub port: u16,
    /// The limits for each client.
    pub limits: ServerLimits,
    /// How long a long-polling request waits for a message.
    pub hold: Duration,
    /// Whether each request must have a valid token.
    pub asks_tokens: bool,
    /// Whether messages arrive in base64url, as the only field of a JSON object.
    pub unwraps_json: bool,
}

/// The server of a study. It receives messages of devices, answers requests, and has an inbox for each device that
/// polls.
#[derive(Debug)]
pub struct HttpServer {
    config: HttpServerConfig,
    requests: RequestServer,
    /// Who awaits a message of this id as the answer.
    awaited: LookupMap<MessageId, Awaited>,
    /// What is said of what it gives out by a name.
    response_source: ResponseSource,
    inboxes: BTreeMap<DeviceId, Inbox>,
    /// Whose inbox a request waits for.
    waiting: LookupMap<ExchangeId, DeviceId>,
    timers: TimerQueue<DeviceId>,
    outputs: ShortQueue<ApplicationOutput>,
}

/// A request that awaits a message.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    exchange: ExchangeId,
    /// What is asked for, where that has a name of its own.
    resource: Option<u32>,
}

impl HttpServer {
    /// Creates a server for any number of devices.
    #[must_use]
    pub fn new(config: HttpServerConfig) -> Self {
        Self {
            requests: RequestServer::new(config.limits.clone()),
            config,
            awaited: LookupMap::new(),
            response_source: ResponseSource::default(),
            inboxes: BTreeMap::new(),
            waiting: LookupMap::new(),
            timers: TimerQueue::new(),
            outputs: ShortQueue::new(),
        }
    }

    /// Sets the source of the named resources' representations.
    #[must_use]
    pub fn response_source(self, response_source: ResponseSource) -> Self {
        Self {
            response_source,
            ..self
        }
    }

    /// Serves what was asked.
    fn attend(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(event) = self.requests.next_event() {
            match event {
                ServerEvent::Asked { exchange, request } => {
                    self.serve(now, exchange, *request, transport);
                }
                ServerEvent::Gone(exchange) => {
                    if let Some(device) = self.waiting.remove(&exchange)
                        && let Some(inbox) = self.inboxes.get_mut(&device)
                    {
                        inbox.forget(exchange);
                        // Its timer finds nobody.
                    }
                }
            }
        }
    }

    /// Whether a request shows a token that is taken now, by what it says: who signed it is not looked at.
    fn is_known(&self, now: Instant, fields: &HeaderMap) -> bool {
        let calendar = self.config.limits.calendar.unwrap_or_default();
        let token = shown_token(fields);
        let until = token.and_then(|token| taken_until(token, calendar));
        until.is_some_and(|until| now < until)
    }

    fn serve(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        request: Request<Vec<u8>>,
        transport: &mut dyn Transport,
    ) {
        if self.config.asks_tokens && !self.is_known(now, request.headers()) {
            return self.refuse(now, exchange, StatusCode::UNAUTHORIZED, None, transport);
        }
        let target = Target::of(&request);
        if let Target::Named(resource) = target {
            return self.serve_named(now, exchange, resource, request.headers(), transport);
        }
        let mut body = request.into_body();
        if self.config.unwraps_json && !body.is_empty() {
            let Some(payload) = unwrapped(&body) else {
                return self.refuse(now, exchange, StatusCode::BAD_REQUEST, None, transport);
            };
            body = payload;
        }
        let id = message_id(&body);
        match (target, id) {
            (Target::Report(_), Some(id)) => {
                let purpose = Purpose::all_of(Cause::Acknowledgement, id);
                self.answer(now, exchange, StatusCode::NO_CONTENT, purpose, transport);
                self.receive(exchange, &body);
            }
            (Target::Echo(_), Some(id)) => {
                self.await_message(id, exchange, None);
                self.receive(exchange, &body);
            }
            (Target::File(id), _) => self.ask(id, exchange, None),
            (Target::Write(resource), Some(id)) => {
                if self.response_source.written(id, resource) {
                    self.await_message(id, exchange, Some(resource));
                } else {
                    let purpose = Purpose::all_of(Cause::Acknowledgement, id);
                    self.answer(now, exchange, StatusCode::NO_CONTENT, purpose, transport);
                }
                self.receive(exchange, &body);
            }
            (Target::Registration(device), _) => {
                self.inboxes.entry(device).or_default();
                let purpose = Purpose::whole(Cause::SessionSetUp);
                self.answer(now, exchange, StatusCode::NO_CONTENT, purpose, transport);
                let ready = ApplicationOutput::Ready(device, ChannelSet::ALL);
                self.outputs.push(ready);
            }
            (Target::Inbox(device, last), _) => {
                self.serve_inbox(now, exchange, device, last, transport);
            }
            (Target::Report(_) | Target::Echo(_) | Target::Write(_), None) => {
                self.refuse(now, exchange, StatusCode::BAD_REQUEST, None, transport);
            }
            (Target::OtherMethod(allowed), _) => {
                let status = StatusCode::METHOD_NOT_ALLOWED;
                self.refuse(now, exchange, status, Some(allowed), transport);
            }
            (Target::Nothing | Target::Named(_), _) => {
                self.refuse(now, exchange, StatusCode::NOT_FOUND, None, transport);
            }
        }
    }

    /// Gives what has a name of its own, or says that it has not changed.
    fn serve_named(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        resource: u32,
        fields: &HeaderMap,
        transport: &mut dyn Transport,
    ) {
        let Some(id) = named(fields) else {
            return self.refuse(now, exchange, StatusCode::BAD_REQUEST, None, transport);
        };
        let still = self
            .response_source
            .asked(now, id, resource, had_already(fields));
        let Some(freshness) = still else {
            return self.ask(id, exchange, Some(resource));
        };
        let mut response = Response::new(Vec::new());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        say(response.headers_mut(), &freshness);
        let purpose = Purpose::all_of(Cause::Acknowledgement, id);
        self.requests
            .respond(now, exchange, &response, purpose, transport);
    }

    /// Hands a question up.
    fn ask(&mut self, id: MessageId, exchange: ExchangeId, resource: Option<u32>) {
        self.await_message(id, exchange, resource);
        let mut question = [0; ID_LENGTH];
        write_id(id.flow, id.number.get(), &mut question);
        self.receive(exchange, &question);
    }

    fn await_message(&mut self, id: MessageId, exchange: ExchangeId, resource: Option<u32>) {
        self.awaited.insert(id, Awaited { exchange, resource });
    }

    /// A device asks for its next message, and says which one came last.
    fn serve_inbox(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        device: DeviceId,
        last: Option<MessageId>,
        transport: &mut dyn Transport,
    ) {
        let Some(inbox) = self.inboxes.get_mut(&device) else {
            // Who was forgotten makes itself known again.
            return self.refuse(now, exchange, StatusCode::NOT_FOUND, None, transport);
        };
        let taken = last.map(|last| inbox.acknowledge(last));
        for id in taken.into_iter().flatten() {
            let event = MessageEvent::Acknowledged { id };
            self.outputs.push(ApplicationOutput::Event(event));
        }
        let until = now + self.config.hold;
        if let Some((before, its)) = inbox.wait(exchange, until) {
            self.timers.disarm(its, device);
            self.let_go(now, before, transport);
        }
        self.waiting.insert(exchange, device);
        self.timers.arm(until, device);
        self.give(now, device, transport);
    }

    /// Gives a device its messages, if both are there.
    fn give(&mut self, now: Instant, device: DeviceId, transport: &mut dyn Transport) {
        let given = self.inboxes.get_mut(&device).and_then(Inbox::give);
        let Some(given) = given else {
            return;
        };
        let (exchange, until) = given.to;
        self.timers.disarm(until, device);
        self.waiting.remove(&exchange);
        let (mut body, mut parts) = (Vec::new(), Vec::new());
        for (id, payload) in &given.messages {
            let purpose = match given.attempt {
                1 => Purpose::carrying(*id),
                _ => Purpose::carrying_again(*id),
            };
            body.extend((payload.len() as u32).to_be_bytes());
            body.extend(payload);
            parts.push((size_of::<u32>(), purpose.framing()));
            parts.push((payload.len(), purpose.body));
            self.outputs.push(transmitted(*id, given.attempt));
        }
        let head = Provenance::new(Layer::Application, Cause::Header);
        let response = carrying(body);
        self.requests
            .respond_in_parts(now, exchange, &response, head, &parts, transport);
    }

    /// Nothing came for a request that waited for a message.
    fn let_go(&mut self, now: Instant, exchange: ExchangeId, transport: &mut dyn Transport) {
        self.waiting.remove(&exchange);
        let purpose = Purpose::whole(Cause::KeepAlive);
        self.answer(now, exchange, StatusCode::NO_CONTENT, purpose, transport);
    }

    fn answer(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        status: StatusCode,
        purpose: Purpose,
        transport: &mut dyn Transport,
    ) {
        let mut response = Response::new(Vec::new());
        *response.status_mut() = status;
        self.requests
            .respond(now, exchange, &response, purpose, transport);
    }

    fn refuse(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        status: StatusCode,
        allowed: Option<&'static str>,
        transport: &mut dyn Transport,
    ) {
        let mut response = Response::new(Vec::new());
        *response.status_mut() = status;
        if status == StatusCode::UNAUTHORIZED {
            let asked = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, asked);
        }
        if let Some(allowed) = allowed {
            let allowed = HeaderValue::from_static(allowed);
            response.headers_mut().insert(ALLOW, allowed);
        }
        let purpose = Purpose::whole(Cause::Acknowledgement);
        self.requests
            .respond(now, exchange, &response, purpose, transport);
    }

    fn receive(&mut self, exchange: ExchangeId, payload: &[u8]) {
        self.outputs.push(ApplicationOutput::Received(Received {
            connection: exchange.connection(),
            payload: Payload::copied_from(payload),
        }));
    }

    /// Sends a message: as the answer that somebody awaits, or to the inbox of its device.
    fn send(&mut self, now: Instant, message: OutgoingMessage<'_>, transport: &mut dyn Transport) {
        let OutgoingMessage { id, payload, .. } = message;
        let is_cached = self.response_source.is_cached();
        if is_cached && self.response_source.response_state(now, None) == ResponseState::Later {
            return;
        }
        if let Some(awaited) = self.awaited.remove(&id) {
            return self.give_awaited(now, awaited, message, transport);
        }
        if is_cached {
            // Nobody waits any more for what was fetched.
            return;
        }
        let device = id.flow.device();
        match self.inboxes.get_mut(&device) {
            Some(inbox) => {
                inbox.push(id, payload);
                self.give(now, device, transport);
            }
            None => self.outputs.push(failed(id, FailureReason::NotConnected)),
        }
    }

    fn give_awaited(
        &mut self,
        now: Instant,
        awaited: Awaited,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let Awaited { exchange, resource } = awaited;
        let OutgoingMessage { id, payload, .. } = message;
        let done = Purpose::all_of(Cause::Acknowledgement, id);
        let freshness = match self.response_source.response_state(now, resource) {
            ResponseState::Here(freshness) => freshness,
            ResponseState::Later => Freshness::default(),
            ResponseState::Nothing => {
                let status = StatusCode::GATEWAY_TIMEOUT;
                return self.answer(now, exchange, status, done, transport);
            }
            ResponseState::Done => {
                let status = StatusCode::NO_CONTENT;
                return self.answer(now, exchange, status, done, transport);
            }
        };
        let (mut response, purpose) = (carrying(payload.to_vec()), Purpose::carrying(id));
        if resource.is_some() {
            say(response.headers_mut(), &freshness);
        }
        self.requests
            .respond(now, exchange, &response, purpose, transport);
        self.outputs.push(transmitted(id, 1));
    }

    fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.requests.timeout(now, transport);
        while let Some(device) = self.timers.pop_due(now) {
            let inbox = self.inboxes.get_mut(&device);
            if let Some(exchange) = inbox.and_then(|inbox| inbox.take_expired(now)) {
                self.let_go(now, exchange, transport);
            }
        }
    }

    /// Forgets whom it served.
    fn leave(&mut self) {
        for inbox in self.inboxes.values() {
            for id in inbox.messages() {
                self.outputs.push(failed(id, FailureReason::HostDown));
            }
        }
        self.inboxes.clear();
        self.awaited = LookupMap::new();
        self.waiting = LookupMap::new();
        self.timers = TimerQueue::new();
    }
}

impl Application for HttpServer {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => transport
                .listen(self.config.port)
                .expect("nobody else listens on this host"),
            ApplicationInput::Send(message) => self.send(now, message, transport),
            ApplicationInput::Transport(connection, event) => {
                self.requests.handle(now, connection, event, transport);
            }
            ApplicationInput::Timeout => self.timeout(now, transport),
            ApplicationInput::Stop => {
                self.requests.stop(now, transport);
                self.leave();
            }
            ApplicationInput::Crash(_) => {
                self.requests.crash();
                self.leave();
            }
        }
        self.attend(now, transport);
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.outputs.pop().unwrap_or_else(|| {
            let deadlines = [self.requests.next_deadline(), self.timers.next_deadline()];
            ApplicationOutput::WaitUntil(deadlines.into_iter().flatten().min())
        })
    }
}

fn carrying(payload: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = Response::new(payload);
    let kind = HeaderValue::from_static("application/octet-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn transmitted(id: MessageId, attempt: u16) -> ApplicationOutput {
    ApplicationOutput::Event(MessageEvent::Transmitted {
        id,
        attempt,
        last: false,
        trigger: None,
    })
}

fn failed(id: MessageId, reason: FailureReason) -> ApplicationOutput {
    ApplicationOutput::Event(MessageEvent::Failed { id, reason })
}
