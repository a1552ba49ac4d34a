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

/// An application message that fits a single block.
#[derive(Clone, Copy)]
pub(crate) struct Parcel<'a> {
    pub(crate) id: MessageId,
    pub(crate) kind: MessageType,
    pub(crate) code: Code,
    /// The encoded options.
    pub(crate) options: &'a [u8],
    pub(crate) payload: &'a [u8],
    /// Whether a response is expected.
    pub(crate) is_answered: bool,
}

impl Endpoint {
    /// Sends an application message in a request of one block, without keeping state for it.
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

    /// Sends a request. A large body is sent in blocks.
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

    /// Requests an application message. The token identifies the message to the other end.
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

    /// Requests a file after the previously requested files have arrived.
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

    /// Registers an active observation again with the same token (RFC 7641 section 3.3.1).
    pub(crate) fn register_again(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let pending = self.pending_mut(id);
        if let Some(pending) = pending.filter(|pending| pending.observation.is_some()) {
            pending.is_asked_again = true;
            self.send_request(cx, id);
            self.settle(cx);
        }
    }

    /// Cancels an observation (RFC 7641 section 3.6).
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

    /// Drops a request. Later responses are rejected, which also ends an observation.
    pub(crate) fn forget(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.end(id);
        self.settle(cx);
    }

    /// Processes the failure of a request whose message timed out or was rejected.
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

    /// Returns a token that no request to the peer uses (RFC 7252 section 5.3.1).
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

    /// Sends the next block of a transfer, once no earlier transfer of the resource is running.
    pub(super) fn transfer(&mut self, cx: &mut Context<'_>, key: RequestId, way: Way) {
        let max_waiting = self.parameters.max_waiting;
        match self.exchanges().begin_transfer(key, way, max_waiting) {
            Turn::Now => self.send_request(cx, key),
            Turn::Later => {}
            Turn::Never => self.fail_pending(cx, key, FailureReason::QueueFull),
        }
    }

    /// Sends the next message of a request: the request itself, or one for a block.
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
