use core::net::IpAddr;
use lasthop_broker::{Identity, Readiness, Refusal};
use lasthop_contract::{
    ApplicationOutput, ChannelSet, ConnectionId, DeviceId, LookupMap, Payload, Received,
    ResetReason,
};
use lasthop_units::Instant;

use super::CoapServerConfig;
use super::condition::is_fulfilled;
use super::devices::Devices;
use super::example::LINK_FORMAT;
use super::links::{Filter, Link};
use super::observer::Observer;
use super::proofs::{MAX_FACTOR, Proofs};
use super::store::ResourceStore;
use super::target::{Target, registering_device};
use super::topics::Topics;
use super::upstream_cache::UpstreamCache;
use crate::codec::{Code, Content, Message, Token, option_number};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint};
use crate::inbox::{REGISTRATION, take_message};
use crate::representation::{Delivery, Representation};
use crate::topic_observations::TOPICS;

/// What a server serves requests with.
pub(super) struct Server<'a> {
    pub(super) config: &'a CoapServerConfig,
    pub(super) endpoint: &'a mut Endpoint,
    pub(super) devices: &'a mut Devices,
    pub(super) observations: &'a mut LookupMap<(ConnectionId, Token), DeviceId>,
    pub(super) store: &'a mut ResourceStore,
    /// Connections by which devices and observers were reached last.
    pub(super) reachable: &'a mut LookupMap<ConnectionId, ()>,
    pub(super) topics: Option<&'a mut Topics>,
    pub(super) upstream: Option<&'a mut UpstreamCache>,
    pub(super) proofs: Option<&'a mut Proofs>,
}

/// A request that is being served.
pub(super) struct Served<'a> {
    pub(super) connection: ConnectionId,
    pub(super) message: &'a Message,
    /// How many bytes an answer may have; `None` for any number.
    room: Option<usize>,
    /// Whether it is answered by a message of its own.
    pub(super) is_separate: bool,
}

pub(super) const ANSWER: Purpose = Purpose::Acknowledgement(None);

/// Serves one request.
pub(super) fn serve(
    server: &mut Server<'_>,
    cx: &mut Context<'_>,
    connection: ConnectionId,
    message: &Message,
    datagram: Payload,
) {
    if server.endpoint.refuse_impossible(cx, connection, message) {
        return;
    }
    let mut request = Served {
        connection,
        message,
        is_separate: server.config.parameters.separate_responses,
        room: server.room(connection, &message.content, &datagram),
    };
    if request.room.is_some() && message.content.facts.observe == Some(0) {
        // Notifications would follow.
        return server.challenge(cx, &request);
    }
    let address = cx.transport.peer(connection).map(|peer| peer.ip());
    if let Some(topics) = &mut server.topics {
        // Read first: what is over after this is news.
        let checks_done = topics.checks_done();
        let readiness = topics.readiness(cx.now, &message.content, &datagram, address);
        match readiness {
            Readiness::Ready => {}
            Readiness::Later => {
                if !topics.wait_for_check(checks_done, connection, message, datagram) {
                    server.answer_bare(cx, &request, Code::SERVICE_UNAVAILABLE);
                }
                return;
            }
            Readiness::Busy => {
                return server.answer_bare(cx, &request, Code::SERVICE_UNAVAILABLE);
            }
        }
    }
    let identity = server.identify(cx.now, &message.content, &datagram, address);
    let Ok(identity) = identity else {
        return server.answer_bare(cx, &request, Code::UNAUTHORIZED);
    };
    match Target::of(&message.content, &datagram) {
        Target::Device(device) => server.serve_device(cx, &request, device, datagram),
        Target::Registration if request.room.is_some() => server.challenge(cx, &request),
        Target::Registration => server.serve_registration(cx, &request, &datagram),
        Target::Discovery => server.serve_discovery(cx, &request, &datagram),
        Target::Resource(path) if server.upstream.as_ref().is_some_and(|it| it.is_able()) => {
            server.serve_upstream(cx, &request, &path, &datagram);
        }
        Target::Resource(path)
            if server.topics.is_some()
                && let Some(topic) = Topics::name_of(&path) =>
        {
            match topic {
                Ok(topic) => server.serve_topic(cx, &request, identity, &topic, &datagram),
                Err(()) => server.answer_bare(cx, &request, Code::BAD_REQUEST),
            }
        }
        Target::Resource(path) => {
            let behaviour = server.store.behaviour(&path);
            request.is_separate |= behaviour.is_some_and(|behaviour| behaviour.is_separate);
            server.serve_resource(cx, &request, &path, &datagram);
        }
        Target::Nothing => server.answer_bare(cx, &request, Code::NOT_FOUND),
    }
}

impl Server<'_> {
    /// Who asks, where the server has an authority to ask.
    fn identify(
        &self,
        now: Instant,
        content: &Content,
        datagram: &[u8],
        address: Option<IpAddr>,
    ) -> Result<Identity, Refusal> {
        let topics = self.topics.as_ref();
        topics.map_or(Ok(Identity::ANONYMOUS), |topics| {
            topics.identify(now, content, datagram, address)
        })
    }

    fn serve_device(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        device: DeviceId,
        datagram: Payload,
    ) {
        let &Served {
            connection,
            message,
            ..
        } = request;
        let etag = || {
            self.devices
                .representation(device)
                .map(Representation::etag)
        };
        if message.content.facts.is_conditional
            && !is_fulfilled(
                &message.content,
                &datagram,
                Some(etag().unwrap_or(Token::EMPTY)),
            )
        {
            return self.answer_bare(cx, request, Code::PRECONDITION_FAILED);
        }
        match message.content.code {
            Code::POST | Code::PUT => {
                if let Some(left) = self.devices.locate(device, connection) {
                    self.reachable.insert(connection, ());
                    self.leave(cx, left);
                }
                let endpoint = &mut *self.endpoint;
                if let Some(payload) = take_message(endpoint, cx, connection, message, datagram) {
                    cx.outputs.push(ApplicationOutput::Received(Received {
                        connection,
                        payload,
                    }));
                }
            }
            Code::GET if message.content.facts.accept.is_some() => {
                self.answer_bare(cx, request, Code::NOT_ACCEPTABLE);
            }
            Code::GET => self.serve_device_state(cx, request, device),
            _ => self.answer_bare(cx, request, Code::METHOD_NOT_ALLOWED),
        }
    }

    /// Gives up the connection that a device has left, unless something is under way on it.
    fn leave(&self, cx: &mut Context<'_>, connection: ConnectionId) {
        if self.endpoint.is_idle(connection) {
            cx.transport
                .reset(cx.now, connection, ResetReason::NotNeeded);
        }
    }

    /// A device reads or observes its resource.
    fn serve_device_state(&mut self, cx: &mut Context<'_>, request: &Served<'_>, device: DeviceId) {
        let key = (request.connection, request.message.content.token);
        let observes = request.message.content.facts.observe == Some(0);
        if observes && !self.devices.have_room_for(device) {
            return self.answer_bare(cx, request, Code::SERVICE_UNAVAILABLE);
        }
        match request.message.content.facts.observe {
            Some(0) => {
                let observer = Observer::new(cx.now, key.0, key.1);
                self.reachable.insert(key.0, ());
                if let Some(replaced) = self.devices.observe(device, observer) {
                    self.observations.remove(&replaced);
                }
                self.observations.insert(key, device);
                cx.outputs
                    .push(ApplicationOutput::Ready(device, ChannelSet::ALL));
            }
            Some(1) if self.devices.end_observation(device, key) => {
                self.observations.remove(&key);
            }
            _ => {}
        }
        let nothing = Representation::default();
        let representation = self.devices.representation(device).unwrap_or(&nothing);
        let purpose = if request.message.content.facts.observe.is_some() {
            Purpose::SessionSetUp
        } else {
            Purpose::Content
        };
        let delivery = self.delivery(request, observes, purpose);
        let answer = representation.answer(delivery);
        request.give(cx, self.endpoint, self.proofs.as_deref_mut(), answer);
    }

    /// A device makes itself known.
    fn serve_registration(&mut self, cx: &mut Context<'_>, request: &Served<'_>, datagram: &[u8]) {
        let content = &request.message.content;
        let answer = match (content.code, registering_device(content, datagram)) {
            (Code::POST, Some(device)) if !self.devices.have_room_for(device) => {
                Answer::bare(Code::SERVICE_UNAVAILABLE, ANSWER)
            }
            (Code::POST, Some(device)) => {
                self.reachable.insert(request.connection, ());
                if let Some(left) = self.devices.register(device, request.connection) {
                    self.leave(cx, left);
                }
                cx.outputs
                    .push(ApplicationOutput::Ready(device, ChannelSet::ALL));
                let mut answer = Answer::bare(Code::CREATED, Purpose::SessionSetUp);
                let place = format!("{REGISTRATION}/{}", device.0);
                answer
                    .options
                    .add_path(option_number::LOCATION_PATH, &place);
                answer
            }
            (Code::POST, None) => Answer::bare(Code::BAD_REQUEST, ANSWER),
            _ => Answer::bare(Code::METHOD_NOT_ALLOWED, ANSWER),
        };
        self.answer(cx, request, &answer);
    }

    fn serve_discovery(&mut self, cx: &mut Context<'_>, request: &Served<'_>, datagram: &[u8]) {
        let content = &request.message.content;
        let topics = self.topics.as_ref().map(|_| topics_link());
        let links = self.store.links().chain(topics);
        let list = Link::list(links, &Filter::of(content, datagram));
        let links = Representation::of(list.into_bytes(), LINK_FORMAT);
        let code = if content.code != Code::GET {
            Code::METHOD_NOT_ALLOWED
        } else if !is_fulfilled(content, datagram, Some(links.etag())) {
            Code::PRECONDITION_FAILED
        } else if !links.is_acceptable(content.facts.accept) {
            Code::NOT_ACCEPTABLE
        } else {
            Code::CONTENT
        };
        if code != Code::CONTENT {
            return self.answer_bare(cx, request, code);
        }
        let answer = links.answer(self.delivery(request, false, Purpose::Content));
        request.give(cx, self.endpoint, self.proofs.as_deref_mut(), answer);
    }

    /// The body of a request; `None` of one whose blocks are not all there.
    pub(super) fn body(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        datagram: &Payload,
    ) -> Option<Vec<u8>> {
        let &Served {
            connection,
            message,
            ..
        } = request;
        match message.content.facts.block1 {
            None => Some(datagram[message.content.payload()].to_vec()),
            Some(block) => self
                .endpoint
                .collect(cx, connection, message, datagram, block),
        }
    }

    pub(super) fn delivery(
        &self,
        request: &Served<'_>,
        is_observed: bool,
        purpose: Purpose,
    ) -> Delivery {
        Delivery {
            block: request.message.content.facts.block2,
            is_observed,
            is_tagged: false,
            largest_block: self.endpoint.largest_block(request.connection),
            whole_limit: self.endpoint.whole_limit(request.connection),
            max_age: self.config.parameters.max_age,
            block1: None,
            purpose,
        }
    }

    /// How many bytes the answer to a stranger may have; `None` for who is none, or where that does not matter.
    fn room(
        &mut self,
        connection: ConnectionId,
        content: &Content,
        datagram: &[u8],
    ) -> Option<usize> {
        let proofs = self.proofs.as_mut()?;
        let is_proven = proofs.take(connection, content, datagram);
        (!is_proven).then(|| MAX_FACTOR * datagram.len())
    }

    /// Asks a stranger to show that it is there before it is served.
    pub(super) fn challenge(&mut self, cx: &mut Context<'_>, request: &Served<'_>) {
        request.challenge(cx, self.endpoint, self.proofs.as_deref_mut());
    }

    pub(super) fn answer_bare(&mut self, cx: &mut Context<'_>, request: &Served<'_>, code: Code) {
        self.answer(cx, request, &Answer::bare(code, ANSWER));
    }

    pub(super) fn answer(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        answer: &Answer<'_>,
    ) {
        request.answer(cx, self.endpoint, answer);
    }
}

/// Where the topics are, in the list of resources.
fn topics_link() -> Link {
    Link::new(format_args!("/{TOPICS}"), &[("rt", "core.ps")])
}

impl Served<'_> {
    /// Whether its sender has not shown that it is there, where that matters.
    pub(super) const fn is_stranger(&self) -> bool {
        self.room.is_some()
    }

    /// Answers with a representation, for which a stranger may have to show first that it is there; `None` is a block
    /// that there is not.
    pub(super) fn give(
        &self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        proofs: Option<&mut Proofs>,
        answer: Option<Answer<'_>>,
    ) {
        let answer = answer.unwrap_or(Answer::bare(Code::BAD_REQUEST, ANSWER));
        let size = answer.size(self.message);
        if self.room.is_none_or(|room| size <= room) {
            self.answer(cx, endpoint, &answer);
        } else {
            self.challenge(cx, endpoint, proofs);
        }
    }

    /// Asks a stranger to tell something back, so that it is seen to be there (RFC 9175 section 2.3).
    fn challenge(
        &self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        proofs: Option<&mut Proofs>,
    ) {
        let mut answer = Answer::bare(Code::UNAUTHORIZED, ANSWER);
        if let Some(proofs) = proofs {
            let echo = proofs.challenge(self.connection);
            answer.options.add(option_number::ECHO, &echo);
        }
        self.answer(cx, endpoint, &answer);
    }

    fn answer(&self, cx: &mut Context<'_>, endpoint: &mut Endpoint, answer: &Answer<'_>) {
        endpoint.respond_in(cx, self.connection, self.message, answer, self.is_separate);
    }
}
