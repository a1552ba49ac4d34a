use lasthop_cache::{Freshness, Reply, renamed};
use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    ApplicationOutput, ConnectionId, FailureReason, MessageEvent, MessageId, Payload, Received,
};
use lasthop_units::{Duration, Instant};

use super::transfers::Way;
use super::{Endpoint, Role};
use crate::block::{Assembled, Block};
use crate::codec::{Code, Message, Token, number_of, option_number};
use crate::context::{Context, Purpose};
use crate::facts::Facts;
use crate::inbox::tag_of;
use crate::message_layer::{Owner, Settled};
use crate::observation::Observation;
use crate::{CoapResponse, RequestEvent, RequestId};

/// How long after the end of freshness an observer registers again, at the least and at the most: several that
/// lost the same notification are not to do so at once (RFC 7641 section 3.3.1).
const RENEWAL_DELAY: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(15)];

/// The Max-Age of a response without that option (RFC 7252 section 5.10.5).
pub(crate) const DEFAULT_MAX_AGE: u32 = 60;

impl Endpoint {
    /// Processes an acknowledgement, with or without a piggybacked response.
    pub(super) fn acknowledged(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        settled: Settled,
        message: &Message,
        datagram: Payload,
    ) {
        if message.content.code != Code::EMPTY {
            return self.take_response(cx, connection, message, datagram, Some(settled));
        }
        if let Purpose::Message(id) = settled.purpose {
            cx.announce(MessageEvent::Acknowledged { id });
        }
        // The response follows in a message of its own (RFC 7252 section 5.2.2).
        if let Some(token) = settled.owner.request() {
            let key = RequestId { connection, token };
            let deadline = cx.now + self.parameters.max_transmit_wait();
            self.exchanges().wait(key, deadline);
        }
    }

    /// Processes a response, either piggybacked or separate.
    pub(super) fn take_response(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: &Message,
        datagram: Payload,
        settled: Option<Settled>,
    ) {
        self.heed_response(cx, connection, message, datagram, settled);
        self.layer.give_kept_place(cx);
    }

    fn heed_response(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: &Message,
        datagram: Payload,
        settled: Option<Settled>,
    ) {
        let key = RequestId {
            connection,
            token: message.content.token,
        };
        let is_separate = settled.is_none();
        let facts = message.content.facts;
        let is_bad = facts.bad_option.is_some() || self.is_reserved(&facts);
        if is_separate && is_bad {
            // RFC 7252 section 5.4.1: a response that is not understood is rejected.
            self.tally.count().bad_options += 1;
            self.layer.reject(cx, connection, message, &mut self.tally);
            return;
        }
        let settled = settled.or_else(|| self.layer.settle_request(cx, connection, message));
        if let Some(settled) = settled.filter(|_| is_bad) {
            self.tally.count().bad_options += 1;
            return self.fail_request(cx, key, &settled, FailureReason::Rejected);
        }
        let was_acknowledged = self.end_acknowledged(key);
        let is_known = settled.is_some() || was_acknowledged || self.pending(key).is_some();
        if !is_known {
            self.tally.count().unmatched_responses += 1;
            self.layer.reject(cx, connection, message, &mut self.tally);
            return;
        }
        if is_separate {
            let id = message_id(&datagram[message.content.payload()]);
            self.layer.acknowledge(cx, connection, message, id);
        }
        if self.pending(key).is_some() {
            self.go_on(cx, key, message, datagram, is_separate);
        } else if let Some(Settled {
            purpose: Purpose::Message(id),
            ..
        }) = settled
        {
            answered(cx, id, message.content.code);
        }
    }

    /// Handles the timeout of a request: it fails, or an observation is registered again.
    pub(super) fn request_is_due(&mut self, cx: &mut Context<'_>, key: RequestId) {
        if self.end_acknowledged(key) {
            return;
        }
        let Some(pending) = self.pending_mut(key) else {
            return;
        };
        if pending.deadline.is_none_or(|at| at > cx.now) {
            return;
        }
        pending.deadline = None;
        if pending.observation.is_some() {
            return self.register_again(cx, key);
        }
        self.fail_pending(cx, key, FailureReason::NoAcknowledgement);
    }

    /// Fails a request that has no message in flight.
    pub(super) fn fail_pending(
        &mut self,
        cx: &mut Context<'_>,
        key: RequestId,
        reason: FailureReason,
    ) {
        if let Some(pending) = self.pending(key) {
            let settled = Settled {
                owner: Owner::Request(key.token),
                purpose: pending.purpose(true),
            };
            self.fail_request(cx, key, &settled, reason);
        }
    }

    /// Takes a response to a request that has not ended with its first message.
    fn go_on(
        &mut self,
        cx: &mut Context<'_>,
        key: RequestId,
        message: &Message,
        datagram: Payload,
        is_separate: bool,
    ) {
        self.exchanges().stop_waiting(key);
        let code = message.content.code;
        let Some(pending) = self.pending_mut(key) else {
            return;
        };
        let facts = message.content.facts;
        let echo = message.content.option(&datagram, option_number::ECHO);
        if let Some(echo) = echo.filter(|_| code == Code::UNAUTHORIZED && pending.echo.is_none()) {
            pending.echo = Some(echo.into());
            return self.send_request(cx, key);
        }
        if pending.take_upload_answer(code, facts.block1) {
            return self.transfer(cx, key, Way::Upload);
        }
        let max_age = message.content.option(&datagram, option_number::MAX_AGE);
        let max_age = max_age.and_then(number_of);
        let etag = message.content.option(&datagram, option_number::ETAG);
        pending.said = (max_age, etag.and_then(tag_of));
        // The resource has become so short that there is no such block any more.
        if code == Code::BAD_REQUEST && pending.start_anew() {
            return self.transfer(cx, key, Way::Download);
        }
        if let Some(sequence) = facts
            .observe
            .filter(|_| code.is_success() && pending.observes())
        {
            let is_asked_again = core::mem::take(&mut pending.is_asked_again);
            let is_newer = match &mut pending.observation {
                // What was asked for again need not have changed; and in the acknowledgement of that it is the answer.
                Some(observation) if is_asked_again => {
                    observation.take_answer(sequence, cx.now, is_separate)
                }
                Some(observation) => observation.take(sequence, cx.now),
                None => {
                    pending.observation = Some(Observation::begun_with(sequence, cx.now));
                    true
                }
            };
            self.wait_for_notification(cx.now, key, max_age);
            if !is_newer {
                self.tally.count().stale_notifications += 1;
                return;
            }
        }
        let payload = &datagram[message.content.payload()];
        let Some(block) = facts.block2.filter(|block| block.more || block.number > 0) else {
            let observe = facts.observe;
            let content_format = facts.content_format;
            let payload = datagram.narrowed(message.content.payload());
            return self.finish(cx, key, code, observe, content_format, payload);
        };
        let etag = message.content.option(&datagram, option_number::ETAG);
        let etag = etag.and_then(Token::new);
        self.take_block(cx, key, (&facts, block, etag), code, payload);
    }

    /// Takes a block of a response, and asks for the next.
    fn take_block(
        &mut self,
        cx: &mut Context<'_>,
        key: RequestId,
        (facts, block, etag): (&Facts, Block, Option<Token>),
        code: Code,
        payload: &[u8],
    ) {
        let bound = self.parameters.max_body_size;
        let Some(pending) = self.pending_mut(key) else {
            return;
        };
        if block.number == 0 && pending.observation.is_some() {
            let fetch = pending.fetch_notification(facts.observe.unwrap_or(0));
            let token = self.new_token(key.connection);
            let fetch_key = RequestId { token, ..key };
            self.exchanges().pending.insert(fetch_key, Box::new(fetch));
            return self.take_block(cx, fetch_key, (facts, block, etag), code, payload);
        }
        if pending.is_of_another_state(etag) && pending.start_anew() && block.number > 0 {
            return self.transfer(cx, key, Way::Download);
        }
        match pending.take_block(block, etag, payload, bound) {
            Assembled::Continue | Assembled::Repeated => self.transfer(cx, key, Way::Download),
            Assembled::Whole => {
                let body = pending
                    .download
                    .take()
                    .map(|download| download.assembly.into_bytes());
                let observe = pending.sequence();
                let payload = Payload::copied_from(&body.unwrap_or_default());
                self.finish(cx, key, code, observe, facts.content_format, payload);
            }
            failure => {
                let is_too_large = failure == Assembled::TooLarge;
                self.tally.count().too_large += u32::from(is_too_large);
                self.tally.count().incomplete += u32::from(!is_too_large);
                let reason = if is_too_large {
                    FailureReason::TooLarge
                } else {
                    FailureReason::Rejected
                };
                self.fail_pending(cx, key, reason);
            }
        }
    }

    /// Hands a response with its whole body up. A request that observes stays.
    fn finish(
        &mut self,
        cx: &mut Context<'_>,
        key: RequestId,
        code: Code,
        observe: Option<u32>,
        content_format: Option<u16>,
        payload: Payload,
    ) {
        let Some(pending) = self.pending(key) else {
            return;
        };
        let request = pending.id;
        if let Role::Message(id) | Role::Question(id) = pending.role {
            let is_question = matches!(pending.role, Role::Question(_));
            let (max_age, tag) = pending.said;
            let is_unchanged = code == Code::VALID;
            let named = self.resource_ids.as_ref().filter(|resource_ids| {
                is_question && code.is_success() && resource_ids.resource_of(id).is_some()
            });
            if let Some(resource_ids) = named {
                let lifetime = Duration::from_secs(max_age.unwrap_or(DEFAULT_MAX_AGE).into());
                let freshness = Freshness {
                    lifetime: Some(lifetime),
                    age: Duration::ZERO,
                    tag,
                };
                resource_ids.said(
                    cx.now,
                    id,
                    Reply {
                        freshness,
                        is_unchanged,
                        // Max-Age counts from when the answer leaves (RFC 7252 section 5.10.5).
                        counts_delay: false,
                    },
                );
            }
            let payload = match named {
                Some(_) => renamed(&payload, id),
                None => payload,
            };
            answered(cx, id, code);
            self.end(key);
            if is_question && code.is_success() && !is_unchanged {
                let connection = key.connection;
                cx.outputs.push(ApplicationOutput::Received(Received {
                    connection,
                    payload,
                }));
            }
            return;
        }
        let (max_age, tag) = pending.said;
        if observe.is_none() || pending.observation.is_none() {
            self.end(key);
        }
        self.events
            .push(Box::new(RequestEvent::Response(CoapResponse {
                request,
                code,
                payload,
                content_format,
                max_age,
                tag,
                observe,
            })));
    }

    /// Waits for the next notification until the last one is fresh no longer, and a little more.
    ///
    /// A stream loses none (RFC 8323 section 7.1).
    fn wait_for_notification(&mut self, now: Instant, key: RequestId, max_age: Option<u32>) {
        if !self.is_over_datagrams() {
            return;
        }
        let fresh = Duration::from_secs(max_age.unwrap_or(DEFAULT_MAX_AGE).into());
        let delay = self
            .layer
            .random()
            .uniform(RENEWAL_DELAY[0], RENEWAL_DELAY[1]);
        let deadline = now + fresh + delay;
        self.exchanges().wait(key, deadline);
    }
}

/// The response to a message of the user's: taken, or refused.
fn answered(cx: &mut Context<'_>, id: MessageId, code: Code) {
    if code.is_success() {
        cx.announce(MessageEvent::Acknowledged { id });
    } else {
        let reason = match code {
            Code::REQUEST_ENTITY_INCOMPLETE => FailureReason::Incomplete,
            Code::REQUEST_ENTITY_TOO_LARGE => FailureReason::TooLarge,
            _ => FailureReason::Rejected,
        };
        cx.fail(id, reason);
    }
}
