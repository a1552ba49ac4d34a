use std::sync::Arc;

use lasthop_contract::{Awaited, ConnectionId, FailureReason, MessageId, Payload, RandomStream};
use lasthop_units::Instant;

use crate::codec::{Message, MessageType};
use crate::context::Context;
use crate::counters::Tally;
use crate::message_layer::{Arrival, Draft, Gone, MessageLayer, Owner, Settled};
use crate::stream_layer::StreamLayer;
use crate::{BlockSize, Carrier, CoapParameters};

/// The layer below requests and responses: datagrams or streams.
#[derive(Debug)]
pub(crate) enum CarrierLayer {
    Datagrams(MessageLayer),
    Streams(StreamLayer),
}

impl CarrierLayer {
    pub(crate) fn new(
        carrier: Carrier,
        parameters: &Arc<CoapParameters>,
        stream: RandomStream,
    ) -> Self {
        let parameters = Arc::clone(parameters);
        match carrier {
            Carrier::Datagrams => Self::Datagrams(MessageLayer::new(parameters, stream)),
            Carrier::Streams => Self::Streams(StreamLayer::new(parameters, stream)),
        }
    }

    /// Declares to the radio that peers only send responses from now on. A stream cannot declare this, because the
    /// transport sends acknowledgements.
    pub(crate) const fn hear_answers_only(&mut self) {
        if let Self::Datagrams(layer) = self {
            layer.hear_answers_only();
        }
    }

    /// Returns the random stream for tokens and timeouts.
    #[inline]
    pub(crate) const fn random(&mut self) -> &mut RandomStream {
        match self {
            Self::Datagrams(layer) => layer.random(),
            Self::Streams(layer) => layer.random(),
        }
    }

    #[inline]
    pub(crate) fn send(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        kind: MessageType,
        draft: &Draft<'_>,
        owner: Owner,
    ) -> Result<(), FailureReason> {
        match self {
            Self::Datagrams(layer) => layer.send(cx, connection, kind, draft, owner),
            Self::Streams(layer) => layer.send(cx, connection, draft, owner),
        }
    }

    /// Returns the next received message of a connection.
    #[inline]
    pub(crate) fn next_arrival(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        tally: &mut Tally,
    ) -> Option<(Arrival, Payload)> {
        match self {
            Self::Datagrams(layer) => {
                let datagram = cx.transport.receive_datagram(connection)?;
                let arrival = layer.receive(cx, connection, &datagram, tally);
                Some((arrival, datagram))
            }
            Self::Streams(layer) => layer.next_arrival(cx, connection, tally),
        }
    }

    pub(crate) fn respond(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        draft: &Draft<'_>,
        is_repeatable: bool,
        tally: &mut Tally,
    ) {
        match self {
            Self::Datagrams(layer) => layer.respond(cx, connection, to, draft, is_repeatable),
            Self::Streams(layer) => layer.respond(cx, connection, draft, tally),
        }
    }

    /// Acknowledges a message. A stream does this by itself.
    pub(crate) fn acknowledge(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        message: Option<MessageId>,
    ) {
        if let Self::Datagrams(layer) = self {
            layer.acknowledge(cx, connection, to, message);
        }
    }

    /// Rejects a message. On a stream the message is ignored.
    pub(crate) fn reject(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        to: &Message,
        tally: &mut Tally,
    ) {
        if let Self::Datagrams(layer) = self {
            layer.reject(cx, connection, to, tally);
        }
    }

    pub(crate) fn settle_request(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        response: &Message,
    ) -> Option<Settled> {
        match self {
            Self::Datagrams(layer) => layer.settle_request(cx, connection, response),
            Self::Streams(layer) => layer.settle_request(cx, connection, response.content.token),
        }
    }

    /// Starts queued messages in the `NSTART` slot that was reserved for the next block of an exchange. Streams have no
    /// such slots.
    #[inline]
    pub(crate) fn give_kept_place(&mut self, cx: &mut Context<'_>) {
        if let Self::Datagrams(layer) = self {
            layer.give_kept_place(cx);
        }
    }

    pub(crate) fn timeout(&mut self, cx: &mut Context<'_>, tally: &mut Tally) {
        match self {
            Self::Datagrams(layer) => layer.timeout(cx),
            Self::Streams(layer) => layer.timeout(cx, tally),
        }
    }

    #[inline]
    pub(crate) const fn has_gone(&self) -> bool {
        match self {
            Self::Datagrams(layer) => layer.has_gone(),
            Self::Streams(layer) => layer.has_gone(),
        }
    }

    pub(crate) fn next_gone(&mut self) -> Option<Gone> {
        match self {
            Self::Datagrams(layer) => layer.next_gone(),
            Self::Streams(layer) => layer.next_gone(),
        }
    }

    #[inline]
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        match self {
            Self::Datagrams(layer) => layer.next_deadline(),
            Self::Streams(layer) => layer.next_deadline(),
        }
    }

    /// Whether the state of a peer was dropped.
    #[inline]
    pub(crate) const fn has_forgotten(&self) -> bool {
        match self {
            Self::Datagrams(layer) => layer.has_forgotten(),
            Self::Streams(_) => false,
        }
    }

    /// Returns the next peer whose state was dropped. On streams the closed connection reports it.
    pub(crate) fn next_forgotten(&mut self) -> Option<ConnectionId> {
        match self {
            Self::Datagrams(layer) => layer.next_forgotten(),
            Self::Streams(_) => None,
        }
    }

    #[inline]
    pub(crate) fn forget_deadline(&self) -> Option<Instant> {
        match self {
            Self::Datagrams(layer) => layer.forget_deadline(),
            Self::Streams(_) => None,
        }
    }

    pub(crate) fn is_idle(&self, connection: ConnectionId) -> bool {
        match self {
            Self::Datagrams(layer) => layer.is_idle(connection),
            Self::Streams(layer) => layer.is_idle(connection),
        }
    }

    /// Returns which messages a peer still has to send for the exchanges in progress.
    pub(crate) fn awaits(&self, connection: ConnectionId) -> Awaited {
        match self {
            Self::Datagrams(layer) => layer.awaits(connection),
            Self::Streams(layer) => Awaited::nothing_if(layer.is_answered(connection)),
        }
    }

    pub(crate) fn forget_peer(&mut self, connection: ConnectionId) {
        match self {
            Self::Datagrams(layer) => layer.forget_peer(connection),
            Self::Streams(layer) => layer.forget_peer(connection),
        }
    }

    /// Returns the stream layer, if the carrier is streams.
    #[inline]
    pub(crate) fn streams(&mut self) -> Option<&mut StreamLayer> {
        match self {
            Self::Datagrams(_) => None,
            Self::Streams(layer) => Some(layer),
        }
    }

    /// Returns the largest body that fits a single message (RFC 7252 section 4.6, RFC 8323 section 5.3.1).
    pub(crate) fn whole_limit(
        &self,
        connection: ConnectionId,
        parameters: &CoapParameters,
    ) -> usize {
        match self {
            Self::Datagrams(_) => parameters.block_size.bytes(),
            Self::Streams(layer) => layer.whole_limit(connection),
        }
    }

    /// Returns the largest block size for a peer.
    pub(crate) fn largest_block(
        &self,
        connection: ConnectionId,
        parameters: &CoapParameters,
    ) -> BlockSize {
        match self {
            Self::Datagrams(_) => parameters.block_size,
            Self::Streams(layer) => {
                BlockSize::within(layer.whole_limit(connection)).min(parameters.block_size)
            }
        }
    }
}
