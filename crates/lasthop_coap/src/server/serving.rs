use lasthop_contract::{
    ApplicationOutput, ConnectionId, FlowId, LookupMap, Payload, Received, ResetReason,
};

use super::CoapServerConfig;
use super::devices::Devices;
use super::observer::Observer;
use super::representation::{Delivery, Representation};
use super::store::ResourceStore;
use super::target::{Target, registering_flow};
use crate::codec::{Code, Message, Token, option_number};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint};
use crate::inbox::{REGISTRATION, take_message};

/// What a server serves requests with.
pub(super) struct Server<'a> {
    pub(super) config: &'a CoapServerConfig,
    pub(super) endpoint: &'a mut Endpoint,
    pub(super) devices: &'a mut Devices,
    pub(super) observations: &'a mut LookupMap<(ConnectionId, Token), FlowId>,
    pub(super) store: &'a mut ResourceStore,
}

/// A request that is being served.
struct Served<'a> {
    connection: ConnectionId,
    message: &'a Message,
}

/// Link format (RFC 6690 §7.1).
const LINK_FORMAT: u16 = 40;

const ANSWER: Purpose = Purpose::Acknowledgement(None);

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
    let request = Served {
        connection,
        message,
    };
    match Target::of(&message.content, &datagram) {
        Target::Device(flow) => server.serve_device(cx, &request, flow, datagram),
        Target::Registration => server.serve_registration(cx, &request, &datagram),
        Target::Discovery => server.serve_discovery(cx, &request),
        Target::Resource(path) => server.serve_resource(cx, &request, &path, &datagram),
        Target::Nothing => server.answer(cx, &request, &Answer::bare(Code::NOT_FOUND, ANSWER)),
    }
}

impl Server<'_> {
    fn serve_device(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        flow: FlowId,
        datagram: Payload,
    ) {
        let &Served {
            connection,
            message,
        } = request;
        match message.content.code {
            Code::POST | Code::PUT => {
                if let Some(left) = self.devices.locate(flow, connection) {
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
            Code::GET => self.serve_device_state(cx, request, flow),
            _ => self.answer(cx, request, &Answer::bare(Code::METHOD_NOT_ALLOWED, ANSWER)),
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
    fn serve_device_state(&mut self, cx: &mut Context<'_>, request: &Served<'_>, flow: FlowId) {
        let key = (request.connection, request.message.content.token);
        let observes = request.message.content.facts.observe == Some(0);
        match request.message.content.facts.observe {
            Some(0) => {
                let observer = Observer::new(cx.now, key.0, key.1);
                if let Some(replaced) = self.devices.observe(flow, observer) {
                    self.observations.remove(&replaced);
                }
                self.observations.insert(key, flow);
                cx.outputs.push(ApplicationOutput::Ready(flow));
            }
            Some(1) if self.devices.end_observation(flow, key) => {
                self.observations.remove(&key);
            }
            _ => {}
        }
        let nothing = Representation::default();
        let representation = self.devices.representation(flow).unwrap_or(&nothing);
        let purpose = if request.message.content.facts.observe.is_some() {
            Purpose::SessionSetUp
        } else {
            Purpose::Content
        };
        let delivery = self.delivery(request, observes, purpose);
        let answer = representation.answer(delivery);
        let endpoint = &mut *self.endpoint;
        request.answer(
            cx,
            endpoint,
            &answer.unwrap_or(Answer::bare(Code::BAD_REQUEST, ANSWER)),
        );
    }

    /// A device makes itself known.
    fn serve_registration(&mut self, cx: &mut Context<'_>, request: &Served<'_>, datagram: &[u8]) {
        let content = &request.message.content;
        let answer = match (content.code, registering_flow(content, datagram)) {
            (Code::POST, Some(flow)) => {
                if let Some(left) = self.devices.register(flow, request.connection) {
                    self.leave(cx, left);
                }
                cx.outputs.push(ApplicationOutput::Ready(flow));
                let mut answer = Answer::bare(Code::CREATED, Purpose::SessionSetUp);
                let place = format!("{REGISTRATION}/{}", flow.0);
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

    fn serve_discovery(&mut self, cx: &mut Context<'_>, request: &Served<'_>) {
        if request.message.content.code != Code::GET {
            return self.answer(cx, request, &Answer::bare(Code::METHOD_NOT_ALLOWED, ANSWER));
        }
        let mut links = Representation::default();
        links.set(self.store.links().into_bytes(), Some(LINK_FORMAT));
        let answer = links.answer(self.delivery(request, false, Purpose::Content));
        self.answer(
            cx,
            request,
            &answer.unwrap_or(Answer::bare(Code::BAD_REQUEST, ANSWER)),
        );
    }

    fn serve_resource(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        path: &str,
        datagram: &Payload,
    ) {
        match request.message.content.code {
            Code::GET => self.serve_state(cx, request, path),
            Code::PUT | Code::POST => self.change(cx, request, path, datagram),
            Code::DELETE => {
                let removed = self.store.remove(path);
                self.answer(cx, request, &Answer::bare(Code::DELETED, ANSWER));
                // Observers are told that there is nothing any more (RFC 7641 §4.2).
                for mut observer in removed.into_iter().flat_map(|resource| resource.observers) {
                    let kind = observer.kind_of_next(cx.now, self.config.kind);
                    let gone = Answer::bare(Code::NOT_FOUND, ANSWER);
                    // Nobody waits for it: what is lost here is lost as on the way.
                    let _ = self.endpoint.notify(cx, observer.key(), kind, &gone);
                }
            }
            _ => self.answer(cx, request, &Answer::bare(Code::METHOD_NOT_ALLOWED, ANSWER)),
        }
    }

    /// Gives a resource out, and takes or ends an observation of it.
    fn serve_state(&mut self, cx: &mut Context<'_>, request: &Served<'_>, path: &str) {
        let (connection, token) = (request.connection, request.message.content.token);
        let mut observes = false;
        if let Some(resource) = self.store.get_mut(path) {
            match request.message.content.facts.observe {
                Some(0) => observes = resource.observe(Observer::new(cx.now, connection, token)),
                Some(1) => resource.end_observation((connection, token)),
                _ => {}
            }
        }
        let delivery = self.delivery(request, observes, Purpose::Content);
        let answer = match self.store.get(path) {
            None => Answer::bare(Code::NOT_FOUND, ANSWER),
            Some(resource) => resource
                .representation
                .answer(delivery)
                .unwrap_or(Answer::bare(Code::BAD_REQUEST, ANSWER)),
        };
        request.answer(cx, self.endpoint, &answer);
    }

    /// Sets a resource by PUT, adds to it by POST, and tells its observers.
    fn change(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        path: &str,
        datagram: &Payload,
    ) {
        let &Served {
            connection,
            message,
        } = request;
        let body = match message.content.facts.block1 {
            None => datagram[message.content.payload()].to_vec(),
            Some(block) => {
                let endpoint = &mut *self.endpoint;
                match endpoint.collect(cx, connection, message, datagram, block) {
                    Some(body) => body,
                    None => return,
                }
            }
        };
        let mut answer = Answer::bare(self.carry_out(request, path, body, datagram), ANSWER);
        if let Some(block) = message.content.facts.block1 {
            self.endpoint.add_block1(&mut answer, block);
        }
        self.answer(cx, request, &answer);
        if answer.code.is_success() {
            self.tell_observers(cx, path);
        }
    }

    fn carry_out(
        &mut self,
        request: &Served<'_>,
        path: &str,
        body: Vec<u8>,
        datagram: &[u8],
    ) -> Code {
        let content = &request.message.content;
        let known = self.store.get(path).map(|r| r.representation.etag());
        let if_match = content.option(datagram, option_number::IF_MATCH);
        let if_none_match = content.option(datagram, option_number::IF_NONE_MATCH);
        let is_excluded = if_none_match.is_some() && known.is_some()
            || if_match.is_some_and(|tag| {
                // An empty value stands for any state (RFC 7252 §5.10.8.1).
                known.is_none() || !tag.is_empty() && known != Token::new(tag)
            });
        if is_excluded {
            return Code::PRECONDITION_FAILED;
        }
        let Some((resource, is_new)) = self.store.get_or_make(path) else {
            return Code::SERVICE_UNAVAILABLE;
        };
        let representation = &mut resource.representation;
        if content.code == Code::PUT {
            representation.set(body, content.facts.content_format);
        } else if representation.body.len() + body.len() > self.config.parameters.max_body_size {
            return Code::REQUEST_ENTITY_TOO_LARGE;
        } else {
            representation.append(&body);
        }
        if is_new { Code::CREATED } else { Code::CHANGED }
    }

    fn tell_observers(&mut self, cx: &mut Context<'_>, path: &str) {
        let Some(resource) = self.store.get_mut(path) else {
            return;
        };
        for observer in &mut resource.observers {
            let kind = observer.kind_of_next(cx.now, self.config.kind);
            let answer = resource.representation.answer(Delivery {
                block: None,
                is_observed: true,
                largest_block: self.config.parameters.block_size,
                whole_limit: self.endpoint.whole_limit(observer.connection),
                max_age: self.config.parameters.max_age,
                purpose: Purpose::Content,
            });
            if let Some(answer) = &answer {
                // A notification that finds no room is one that is lost; the next one brings the newer state.
                let _ = self.endpoint.notify(cx, observer.key(), kind, answer);
            }
        }
    }

    fn delivery(&self, request: &Served<'_>, is_observed: bool, purpose: Purpose) -> Delivery {
        Delivery {
            block: request.message.content.facts.block2,
            is_observed,
            largest_block: self.config.parameters.block_size,
            whole_limit: self.endpoint.whole_limit(request.connection),
            max_age: self.config.parameters.max_age,
            purpose,
        }
    }

    fn answer(&mut self, cx: &mut Context<'_>, request: &Served<'_>, answer: &Answer<'_>) {
        request.answer(cx, self.endpoint, answer);
    }
}

impl Served<'_> {
    fn answer(&self, cx: &mut Context<'_>, endpoint: &mut Endpoint, answer: &Answer<'_>) {
        endpoint.respond(cx, self.connection, self.message, answer);
    }
}
