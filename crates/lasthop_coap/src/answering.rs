use lasthop_cache::{Freshness, ResponseSource, ResponseState};
use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    ApplicationOutput, ConnectionId, LookupMap, MessageId, OutgoingMessage, Payload, Received,
};

use lasthop_units::Duration;

use crate::CoapRequest;
use crate::block::Block;
use crate::codec::{Code, Message, MessageType, option_number};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint};
use crate::inbox::{asked_by, named_resource, question, tag_of, take_message};
use crate::representation::{Delivery, Representation};

/// Answers GET requests for single application messages. The token of the request names the message.
///
/// What is answered comes from above, once; of an answer that goes in blocks the rest is given out from here.
#[derive(Debug, Default)]
pub(crate) struct Answering {
    /// Those that were handed up.
    waiting: Vec<Waiting>,
    /// What each connection was answered last.
    given: LookupMap<ConnectionId, Given>,
}

#[derive(Debug)]
struct Waiting {
    message: MessageId,
    connection: ConnectionId,
    request: Message,
    /// What is asked for, where that has a name of its own.
    resource: Option<u32>,
    /// Whether who asks was told that it takes its time.
    is_acknowledged: bool,
}

#[derive(Debug)]
struct Given {
    message: MessageId,
    /// How many bytes of the body have been given out.
    bytes: usize,
    /// The body, until its last block has been given out.
    body: Option<Representation>,
    /// What is said of it; `None` of what is no resource.
    freshness: Option<Freshness>,
}

/// Returns the request that fetches a message.
pub(crate) fn ask(kind: MessageType, path: &str) -> CoapRequest {
    CoapRequest::new(kind, Code::GET, path)
}

impl Answering {
    /// Processes a GET request for a message: answers it, or passes it to the layer above. Other requests are left
    /// alone.
    pub(crate) fn take(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        (request, datagram): (&Message, &[u8]),
        response_source: Option<&mut ResponseSource>,
    ) {
        let Some(message) = asked_by(request.content.token) else {
            let answer = Answer::bare(Code::NOT_FOUND, Purpose::Acknowledgement(None));
            return endpoint.respond(cx, connection, request, &answer);
        };
        let given = self.given.get_mut(&connection);
        if let Some(given) = given.filter(|given| given.message == message && given.body.is_some())
        {
            return given.answer(endpoint, cx, connection, request, false);
        }
        let resource = named_resource(request, datagram);
        if let (Some(response_source), Some(resource)) = (response_source, resource) {
            let tag = request.content.option(datagram, option_number::ETAG);
            let still = response_source.asked(cx.now, message, resource, tag.and_then(tag_of));
            if let Some(freshness) = still {
                let answer = state_of(&freshness, message, &[]).still_valid_for(
                    freshness.lifetime.unwrap_or(endpoint.parameters.max_age),
                    Purpose::Acknowledgement(Some(message)),
                );
                return endpoint.respond(cx, connection, request, &answer);
            }
        }
        self.waiting.push(Waiting {
            message,
            connection,
            request: request.clone(),
            resource,
            is_acknowledged: false,
        });
        cx.outputs.push(ApplicationOutput::Received(Received {
            connection,
            payload: question(message),
        }));
    }

    /// Sends a message to the clients that wait for it. Returns whether there are any.
    pub(crate) fn give(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        answer: OutgoingMessage<'_>,
        response_source: Option<&ResponseSource>,
    ) -> bool {
        if let Some(response_source) = response_source
            && response_source.is_cached()
        {
            match response_source.response_state(cx.now, None) {
                ResponseState::Here(_) => {}
                ResponseState::Later => {
                    let of_it = self.waiting.iter_mut().filter(|it| it.message == answer.id);
                    for waiting in of_it {
                        waiting.is_acknowledged = true;
                        endpoint.ack_and_defer(cx, waiting.connection, &waiting.request);
                    }
                    return true;
                }
                ResponseState::Nothing => {
                    self.end(endpoint, cx, answer.id, Code::GATEWAY_TIMEOUT);
                    return true;
                }
                ResponseState::Done => {
                    self.end(endpoint, cx, answer.id, Code::CHANGED);
                    return true;
                }
            }
        }
        let (answered, waiting) = core::mem::take(&mut self.waiting)
            .into_iter()
            .partition::<Vec<_>, _>(|waiting| waiting.message == answer.id);
        self.waiting = waiting;
        for waiting in &answered {
            let given = self.given.get_or_insert_with(waiting.connection, || Given {
                message: answer.id,
                bytes: 0,
                body: None,
                freshness: None,
            });
            if given.message != answer.id {
                (given.message, given.bytes) = (answer.id, 0);
            }
            let said = response_source
                .map(|response_source| response_source.response_state(cx.now, waiting.resource));
            given.freshness = match said {
                Some(ResponseState::Here(freshness)) => Some(freshness),
                _ => None,
            };
            let freshness = given.freshness.unwrap_or_default();
            given.body = Some(state_of(&freshness, answer.id, answer.payload));
            let to = (waiting.connection, &waiting.request);
            given.answer(endpoint, cx, to.0, to.1, waiting.is_acknowledged);
        }
        // Nobody waits any more for what was fetched.
        !answered.is_empty() || response_source.is_some_and(ResponseSource::is_cached)
    }

    /// Processes a write to a resource with a configured name. If the resource is on another
    /// server, the response waits for that server.
    pub(crate) fn take_write(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        (request, datagram, resource): (&Message, Payload, u32),
        response_source: &mut ResponseSource,
    ) {
        if endpoint.refuse_impossible(cx, connection, request) {
            return;
        }
        let payload = if response_source.is_cached() {
            match request.content.facts.block1 {
                None => Some(datagram.narrowed(request.content.payload())),
                Some(block) => endpoint
                    .collect(cx, connection, request, &datagram, block)
                    .map(|body| Payload::copied_from(&body)),
            }
        } else {
            take_message(endpoint, cx, connection, request, datagram)
        };
        let Some(payload) = payload else { return };
        let Some(message) = message_id(&payload) else {
            let answer = Answer::bare(Code::BAD_REQUEST, Purpose::Acknowledgement(None));
            return endpoint.respond(cx, connection, request, &answer);
        };
        if response_source.written(message, resource) {
            self.waiting.push(Waiting {
                message,
                connection,
                request: request.clone(),
                resource: Some(resource),
                is_acknowledged: false,
            });
        }
        cx.outputs.push(ApplicationOutput::Received(Received {
            connection,
            payload,
        }));
    }

    /// Answers those who wait for a message by a code alone.
    fn end(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        message: MessageId,
        code: Code,
    ) {
        let of_it = |waiting: &mut Waiting| waiting.message == message;
        for waiting in self.waiting.extract_if(.., of_it) {
            let block1 = waiting.request.content.facts.block1;
            let mut answer = Answer::bare(code, Purpose::Acknowledgement(Some(message)));
            if let Some(block) = block1 {
                endpoint.add_block1(&mut answer, block);
            }
            let (connection, request) = (waiting.connection, &waiting.request);
            if waiting.is_acknowledged {
                endpoint.respond_later(cx, connection, request, &answer);
            } else {
                endpoint.respond(cx, connection, request, &answer);
            }
        }
    }

    /// Removes the state of a closed connection.
    pub(crate) fn forget(&mut self, connection: ConnectionId) {
        self.waiting
            .retain(|waiting| waiting.connection != connection);
        self.given.remove(&connection);
    }
}

/// What is given out, with its entity tag: that of its freshness, or else the number of its message.
fn state_of(freshness: &Freshness, message: MessageId, body: &[u8]) -> Representation {
    let tag = freshness.tag.unwrap_or(message.number.get());
    let mut state = Representation::after(tag.wrapping_sub(1));
    state.set(body.into(), None);
    state
}

impl Given {
    /// Gives out the block that is wanted, or all of it.
    fn answer(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        request: &Message,
        is_acknowledged: bool,
    ) {
        let Some(body) = &self.body else { return };
        let block = request.content.facts.block2;
        let parameters = &endpoint.parameters;
        let left = self.freshness.and_then(|it| it.seconds_left());
        let max_age = left.map(|seconds| Duration::from_secs(seconds.into()));
        let delivery = Delivery {
            block,
            is_observed: false,
            is_tagged: self.freshness.is_some_and(|it| it.tag.is_some()),
            largest_block: endpoint.largest_block(connection),
            whole_limit: endpoint.whole_limit(connection),
            max_age: max_age.unwrap_or(parameters.max_age),
            block1: None,
            purpose: Purpose::Block(self.message),
        };
        let Some(mut answer) = body.answer(delivery) else {
            let none = Answer::bare(Code::BAD_REQUEST, Purpose::Acknowledgement(None));
            return endpoint.respond(cx, connection, request, &none);
        };
        let end = block.map_or(0, Block::offset) + answer.payload.len();
        let is_last = end == body.body.len();
        answer.purpose = match () {
            () if end <= self.bytes => Purpose::Repetition(self.message),
            () if is_last => Purpose::Message(self.message),
            () => Purpose::Block(self.message),
        };
        if is_acknowledged {
            endpoint.respond_later(cx, connection, request, &answer);
        } else {
            endpoint.respond(cx, connection, request, &answer);
        }
        self.bytes = self.bytes.max(end);
        if is_last {
            self.body = None;
        }
    }
}
