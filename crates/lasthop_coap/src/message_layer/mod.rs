//! The message layer for datagrams: retransmission, deduplication, and the limit on in-flight messages (RFC 7252
//! section 4).

mod id_space;
mod peer;
mod receiving;
mod seen;
mod sending;

use std::sync::Arc;

use lasthop_contract::{
    Awaited, ConnectionId, FailureReason, LookupMap, RandomStream, ShortQueue, TimerQueue,
};
use lasthop_units::{Duration, Instant};

use crate::CoapParameters;
use crate::codec::{Code, Message, Token};
use crate::context::{Context, Purpose};
use peer::Peer;

/// The message layer of an endpoint, for all its peers.
#[derive(Debug)]
pub(crate) struct MessageLayer {
    parameters: Arc<CoapParameters>,
    lifetimes: Lifetimes,
    stream: RandomStream,
    peers: LookupMap<ConnectionId, Box<Peer>>,
    timers: TimerQueue<Timer>,
    /// When to look at what was seen of a peer: all wait equally long, so they come in order.
    forgetting: ShortQueue<(Instant, ConnectionId)>,
    gone: ShortQueue<Box<Gone>>,
    /// Peers of which nothing is known any more.
    forgotten: ShortQueue<ConnectionId>,
    /// The exchange whose place is kept for its next block.
    kept: Option<(ConnectionId, Token)>,
    /// Peers send nothing but answers.
    hears_answers_only: bool,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) code: Code,
    pub(crate) token: Token,
    /// The encoded options.
    pub(crate) options: &'a [u8],
    pub(crate) payload: &'a [u8],
    pub(crate) purpose: Purpose,
}

/// The exchange of the upper layer that is notified of a message's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The request with this token, which expects a response.
    Request(Token),
    /// A block of the request with this token, or the request for a block of its response. A response is expected.
    Block(Token),
    /// A request that expects no response.
    UnansweredRequest,
    /// A notification of the observation with this token.
    Notification(Token),
    /// A separate response.
    Response,
}

/// The result of processing a received datagram.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// There is nothing for the layers above.
    Nothing,
    /// A request to be answered.
    Request(Message),
    /// A separate response, to be acknowledged or rejected.
    Response(Message),
    /// An acknowledgement, with a piggybacked response unless its code is empty.
    Acknowledged(Settled, Message),
    /// A reset of a message.
    Rejected(Settled),
}

/// A message that was acknowledged or rejected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled {
    pub(crate) owner: Owner,
    pub(crate) purpose: Purpose,
}

/// A message that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gone {
    pub(crate) connection: ConnectionId,
    pub(crate) settled: Settled,
    pub(crate) reason: FailureReason,
}

/// How long numbers mean what they mean.
#[derive(Clone, Copy, Debug)]
struct Lifetimes {
    confirmable: Duration,
    non_confirmable: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// The timeout of an in-flight message.
    Outstanding(ConnectionId, u16),
    /// The instant when a message ID can be reused.
    FreeId(ConnectionId),
}

impl MessageLayer {
    pub(crate) fn new(parameters: Arc<CoapParameters>, stream: RandomStream) -> Self {
        Self {
            lifetimes: Lifetimes {
                confirmable: parameters.exchange_lifetime(),
                non_confirmable: parameters.non_lifetime(),
            },
            parameters,
            stream,
            peers: LookupMap::new(),
            timers: TimerQueue::new(),
            forgetting: ShortQueue::new(),
            gone: ShortQueue::new(),
            forgotten: ShortQueue::new(),
            kept: None,
            hears_answers_only: false,
        }
    }

    /// Declares to the radio that peers only send responses from now on.
    pub(crate) const fn hear_answers_only(&mut self) {
        self.hears_answers_only = true;
    }

    pub(crate) const fn random(&mut self) -> &mut RandomStream {
        &mut self.stream
    }

    /// Ends the retransmission of a request whose response arrived separately (RFC 7252 section 5.2.2).
    pub(crate) fn settle_request(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        response: &Message,
    ) -> Option<Settled> {
        let token = Some(response.content.token);
        self.settle(cx, connection, response, |outstanding| {
            outstanding.owner.request() == token
        })
    }

    /// Starts queued messages in the `NSTART` slot that was reserved for the next block of an exchange, unless that
    /// block needs it.
    pub(crate) fn give_kept_place(&mut self, cx: &mut Context<'_>) {
        if let Some((connection, _)) = self.kept.take() {
            self.send_waiting(cx, connection);
        }
    }

    /// Processes expired timers: retransmits messages, or fails them.
    pub(crate) fn timeout(&mut self, cx: &mut Context<'_>) {
        while let Some(timer) = self.timers.pop_due(cx.now) {
            match timer {
                Timer::Outstanding(connection, id) => self.send_again(cx, connection, id),
                Timer::FreeId(connection) => {
                    self.peer(connection).ids.is_awaited = false;
                    self.send_waiting(cx, connection);
                }
            }
        }
        self.forget_old(cx.now);
    }

    /// Drops expired state and frees its memory.
    #[inline]
    pub(super) fn forget_old(&mut self, now: Instant) {
        while let Some((at, connection)) = self.forgetting.first().copied()
            && at <= now
        {
            self.forgetting.pop();
            self.forget_seen(now, connection);
        }
    }

    /// Whether a message has failed.
    #[inline]
    pub(crate) const fn has_gone(&self) -> bool {
        !self.gone.is_empty()
    }

    /// Returns the next message that failed.
    pub(crate) fn next_gone(&mut self) -> Option<Gone> {
        self.gone.pop().map(|gone| *gone)
    }

    /// Whether the state of a peer was dropped.
    #[inline]
    pub(crate) const fn has_forgotten(&self) -> bool {
        !self.forgotten.is_empty()
    }

    /// Returns the next peer whose state was dropped: a peer that only sent messages, and whose last message has
    /// expired. Peers that have sent again since are left out.
    pub(crate) fn next_forgotten(&mut self) -> Option<ConnectionId> {
        while let Some(connection) = self.forgotten.pop() {
            if !self.peers.contains(&connection) {
                return Some(connection);
            }
        }
        None
    }

    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.timers.next_deadline()
    }

    /// Returns when state expires. An endpoint that receives messages drops state then, without a timer.
    #[inline]
    pub(crate) fn forget_deadline(&self) -> Option<Instant> {
        self.forgetting.first().map(|(at, _)| *at)
    }

    /// Whether a peer has no in-flight and no queued messages.
    pub(crate) fn is_idle(&self, connection: ConnectionId) -> bool {
        self.peers
            .get(&connection)
            .is_none_or(|peer| peer.outstanding.is_empty() && peer.waiting.is_empty())
    }

    /// Returns which messages a peer still has to send for the in-flight messages.
    pub(crate) fn awaits(&self, connection: ConnectionId) -> Awaited {
        let Some(peer) = self.peers.get(&connection) else {
            return Awaited::Nothing;
        };
        match &peer.outstanding[..] {
            [] => Awaited::nothing_if(peer.waiting.is_empty()),
            [one] if peer.waiting.is_empty() && one.ends_with_answer(&self.parameters) => {
                Awaited::OneMessage
            }
            _ => Awaited::More,
        }
    }

    /// Removes a peer that is gone. Its in-flight messages fail.
    pub(crate) fn forget_peer(&mut self, connection: ConnectionId) {
        let Some(mut peer) = self.peers.remove(&connection) else {
            return;
        };
        let mut give_up = |owner, purpose| {
            self.gone.push(Box::new(Gone {
                connection,
                settled: Settled { owner, purpose },
                reason: FailureReason::ConnectionLost,
            }));
        };
        for outstanding in peer.outstanding {
            let timer = Timer::Outstanding(connection, outstanding.id);
            self.timers.disarm(outstanding.deadline, timer);
            give_up(outstanding.owner, outstanding.purpose);
        }
        while let Some(waiting) = peer.waiting.pop() {
            give_up(waiting.owner, waiting.purpose);
        }
    }

    fn peer(&mut self, connection: ConnectionId) -> &mut Peer {
        let stream = &mut self.stream;
        self.peers
            .get_or_insert_with(connection, || Box::new(Peer::new(stream.next_u64() as u16)))
    }

    fn forget_seen(&mut self, now: Instant, connection: ConnectionId) {
        let lifetimes = self.lifetimes;
        let Some(peer) = self.peers.get_mut(&connection) else {
            return;
        };
        if peer
            .seen
            .as_mut()
            .is_some_and(|seen| seen.forget_old(now, lifetimes))
        {
            self.forgetting
                .push((now + lifetimes.confirmable, connection));
        } else if peer.ids.is_used {
            peer.seen = None;
        } else {
            // It was only listened to: nothing is left to be known of it.
            self.peers.remove(&connection);
            self.forgotten.push(connection);
        }
    }
}
