use std::sync::Arc;

use lasthop_contract::{ConnectionId, FailureReason, MessageId};

use super::pending::Phase;
use super::transfers::{Turn, Way};
use super::{Endpoint, Pending, Role};
use crate::codec::{Code, MessageType, Token};
use crate::context::{Context, Purpose};
use crate::inbox::token_of;
use crate::message_layer::{Draft, Owner, Settled};
use crate::{CoapRequest, RequestEvent, RequestId};

/// A message of the user's that fits one block, ready to leave.
#[derive(Clone, Copy)]
pub(crate) struct Parcel<'a> {
    pub(crate) id: MessageId,
    pub(crate) kind: MessageType,
    pub(crate) code: Code,
    /// Encoded.
    pub(crate) options: &'a [u8],
    pub(crate) payload: &'a [u8],
    /// Whether a response is to come.
    pub(crate) is_answered: bool,
}

impl Endpoint {
    /// Sends one of the user's messages in a request of one block. Nothing is kept of it here.
    #[inline]
    pub(crate) fn send_parcel(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        parcel: &Parcel<'_>,
    ) {
        let token = self.new_token(connection);
        let draft = Draft {
            code: parcel.code,
            token,
            options: parcel.options,
            payload: parcel.payload,
            purpose: Purpose::Message(parcel.id),
        };
        let owner = if parcel.is_answered {
            Owner::Request(token)
        } else {
            Owner::UnansweredRequest
        };
        if let Err(reason) = self.layer.send(cx, connection, parcel.kind, &draft, owner) {
            cx.fail(parcel.id, reason);
        }
        self.settle(cx);
    }

    /// Sends a request, block by block where its body is large.
    pub(crate) fn request(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        request: CoapRequest,
        role: Role,
    ) -> RequestId {
        let token = self.new_token(connection);
        let id = RequestId { connection, token };
        let uploads = self.keep(id, request, role).uploads();
        if uploads {
            self.transfer(cx, id, Way::Upload);
        } else {
            self.send_request(cx, id);
        }
        self.settle(cx);
        id
    }

    /// Asks for one of the user's messages. The token names it, so that the other end knows which one is meant.
    pub(crate) fn ask(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: MessageId,
        request: CoapRequest,
    ) {
        let id = self.begin(connection, message, request);
        self.send_request(cx, id);
        self.settle(cx);
    }

    /// Asks for a file, when those have come that were asked for before.
    pub(crate) fn ask_in_turn(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: MessageId,
        request: CoapRequest,
    ) {
        let id = self.begin(connection, message, request);
        self.transfer(cx, id, Way::Download);
        self.settle(cx);
    }

    fn begin(
        &mut self,
        connection: ConnectionId,
        message: MessageId,
        request: CoapRequest,
    ) -> RequestId {
        let token = token_of(message);
        let id = RequestId { connection, token };
        self.keep(id, request, Role::Question(message));
        id
    }

    fn keep(&mut self, id: RequestId, request: CoapRequest, role: Role) -> &Pending {
        let to = id.connection;
        let sizes = (self.largest_block(to), self.whole_limit(to));
        let pending = Box::new(Pending::new(id, Arc::new(request), role, sizes));
        let all = &mut self.exchanges().pending;
        all.insert(id, pending);
        &all[&id]
    }

    /// Registers once more what is observed already, by the same token (RFC 7641 section 3.3.1).
    pub(crate) fn register_again(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let pending = self.pending_mut(id);
        if let Some(pending) = pending.filter(|pending| pending.observation.is_some()) {
            pending.is_asked_again = true;
            self.send_request(cx, id);
            self.settle(cx);
        }
    }

    /// Asks the server to send no more notifications (RFC 7641 section 3.6).
    pub(crate) fn cancel(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if let Some(pending) = self.pending_mut(id) {
            pending.phase = Phase::Cancelling;
            pending.observation = None;
            pending.download = None;
            pending.role = Role::SessionTearDown;
            let transfer = pending.transfer.take();
            self.exchanges().end_transfer(id, transfer);
            self.send_request(cx, id);
            self.settle(cx);
        }
    }

    /// Forgets a request: what still comes of it is rejected, which ends an observation, too.
    pub(crate) fn forget(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.end(id);
        self.settle(cx);
    }

    /// What a message that was given up or rejected means for its request.
    pub(super) fn fail_request(
        &mut self,
        cx: &mut Context<'_>,
        key: RequestId,
        settled: &Settled,
        reason: FailureReason,
    ) {
        if let Some(id) = settled.purpose.carried() {
            cx.fail(id, reason);
        }
        let Some(pending) = self.end(key) else {
            return;
        };
        // What becomes of messages is announced; the next notification brings what one lacks.
        if !matches!(pending.role, Role::Message(_) | Role::Question(_))
            && !matches!(pending.phase, Phase::Fetching(_))
        {
            let request = pending.id;
            self.events
                .push(Box::new(RequestEvent::Failed { request, reason }));
        }
    }

    pub(super) fn end_acknowledged(&mut self, key: RequestId) -> bool {
        let ended = self
            .exchanges
            .as_mut()
            .is_some_and(|exchanges| exchanges.end_acknowledged(key));
        if ended {
            self.tidy();
        }
        ended
    }

    pub(super) fn end(&mut self, key: RequestId) -> Option<Box<Pending>> {
        let pending = self.exchanges.as_mut()?.end(key);
        self.tidy();
        pending
    }

    /// A token that no request to the peer uses (RFC 7252 section 5.3.1).
    #[inline]
    pub(super) fn new_token(&mut self, connection: ConnectionId) -> Token {
        let length = self.parameters.token_length;
        loop {
            let token = Token::from_bits(self.layer.random().next_u64(), length);
            let key = RequestId { connection, token };
            let is_taken = self.pending(key).is_some();
            // Short tokens may all be taken; then one means the newest request.
            if !is_taken || length < 2 {
                return token;
            }
        }
    }

    /// Sends the next block of a transfer, when its turn at the resource has come.
    pub(super) fn transfer(&mut self, cx: &mut Context<'_>, key: RequestId, way: Way) {
        let max_waiting = self.parameters.max_waiting;
        match self.exchanges().begin_transfer(key, way, max_waiting) {
            Turn::Now => self.send_request(cx, key),
            Turn::Later => {}
            Turn::Never => self.fail_pending(cx, key, FailureReason::QueueFull),
        }
    }

    /// Sends the message that is next for a request: itself, or a block of it or of its response.
    pub(super) fn send_request(&mut self, cx: &mut Context<'_>, key: RequestId) {
        let exchanges = self.exchanges.as_ref();
        let Some(pending) = exchanges.and_then(|exchanges| exchanges.pending.get(&key)) else {
            return;
        };
        let next = pending.next_message(self.parameters.block_size);
        let draft = Draft {
            code: pending.request.code,
            token: key.token,
            options: next.options.as_bytes(),
            payload: next.payload,
            purpose: pending.purpose(next.is_last),
        };
        let kind = pending.request.kind;
        let is_question = matches!(pending.role, Role::Question(_));
        // A question that is lost keeps nothing back that has no need of its answer.
        let waits_aside = is_question
            && kind == MessageType::NonConfirmable
            && pending.transfer.is_none()
            && self.is_over_datagrams();
        let owner = if waits_aside {
            Owner::UnansweredRequest
        } else if pending.transfer.is_some() {
            Owner::Block(key.token)
        } else {
            Owner::Request(key.token)
        };
        if let Err(reason) = self.layer.send(cx, key.connection, kind, &draft, owner) {
            let purpose = draft.purpose;
            self.fail_request(cx, key, &Settled { owner, purpose }, reason);
        } else if waits_aside {
            let deadline = cx.now + self.parameters.non_lifetime();
            self.exchanges().wait(key, deadline);
        }
    }
}
