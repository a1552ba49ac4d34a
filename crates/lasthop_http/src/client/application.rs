use std::collections::VecDeque;
use std::sync::Arc;

use http::{Response, StatusCode};
use lasthop_cache::{ResourceIds, renamed};
use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, ChannelSet, ConnectionId, DeviceId,
    FailureReason, MessageEvent, MessageId, OutgoingMessage, Payload, Received, Refusal,
    ResetReason, ShortQueue, Transport, TransportEvent,
};
use lasthop_jwt::TokenSource;
use lasthop_units::{Duration, Instant};

use super::config::{ConnectionPolicy, HttpClientConfig};
use super::link::Link;
use super::pending::{Kind, Pending, Sender, event_of, wrapped};
use crate::bearer::bearer;
use crate::caching::reply_of;
use crate::wire::Wire;

/// The HTTP client of a device. It sends messages by POST, and receives the server's messages by long polling.
#[derive(Debug)]
pub struct HttpClient {
    config: Arc<HttpClientConfig>,
    device: DeviceId,
    /// What shows who it is, where that is asked.
    tokens: Option<Box<TokenSource>>,
    /// Its full name at a device gateway, where the server is one.
    path: Option<Box<str>>,
    /// By which names it asks for what it wants, where that has some.
    resource_ids: Option<Box<ResourceIds>>,
    links: Vec<Link>,
    /// What waits for a connection, the oldest first.
    queue: VecDeque<Pending>,
    inbox: InboxState,
    /// Before this no connection is opened: the last one could not be.
    not_before: Instant,
    /// Whether the server knows the device.
    is_registered: bool,
    is_ready: bool,
    is_on: bool,
    /// The status of the last answer, if that asks who is there or lets nobody in.
    turned_away: Option<StatusCode>,
    outputs: ShortQueue<ApplicationOutput>,
}

/// How it stands with what the server says first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InboxState {
    /// The device must register, or has no inbox.
    Unknown,
    /// A request for the inbox is queued or in progress.
    Asked,
    /// The next request for the inbox is due.
    Due(Kind),
}

/// How long after a connection could not be opened the next one is.
const REOPEN_DELAY: Duration = Duration::from_secs(1);

/// How often a message is sent at most.
const MOST_ATTEMPTS: u16 = 2;

impl HttpClient {
    /// Creates the client of a device.
    #[must_use]
    pub fn new(config: Arc<HttpClientConfig>, device: DeviceId) -> Self {
        Self {
            config,
            device,
            tokens: None,
            path: None,
            resource_ids: None,
            links: Vec::new(),
            queue: VecDeque::new(),
            inbox: InboxState::Unknown,
            not_before: Instant::ZERO,
            is_registered: false,
            is_ready: false,
            is_on: false,
            turned_away: None,
            outputs: ShortQueue::new(),
        }
    }

    /// Makes the client send a token in each request.
    #[must_use]
    pub fn with_tokens(mut self, tokens: TokenSource) -> Self {
        self.tokens = Some(Box::new(tokens));
        self
    }

    /// Sets the device's name at a device gateway, to which it reports events.
    #[must_use]
    pub fn known_as(mut self, path: &str) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Sets the names of the resources that the client requests and writes.
    #[must_use]
    pub fn resource_ids(mut self, resource_ids: ResourceIds) -> Self {
        self.resource_ids = Some(Box::new(resource_ids));
        self
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.is_on = true;
        self.not_before = now;
        self.inbox = if self.config.receives {
            InboxState::Due(Kind::Registration)
        } else {
            InboxState::Unknown
        };
        if self.keeps() && self.config.sends {
            self.open(now, false, transport);
        }
        self.pump(now, transport);
        self.tell_ready();
    }

    fn keeps(&self) -> bool {
        self.config.policy == ConnectionPolicy::Keep
    }

    /// Tells once that messages can be sent.
    fn tell_ready(&mut self) {
        let is_known = !self.config.receives || self.is_registered;
        let mut links = self.links.iter().filter(|link| !link.is_of_inbox);
        let is_open = !self.keeps() || !self.config.sends || links.any(|it| !it.is_opening());
        if self.is_on && !self.is_ready && is_known && is_open {
            self.is_ready = true;
            let ready = ApplicationOutput::Ready(self.device, ChannelSet::ALL);
            self.outputs.push(ready);
        }
    }

    fn under_way(&self) -> impl Iterator<Item = &Pending> {
        self.links.iter().flat_map(Link::under_way)
    }

    fn open(&mut self, now: Instant, is_of_inbox: bool, transport: &mut dyn Transport) {
        match transport.open(now, self.config.server, &[]) {
            Ok(id) => {
                let link = Link::opening(id, is_of_inbox, self.config.policy);
                self.links.push(link);
            }
            Err(_) => self.not_before = now + REOPEN_DELAY,
        }
    }

    /// Whether a request wants a connection that only serves the inbox.
    fn is_of_inbox(&self, pending: &Pending) -> bool {
        pending.kind.is_of_inbox() && !self.is_on_one_connection()
    }

    /// Whether all requests share a connection.
    fn is_on_one_connection(&self) -> bool {
        self.config.is_multiplexed() && self.keeps()
    }

    /// Sends what waits as far as there are connections for it, and opens those that are missing.
    fn pump(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let InboxState::Due(kind) = self.inbox
            && self.is_on
        {
            self.inbox = InboxState::Asked;
            self.queue.push_front(Pending {
                kind,
                payload: Vec::new(),
                until: now + self.config.timeout + self.config.hold,
                attempts: 0,
            });
        }
        let mut place = 0;
        while place < self.queue.len() {
            let is_of_inbox = self.is_of_inbox(&self.queue[place]);
            let has_room = |link: &mut Link| link.is_of_inbox == is_of_inbox && link.has_room();
            let Some(link) = self
                .links
                .iter_mut()
                .find_map(|it| has_room(it).then_some(it))
            else {
                place += 1;
                continue;
            };
            let Some(pending) = self.queue.remove(place) else {
                break;
            };
            if let Some(id) = pending.kind.message() {
                self.outputs
                    .push(ApplicationOutput::Event(MessageEvent::Transmitted {
                        id,
                        attempt: pending.attempts + 1,
                        last: pending.attempts + 1 == MOST_ATTEMPTS,
                        trigger: None,
                    }));
            }
            let mut wire = Wire::new(now, transport, link.id);
            let token = self.tokens.as_mut().map(|tokens| tokens.token(now));
            let shown = token.as_deref().map(bearer);
            let sender = match &self.path {
                Some(path) => Sender::Registered(path),
                None => Sender::Numbered(self.device),
            };
            link.send(&mut wire, pending, &self.config, sender, shown);
        }
        for is_of_inbox in [false, true] {
            self.open_missing(now, is_of_inbox, transport);
        }
    }

    fn open_missing(&mut self, now: Instant, is_of_inbox: bool, transport: &mut dyn Transport) {
        let waiting = self.queue.iter();
        let waiting = waiting.filter(|it| self.is_of_inbox(it) == is_of_inbox);
        let most = if is_of_inbox {
            1
        } else {
            self.config.connections
        };
        let alike = |link: &&Link| link.is_of_inbox == is_of_inbox;
        let links = self.links.iter().filter(alike).count();
        let opening = self.links.iter().filter(alike).filter(|it| it.is_opening());
        let missing = waiting.count().saturating_sub(opening.count());
        for _ in 0..missing.min(most.saturating_sub(links)) {
            if self.is_on && self.not_before <= now {
                self.open(now, is_of_inbox, transport);
            }
        }
    }

    fn send(&mut self, now: Instant, message: OutgoingMessage<'_>, transport: &mut dyn Transport) {
        let OutgoingMessage { id, payload, asks } = message;
        let resource_ids = self.resource_ids.as_deref();
        let named = resource_ids
            .and_then(|resource_ids| Some((resource_ids, resource_ids.resource_of(id)?)));
        let kind = if let Some((resource_ids, resource)) = named {
            if asks {
                Kind::Read(id, resource, resource_ids.tag_for(id))
            } else {
                Kind::Write(id, resource)
            }
        } else if asks {
            Kind::Question(id)
        } else if self.config.echoed.contains(id.flow.channel()) {
            Kind::Echo(id)
        } else {
            Kind::Report(id)
        };
        self.queue.push_back(Pending {
            kind,
            payload: match &self.path {
                _ if asks => Vec::new(),
                Some(_) => event_of(payload),
                None if self.config.wraps_in_json => wrapped(payload),
                None => payload.to_vec(),
            },
            until: now + self.config.timeout,
            attempts: 0,
        });
        self.pump(now, transport);
    }

    fn note(
        &mut self,
        now: Instant,
        id: ConnectionId,
        event: TransportEvent,
        transport: &mut dyn Transport,
    ) {
        let Some(place) = self.links.iter().position(|link| link.id == id) else {
            return;
        };
        match event {
            TransportEvent::Established(_) => {
                let mut wire = Wire::new(now, transport, id);
                let begun = self.links[place].begin(&mut wire, &self.config);
                if begun.is_err() {
                    transport.reset(now, id, ResetReason::NotNeeded);
                }
            }
            TransportEvent::Readable(_)
            | TransportEvent::StreamOpened(..)
            | TransportEvent::StreamReset(..)
            | TransportEvent::StreamsAllowed => {
                let mut wire = Wire::new(now, transport, id);
                self.links[place].take(&mut wire, event);
                self.receive(now, place, transport);
            }
            TransportEvent::Writable(_) => {
                let mut wire = Wire::new(now, transport, id);
                self.links[place].flush(&mut wire);
            }
            TransportEvent::Closed(_) => self.lose(now, place),
            TransportEvent::DatagramReadable | TransportEvent::Rebound | TransportEvent::Moved => {}
        }
        self.pump(now, transport);
        self.tell_ready();
    }

    fn receive(&mut self, now: Instant, place: usize, transport: &mut dyn Transport) {
        let link = &mut self.links[place];
        let connection = link.id;
        let mut wire = Wire::new(now, transport, connection);
        let read = link.receive(&mut wire);
        if read.has_ended {
            link.finish(&mut wire);
        }
        for (pending, response) in read.answered {
            self.take(now, connection, &pending, response);
        }
        for (pending, may_be_again) in read.lost {
            self.end_without_answer(now, pending, may_be_again);
        }
        if read.has_ended {
            self.lose(now, place);
        }
    }

    /// Takes the answer to a request.
    fn take(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        pending: &Pending,
        response: Response<Vec<u8>>,
    ) {
        if let (Kind::Read(id, ..), Some(resource_ids)) = (pending.kind, &self.resource_ids) {
            let outputs = read(now, connection, id, resource_ids, &response);
            return outputs.into_iter().for_each(|it| self.outputs.push(it));
        }
        let is_success = response.status().is_success();
        let no_entry = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        self.turned_away = Some(response.status()).filter(|status| no_entry.contains(status));
        let body = response.body();
        let mut newest = None;
        for payload in payloads(pending.kind, if is_success { body } else { &[] }) {
            newest = message_id(payload).or(newest);
            self.outputs.push(ApplicationOutput::Received(Received {
                connection,
                payload: Payload::copied_from(payload),
            }));
        }
        match (pending.kind, pending.kind.message()) {
            (Kind::Registration, _) => {
                self.is_registered |= is_success;
                self.inbox = InboxState::Due(if is_success {
                    Kind::Poll {
                        last: None,
                        is_renewed: false,
                    }
                } else {
                    Kind::Registration
                });
            }
            (Kind::Poll { last, .. }, _) => {
                self.inbox = InboxState::Due(match response.status() {
                    StatusCode::NOT_FOUND => Kind::Registration,
                    _ => Kind::Poll {
                        last: newest.or(last),
                        is_renewed: body.is_empty(),
                    },
                });
            }
            (_, Some(id)) if is_success => {
                let event = MessageEvent::Acknowledged { id };
                self.outputs.push(ApplicationOutput::Event(event));
            }
            (_, Some(id)) => self.fail(id, FailureReason::Rejected),
            (_, None) => {}
        }
    }

    /// A connection is gone, with what was under way on it.
    fn lose(&mut self, now: Instant, place: usize) {
        let mut link = self.links.remove(place);
        if link.is_opening() {
            self.not_before = now + REOPEN_DELAY;
        }
        let is_stale = link.is_stale();
        for pending in link.take_under_way() {
            self.end_without_answer(now, pending, is_stale);
        }
    }

    /// A request has no answer: it is made again, if it was not served, or fails.
    fn end_without_answer(&mut self, now: Instant, pending: Pending, was_not_served: bool) {
        match (pending.kind, pending.kind.message()) {
            (_, Some(_)) if was_not_served && pending.attempts < MOST_ATTEMPTS => {
                self.queue.push_front(pending);
            }
            (_, Some(id)) => self.fail(id, FailureReason::ConnectionLost),
            // The server forgets nobody while it runs.
            (kind, None) => {
                self.not_before = self.not_before.max(now + REOPEN_DELAY);
                self.inbox = InboxState::Due(kind);
            }
        }
    }

    fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(place) = self.queue.iter().position(|it| it.until <= now) {
            let Some(pending) = self.queue.remove(place) else {
                break;
            };
            self.give_up(pending, FailureReason::NotConnected);
        }
        let is_late = |link: &Link| link.under_way().any(|it| it.until <= now);
        while let Some(place) = self.links.iter().position(is_late) {
            let mut link = self.links.remove(place);
            transport.reset(now, link.id, ResetReason::NotNeeded);
            for pending in link.take_under_way() {
                self.give_up(pending, FailureReason::NoAcknowledgement);
            }
        }
        self.pump(now, transport);
        self.tell_ready();
    }

    fn give_up(&mut self, pending: Pending, reason: FailureReason) {
        match pending.kind.message() {
            Some(id) => self.fail(id, reason),
            None => self.inbox = InboxState::Due(pending.kind),
        }
    }

    fn fail(&mut self, id: MessageId, reason: FailureReason) {
        let event = MessageEvent::Failed { id, reason };
        self.outputs.push(ApplicationOutput::Event(event));
    }

    /// The device goes off; what it had in hand is lost.
    fn leave(&mut self) {
        self.is_on = false;
        self.is_ready = false;
        self.is_registered = false;
        self.inbox = InboxState::Unknown;
        let links = core::mem::take(&mut self.links);
        let under_way = links.into_iter().flat_map(|mut it| it.take_under_way());
        let waiting: Vec<Pending> = under_way.chain(self.queue.drain(..)).collect();
        for pending in waiting {
            if let Some(id) = pending.kind.message() {
                self.fail(id, FailureReason::HostDown);
            }
        }
    }

    fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let waits_to_open = self.not_before > now && !self.queue.is_empty();
        let mut next = waits_to_open.then_some(self.not_before);
        for pending in self.under_way().chain(&self.queue) {
            next = Some(next.map_or(pending.until, |next| next.min(pending.until)));
        }
        next
    }
}

impl Application for HttpClient {
    /// A connection may be opened for a request, and is closed behind it where it is not kept.
    fn awaits(&self) -> Awaited {
        let is_done = self.queue.is_empty() && self.under_way().next().is_none();
        Awaited::nothing_if(is_done && !self.links.iter().any(Link::is_opening))
    }

    fn refusal(&self) -> Option<Refusal> {
        let status = self.turned_away?;
        Some(Refusal::Status(status.as_u16()))
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Send(message) => self.send(now, message, transport),
            ApplicationInput::Transport(connection, event) => {
                self.note(now, connection, event, transport);
            }
            ApplicationInput::Timeout => self.timeout(now, transport),
            ApplicationInput::Stop => {
                for link in &mut self.links {
                    let mut wire = Wire::new(now, transport, link.id);
                    link.finish(&mut wire);
                }
                self.leave();
            }
            ApplicationInput::Crash(_) => self.leave(),
        }
    }

    fn poll(&mut self, now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        match self.outputs.pop() {
            Some(output) => output,
            None => ApplicationOutput::WaitUntil(self.next_deadline(now)),
        }
    }
}

/// What comes of the answer to a request for what has a name of its own.
fn read(
    now: Instant,
    connection: ConnectionId,
    id: MessageId,
    resource_ids: &ResourceIds,
    response: &Response<Vec<u8>>,
) -> Vec<ApplicationOutput> {
    let is_unchanged = response.status() == StatusCode::NOT_MODIFIED;
    if !is_unchanged && !response.status().is_success() {
        let reason = FailureReason::Rejected;
        return vec![ApplicationOutput::Event(MessageEvent::Failed {
            id,
            reason,
        })];
    }
    resource_ids.said(now, id, reply_of(response.headers(), is_unchanged));
    let received = (!is_unchanged).then(|| {
        let payload = renamed(response.body(), id);
        ApplicationOutput::Received(Received {
            connection,
            payload,
        })
    });
    let event = ApplicationOutput::Event(MessageEvent::Acknowledged { id });
    received.into_iter().chain([event]).collect()
}

/// The messages of an answer: those of the inbox have their lengths before them.
fn payloads(kind: Kind, mut body: &[u8]) -> Vec<&[u8]> {
    if !kind.is_of_inbox() {
        return if body.is_empty() { vec![] } else { vec![body] };
    }
    let mut payloads = Vec::new();
    while let Some((length, rest)) = body.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((payload, behind)) = rest.split_at_checked(length) else {
            break;
        };
        payloads.push(payload);
        body = behind;
    }
    payloads
}
