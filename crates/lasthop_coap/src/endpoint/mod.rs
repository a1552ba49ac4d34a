//! Requests and responses of one endpoint, over datagrams or streams (RFC 7252 section 5).

mod exchanges;
mod pending;
mod receive;
mod requesting;
mod responding;
mod transfers;
mod uploads;

use std::sync::Arc;

use lasthop_cache::ResourceIds;
use lasthop_contract::{
    Awaited, ConnectionId, FailureReason, Payload, RandomStream, ShortQueue, StreamId,
};
use lasthop_units::Instant;

use crate::carrier::CarrierLayer;
use crate::codec::{Message, Token};
use crate::context::Context;
use crate::counters::Tally;
use crate::facts::Facts;
use crate::message_layer::{Arrival, Gone, Owner};
use crate::{BlockSize, Carrier, CoapParameters, RequestEvent, RequestId};
use exchanges::{Exchanges, Timer};
use pending::Pending;

pub(crate) use pending::Role;
pub(crate) use receive::DEFAULT_MAX_AGE;
pub(crate) use requesting::Parcel;
pub(crate) use responding::Answer;

/// A CoAP endpoint with any number of exchanges. It can be client and server at the same time.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) parameters: Arc<CoapParameters>,
    pub(crate) tally: Tally,
    /// The names of the resources for the endpoint's own messages, if configured.
    pub(crate) resource_ids: Option<Box<ResourceIds>>,
    layer: CarrierLayer,
    exchanges: Option<Box<Exchanges>>,
    events: ShortQueue<Box<RequestEvent>>,
    ended: Vec<(ConnectionId, Token)>,
}

impl Endpoint {
    pub(crate) fn new(
        carrier: Carrier,
        parameters: Arc<CoapParameters>,
        stream: RandomStream,
    ) -> Self {
        Self {
            layer: CarrierLayer::new(carrier, &parameters, stream),
            parameters,
            tally: Tally::default(),
            resource_ids: None,
            exchanges: None,
            events: ShortQueue::new(),
            ended: Vec::new(),
        }
    }

    /// Declares to the radio that peers only send responses from now on, so that it need not wait for more.
    pub(crate) const fn hear_answers_only(&mut self) {
        self.layer.hear_answers_only();
    }

    /// Returns the next request of a connection. Other received messages are processed first.
    #[inline]
    pub(crate) fn next_request(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
    ) -> Option<(Message, Payload)> {
        while let Some((arrival, datagram)) =
            self.layer.next_arrival(cx, connection, &mut self.tally)
        {
            match arrival {
                Arrival::Request(message) => return Some((message, datagram)),
                Arrival::Response(message) => {
                    self.take_response(cx, connection, &message, datagram, None);
                }
                Arrival::Acknowledged(settled, message) => {
                    self.acknowledged(cx, connection, settled, &message, datagram);
                }
                Arrival::Rejected(settled) => self.settle_gone(
                    cx,
                    Gone {
                        connection,
                        settled,
                        reason: FailureReason::Rejected,
                    },
                ),
                Arrival::Nothing => {}
            }
            self.settle(cx);
        }
        None
    }

    /// Processes all expired timers.
    pub(crate) fn timeout(&mut self, cx: &mut Context<'_>) {
        self.layer.timeout(cx, &mut self.tally);
        self.settle(cx);
        while let Some(timer) = self
            .exchanges
            .as_mut()
            .and_then(|exchanges| exchanges.timers.pop_due(cx.now))
        {
            match timer {
                Timer::Request(id) => self.request_is_due(cx, id),
                Timer::Uploads => self.forget_uploads(cx.now),
            }
        }
        self.settle(cx);
        self.tidy();
    }

    #[inline]
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let below = self.layer.next_deadline();
        match &self.exchanges {
            None => below,
            Some(exchanges) => [below, exchanges.timers.next_deadline()]
                .into_iter()
                .flatten()
                .min(),
        }
    }

    /// Returns when expired state can be dropped. A server need not wake for it, because it drops such state at the
    /// next received message.
    #[inline]
    pub(crate) fn forget_deadline(&self) -> Option<Instant> {
        self.layer.forget_deadline()
    }

    /// Whether there are events of requests, observations or connections to take.
    #[inline]
    pub(crate) fn has_news(&mut self) -> bool {
        !self.events.is_empty()
            || !self.ended.is_empty()
            || self.layer.has_forgotten()
            || self
                .layer
                .streams()
                .is_some_and(|streams| streams.has_opened())
    }

    /// Returns the next outcome of a request by this endpoint.
    pub(crate) fn next_event(&mut self) -> Option<RequestEvent> {
        self.events.pop().map(|event| *event)
    }

    /// Returns the next peer whose state was dropped.
    pub(crate) fn next_forgotten(&mut self) -> Option<ConnectionId> {
        self.layer.next_forgotten()
    }

    /// Returns the observations that peers have cancelled since the last call.
    pub(crate) fn take_ended_observations(&mut self) -> Vec<(ConnectionId, Token)> {
        core::mem::take(&mut self.ended)
    }

    /// Whether no exchange with a peer is in progress.
    pub(crate) fn is_idle(&self, connection: ConnectionId) -> bool {
        let exchanges = self.exchanges.as_ref();
        self.layer.is_idle(connection)
            && exchanges.is_none_or(|e| e.of_connection(connection).next().is_none())
    }

    /// Returns which requested messages a peer still has to send. Single notifications do not count.
    pub(crate) fn awaits(&self, connection: ConnectionId) -> Awaited {
        match self.layer.awaits(connection) {
            Awaited::Nothing => {
                let exchanges = self.exchanges.as_ref();
                Awaited::nothing_if(exchanges.is_none_or(|it| it.are_answered(connection)))
            }
            awaited => awaited,
        }
    }

    /// Handles a new connection. `stream` carries its messages if the carrier is streams.
    pub(crate) fn opened(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        stream: Option<StreamId>,
    ) {
        if let (Some(streams), Some(stream)) = (self.layer.streams(), stream) {
            streams.begin(cx, connection, stream);
        }
    }

    /// Creates an endpoint with the same configuration and no state, after a restart of the host.
    pub(crate) fn anew(&mut self, carrier: Carrier) -> Self {
        let stream = RandomStream::named(self.layer.random().next_u64(), "restart");
        Self::new(carrier, Arc::clone(&self.parameters), stream)
    }

    /// Returns the next connection whose settings were exchanged.
    pub(crate) fn next_usable(&mut self) -> Option<ConnectionId> {
        self.layer.streams()?.next_opened()
    }

    /// Handles a connection that accepts bytes again.
    pub(crate) fn writable(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        if let Some(streams) = self.layer.streams() {
            streams.writable(cx, connection);
        }
    }

    /// Releases a stream connection in order. Datagrams have no connection to release.
    pub(crate) fn release(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        if let Some(streams) = self.layer.streams() {
            streams.release(cx, connection);
        }
    }

    /// Returns the largest body that fits a single message.
    pub(crate) fn whole_limit(&self, connection: ConnectionId) -> usize {
        self.layer.whole_limit(connection, &self.parameters)
    }

    /// Returns the largest block size for a peer.
    pub(crate) fn largest_block(&self, connection: ConnectionId) -> BlockSize {
        self.layer.largest_block(connection, &self.parameters)
    }

    /// Whether a message has a block size that is reserved on datagrams (RFC 7959 section 2.2).
    pub(crate) fn is_reserved(&self, facts: &Facts) -> bool {
        self.is_over_datagrams() && facts.is_bert()
    }

    /// Whether messages are sent in datagrams, which can be lost.
    pub(crate) const fn is_over_datagrams(&self) -> bool {
        matches!(self.layer, CarrierLayer::Datagrams(_))
    }

    /// Handles a closed connection and drops its exchanges.
    pub(crate) fn closed(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        if let Some(exchanges) = &mut self.exchanges {
            exchanges.uploads.forget(connection);
            exchanges.transfers.forget(connection);
        }
        self.layer.forget_peer(connection);
        self.settle(cx);
        let Some(exchanges) = &self.exchanges else {
            return;
        };
        let left: Vec<RequestId> = exchanges.of_connection(connection).collect();
        for key in left {
            self.fail_pending(cx, key, FailureReason::ConnectionLost);
        }
    }

    /// Tells what was given up, and begins the transfers whose turn has come.
    #[inline]
    fn settle(&mut self, cx: &mut Context<'_>) {
        if self.layer.has_gone() || self.exchanges.is_some() {
            self.settle_all(cx);
        }
    }

    fn settle_all(&mut self, cx: &mut Context<'_>) {
        loop {
            while let Some(gone) = self.layer.next_gone() {
                self.settle_gone(cx, gone);
            }
            let exchanges = self.exchanges.as_mut();
            let Some(key) = exchanges.and_then(|exchanges| exchanges.ready.pop_front()) else {
                return;
            };
            self.send_request(cx, key);
        }
    }

    /// Tells those who wait for it that a message was given up or rejected.
    fn settle_gone(&mut self, cx: &mut Context<'_>, gone: Gone) {
        let Gone {
            connection,
            settled,
            reason,
        } = gone;
        match settled.owner {
            Owner::Request(token) | Owner::Block(token) => {
                self.fail_request(cx, RequestId { connection, token }, &settled, reason);
            }
            Owner::Notification(token) => {
                // RFC 7641 section 4.5: who rejects or does not acknowledge is no longer interested.
                self.ended.push((connection, token));
                if let Some(id) = settled.purpose.carried() {
                    cx.fail(id, reason);
                }
            }
            Owner::UnansweredRequest | Owner::Response => {
                if let Some(id) = settled.purpose.carried() {
                    cx.fail(id, reason);
                }
            }
        }
    }

    fn forget_uploads(&mut self, now: Instant) {
        let lifetime = self.parameters.exchange_lifetime();
        let exchanges = self.exchanges();
        exchanges.awaits_uploads = exchanges.uploads.forget_old(now, lifetime);
        if exchanges.awaits_uploads {
            exchanges.timers.arm(now + lifetime, Timer::Uploads);
        }
    }

    fn exchanges(&mut self) -> &mut Exchanges {
        self.exchanges.get_or_insert_default()
    }

    fn pending(&self, key: RequestId) -> Option<&Pending> {
        let pending = self.exchanges.as_ref()?.pending.get(&key)?;
        Some(pending)
    }

    fn pending_mut(&mut self, key: RequestId) -> Option<&mut Pending> {
        let pending = self.exchanges.as_mut()?.pending.get_mut(&key)?;
        Some(pending)
    }

    /// Gives the memory back when no exchange is left.
    fn tidy(&mut self) {
        if self
            .exchanges
            .as_ref()
            .is_some_and(|exchanges| exchanges.is_empty())
        {
            self.exchanges = None;
        }
    }
}
