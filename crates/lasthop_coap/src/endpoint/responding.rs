use lasthop_contract::{ConnectionId, FailureReason, MessageId, Payload};

use super::uploads::Collected;
use super::{Endpoint, Timer};
use crate::block::Block;
use crate::codec::{Code, Message, MessageType, OptionWriter, Token, option_number};
use crate::context::{Context, Purpose};
use crate::message_layer::{Draft, Owner};

/// A response to send.
#[derive(Clone, Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) code: Code,
    pub(crate) options: OptionWriter,
    pub(crate) payload: &'a [u8],
    pub(crate) purpose: Purpose,
}

impl Answer<'_> {
    /// Returns the size as a datagram: header, token, options, marker and payload.
    pub(crate) fn size(&self, to: &Message) -> usize {
        let marker = usize::from(!self.payload.is_empty());
        4 + to.content.token.length() + self.options.as_bytes().len() + marker + self.payload.len()
    }

    /// Creates a response with only a code.
    pub(crate) fn bare(code: Code, purpose: Purpose) -> Self {
        Self {
            code,
            options: OptionWriter::new(),
            payload: &[],
            purpose,
        }
    }
}

impl Endpoint {
    /// Responds to a request, unless the client does not want this class of response (RFC 7967 section 2).
    pub(crate) fn respond(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        answer: &Answer<'_>,
    ) {
        let separately = self.parameters.separate_responses;
        self.respond_in(cx, connection, to, answer, separately);
    }

    /// Responds to a request, either piggybacked or separately (RFC 7252 section 5.2).
    pub(crate) fn respond_in(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        answer: &Answer<'_>,
        separately: bool,
    ) {
        if !to.content.facts.wants(answer.code) {
            return self.layer.acknowledge(cx, connection, to, None);
        }
        let draft = Draft {
            code: answer.code,
            token: to.content.token,
            options: answer.options.as_bytes(),
            payload: answer.payload,
            purpose: answer.purpose,
        };
        if separately && to.kind == MessageType::Confirmable {
            self.layer.acknowledge(cx, connection, to, None);
            // A response that finds no room is lost, as if the network had lost it.
            let _ = self.layer.send(
                cx,
                connection,
                MessageType::Confirmable,
                &draft,
                Owner::Response,
            );
        } else {
            let is_repeatable = to.content.code == Code::GET;
            self.layer
                .respond(cx, connection, to, &draft, is_repeatable, &mut self.tally);
        }
        self.settle(cx);
    }

    /// Acknowledges a request whose response will be sent separately (RFC 7252 section 5.2.2).
    pub(crate) fn ack_and_defer(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
    ) {
        self.layer.acknowledge(cx, connection, to, None);
    }

    /// Responds to a request whose response was deferred.
    pub(crate) fn respond_later(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        answer: &Answer<'_>,
    ) {
        if !self.is_over_datagrams() || to.kind != MessageType::Confirmable {
            return self.respond_in(cx, connection, to, answer, false);
        }
        if !to.content.facts.wants(answer.code) {
            return;
        }
        let draft = Draft {
            code: answer.code,
            token: to.content.token,
            options: answer.options.as_bytes(),
            payload: answer.payload,
            purpose: answer.purpose,
        };
        let kind = MessageType::Confirmable;
        // A response that finds no room is lost, as if the network had lost it.
        let _ = self
            .layer
            .send(cx, connection, kind, &draft, Owner::Response);
        self.settle(cx);
    }

    /// Rejects a request that no server in lasthop supports. Returns whether it was rejected.
    pub(crate) fn refuse_impossible(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
    ) -> bool {
        let facts = &to.content.facts;
        let code = if facts.is_for_proxy {
            Code::PROXYING_NOT_SUPPORTED
        } else if facts.bad_option.is_some() {
            Code::BAD_OPTION
        } else if self.is_reserved(facts) {
            Code::BAD_REQUEST
        } else {
            return false;
        };
        self.tally.count().bad_options += 1;
        if to.kind == MessageType::NonConfirmable && code == Code::BAD_OPTION {
            // RFC 7252 section 5.4.1: such a request is rejected.
            self.layer.reject(cx, connection, to, &mut self.tally);
        } else {
            let answer = Answer::bare(code, Purpose::Acknowledgement(None));
            self.respond(cx, connection, to, &answer);
        }
        true
    }

    /// Processes a block of a request body. Unless the body is complete, a response is sent.
    pub(crate) fn collect(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        request: &Message,
        datagram: &Payload,
        block: Block,
    ) -> Option<Vec<u8>> {
        let key = upload_key(request, datagram);
        let payload = &datagram[request.content.payload()];
        let bound = self.parameters.max_body_size;
        let lifetime = self.parameters.exchange_lifetime();
        let exchanges = self.exchanges();
        if !exchanges.awaits_uploads {
            exchanges.awaits_uploads = true;
            exchanges.timers.arm(cx.now + lifetime, Timer::Uploads);
        }
        let collected = exchanges
            .uploads
            .add(cx.now, connection, &key, block, payload, bound);
        let code = match collected {
            Collected::Whole(body) => return Some(body),
            Collected::Continue => Code::CONTINUE,
            Collected::Incomplete => {
                self.tally.count().incomplete += 1;
                Code::REQUEST_ENTITY_INCOMPLETE
            }
            Collected::TooLarge => {
                self.tally.count().too_large += 1;
                Code::REQUEST_ENTITY_TOO_LARGE
            }
        };
        let message = message_of(payload);
        let mut answer = Answer::bare(code, Purpose::Acknowledgement(message));
        self.add_block1(&mut answer, block);
        self.respond(cx, connection, request, &answer);
        None
    }

    /// Adds the Block1 option to a response: the acknowledged block and the preferred size (RFC 7959 section 2.3).
    pub(crate) fn add_block1(&self, answer: &mut Answer<'_>, block: Block) {
        let echoed = self.echo_of(block, answer.code);
        answer
            .options
            .add_number(option_number::BLOCK1, echoed.to_bits());
    }

    /// Returns the Block1 value of a response with this code to a block of the request.
    pub(crate) fn echo_of(&self, block: Block, code: Code) -> Block {
        Block {
            more: block.more && code == Code::CONTINUE,
            size: block.size.min(self.parameters.block_size),
            is_bert: block.is_bert && self.parameters.block_size == block.size,
            ..block
        }
    }

    /// Sends a notification of an observation (RFC 7641 section 4.2).
    pub(crate) fn notify(
        &mut self,
        cx: &mut Context<'_>,
        (connection, token): (ConnectionId, Token),
        kind: MessageType,
        answer: &Answer<'_>,
    ) -> Result<(), FailureReason> {
        let draft = Draft {
            code: answer.code,
            token,
            options: answer.options.as_bytes(),
            payload: answer.payload,
            purpose: answer.purpose,
        };
        let sent = self
            .layer
            .send(cx, connection, kind, &draft, Owner::Notification(token));
        self.settle(cx);
        sent
    }
}

/// Blocks with the same key belong to the same body: method, path and query (RFC 7959 section 2.5).
fn upload_key(request: &Message, datagram: &[u8]) -> Vec<u8> {
    let mut key = vec![request.content.code.0];
    for (number, value) in request.content.options(datagram) {
        if matches!(number, option_number::URI_PATH | option_number::URI_QUERY) {
            key.push(number as u8);
            key.extend_from_slice(&(value.len() as u16).to_be_bytes());
            key.extend_from_slice(value);
        }
    }
    key
}

fn message_of(payload: &[u8]) -> Option<MessageId> {
    lasthop_contract::message_text::message_id(payload)
}
