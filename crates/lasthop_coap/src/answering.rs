use lasthop_contract::{
    ApplicationOutput, ConnectionId, LookupMap, MessageId, OutgoingMessage, Received,
};

use crate::CoapRequest;
use crate::block::Block;
use crate::codec::{Code, Message, MessageType};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint};
use crate::inbox::{asked_by, question};
use crate::representation::{Delivery, Representation};

/// Answers questions for the user's messages: GETs whose token names the message.
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
}

#[derive(Debug)]
struct Given {
    message: MessageId,
    /// How many bytes of the body have been given out.
    bytes: usize,
    /// The body, until its last block has been given out.
    body: Option<Representation>,
}

/// The question for a message.
pub(crate) fn ask(kind: MessageType, path: &str) -> CoapRequest {
    CoapRequest::new(kind, Code::GET, path)
}

impl Answering {
    /// Takes a question: it is answered, or handed up. Of what is no question this end knows nothing.
    pub(crate) fn take(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        request: &Message,
    ) {
        let Some(message) = asked_by(request.content.token) else {
            let answer = Answer::bare(Code::NOT_FOUND, Purpose::Acknowledgement(None));
            return endpoint.respond(cx, connection, request, &answer);
        };
        let given = self.given.get_mut(&connection);
        if let Some(given) = given.filter(|given| given.message == message && given.body.is_some())
        {
            return given.answer(endpoint, cx, connection, request);
        }
        self.waiting.push(Waiting {
            message,
            connection,
            request: request.clone(),
        });
        cx.outputs.push(ApplicationOutput::Received(Received {
            connection,
            payload: question(message),
        }));
    }

    /// Gives an answer to those who wait for it; whether anybody does.
    pub(crate) fn give(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        answer: OutgoingMessage<'_>,
    ) -> bool {
        let (answered, waiting) = core::mem::take(&mut self.waiting)
            .into_iter()
            .partition::<Vec<_>, _>(|waiting| waiting.message == answer.id);
        self.waiting = waiting;
        for waiting in &answered {
            let given = self.given.get_or_insert_with(waiting.connection, || Given {
                message: answer.id,
                bytes: 0,
                body: None,
            });
            if given.message != answer.id {
                (given.message, given.bytes) = (answer.id, 0);
            }
            // Its entity tag is its number.
            let mut body = Representation::after(answer.id.number.get() - 1);
            body.set(answer.payload.into(), None);
            given.body = Some(body);
            given.answer(endpoint, cx, waiting.connection, &waiting.request);
        }
        !answered.is_empty()
    }

    /// A connection is gone.
    pub(crate) fn forget(&mut self, connection: ConnectionId) {
        self.waiting
            .retain(|waiting| waiting.connection != connection);
        self.given.remove(&connection);
    }
}

impl Given {
    /// Gives out the block that is wanted, or all of it.
    fn answer(
        &mut self,
        endpoint: &mut Endpoint,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        request: &Message,
    ) {
        let Some(body) = &self.body else { return };
        let block = request.content.facts.block2;
        let parameters = &endpoint.parameters;
        let delivery = Delivery {
            block,
            is_observed: false,
            is_tagged: false,
            largest_block: endpoint.largest_block(connection),
            whole_limit: endpoint.whole_limit(connection),
            max_age: parameters.max_age,
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
        endpoint.respond(cx, connection, request, &answer);
        self.bytes = self.bytes.max(end);
        if is_last {
            self.body = None;
        }
    }
}
