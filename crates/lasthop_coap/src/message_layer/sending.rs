use lasthop_contract::{Chunk, ConnectionId, DatagramError, Expectation, FailureReason, Trigger};

use super::peer::{Outstanding, Waiting};
use super::{Draft, Gone, MessageLayer, Owner, Settled, Timer};
use crate::CoapParameters;
use crate::codec::{Head, Message, MessageType, Token, write_head};
use crate::context::{Context, Purpose};

/// A message that leaves for the first time.
#[derive(Clone, Copy)]
struct Departure {
    connection: ConnectionId,
    kind: MessageType,
    owner: Owner,
    purpose: Purpose,
    id: u16,
}

impl MessageLayer {
    /// Sends a message or queues it.
    #[inline]
    pub(crate) fn send(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        kind: MessageType,
        draft: &Draft<'_>,
        owner: Owner,
    ) -> Result<(), FailureReason> {
        let nstart = usize::from(self.parameters.nstart.max(1));
        let (max_waiting, lifetime) = (self.parameters.max_waiting, self.lifetimes.confirmable);
        let is_next = self.has_kept_place(connection, owner);
        let peer = self.peer(connection);
        let has_place = !takes_place(kind, owner) || peer.outstanding.len() < nstart;
        let is_its_turn = has_place && (is_next || peer.waiting.is_empty());
        if is_its_turn && peer.ids.blocked_until(cx.now).is_none() {
            let id = peer.ids.take(cx.now, lifetime);
            let departure = Departure {
                connection,
                kind,
                owner,
                purpose: draft.purpose,
                id,
            };
            let head = draft.head(kind, id);
            return self.depart(cx, departure, &head, draft.payload);
        }
        let observation = state_of(owner, draft.purpose);
        let older = peer.waiting.iter_mut().find(|older| {
            observation.is_some() && observation == state_of(older.owner, older.purpose)
        });
        // What was to ask whether the observer is still there goes on to do so.
        let kind = match &older {
            Some(older) if older.kind == MessageType::Confirmable => older.kind,
            _ => kind,
        };
        let head = draft.head(kind, 0);
        let waits = Waiting {
            kind,
            owner,
            purpose: draft.purpose,
            datagram: [&head[..], draft.payload].concat().into(),
            head_length: head.len(),
        };
        if let Some(older) = older {
            **older = waits;
        } else if peer.waiting.len() >= max_waiting {
            return Err(FailureReason::QueueFull);
        } else {
            peer.waiting.push(Box::new(waits));
        }
        self.send_waiting(cx, connection);
        Ok(())
    }

    /// Sends queued messages while there is room.
    pub(super) fn send_waiting(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        let nstart = usize::from(self.parameters.nstart.max(1));
        let lifetime = self.lifetimes.confirmable;
        loop {
            let peer = self.peer(connection);
            let Some(first) = peer.waiting.first() else {
                return;
            };
            if takes_place(first.kind, first.owner) && peer.outstanding.len() >= nstart {
                return;
            }
            if let Some(free) = peer.ids.blocked_until(cx.now) {
                if !peer.ids.is_awaited {
                    peer.ids.is_awaited = true;
                    self.timers.arm(free, Timer::FreeId(connection));
                }
                return;
            }
            let Some(mut waiting) = peer.waiting.pop() else {
                return;
            };
            let id = peer.ids.take(cx.now, lifetime);
            waiting.datagram[2..4].copy_from_slice(&id.to_be_bytes());
            let departure = Departure {
                connection,
                kind: waiting.kind,
                owner: waiting.owner,
                purpose: waiting.purpose,
                id,
            };
            let (head, payload) = waiting.datagram.split_at(waiting.head_length);
            if let Err(reason) = self.depart(cx, departure, head, payload) {
                let Waiting { owner, purpose, .. } = *waiting;
                self.give_up(connection, Settled { owner, purpose }, reason);
            }
        }
    }

    /// Retransmits a message whose timeout has passed, or fails it.
    pub(super) fn send_again(&mut self, cx: &mut Context<'_>, connection: ConnectionId, id: u16) {
        let max_retransmit = self.parameters.max_retransmit;
        let Some(peer) = self.peers.get_mut(&connection) else {
            return;
        };
        let is_alone = peer.outstanding.len() == 1 && peer.waiting.is_empty();
        let tells = is_alone && self.hears_answers_only;
        let Some(outstanding) = peer.outstanding.iter_mut().find(|o| o.id == id) else {
            return;
        };
        let is_over = outstanding.attempt > max_retransmit || outstanding.datagram.is_empty();
        let mut sent = Err(FailureReason::NoAcknowledgement);
        if !is_over {
            let chunk = Chunk {
                bytes: &outstanding.datagram,
                provenance: outstanding.purpose.of_repetition(),
            };
            if let Some(expectation) = outstanding
                .settled()
                .expectation(&self.parameters)
                .filter(|_| tells)
            {
                cx.transport.expect(connection, expectation);
            }
            sent = cx
                .transport
                .send_datagram(cx.now, connection, &[chunk])
                .map_err(failure_of);
        }
        match sent {
            Ok(()) => {
                let trigger = Trigger::AcknowledgementTimeout {
                    timeout: outstanding.timeout.into(),
                    backed_off: u8::try_from(outstanding.attempt - 1).unwrap_or(u8::MAX),
                };
                outstanding.attempt += 1;
                outstanding.timeout = outstanding.timeout * 2;
                outstanding.deadline = cx.now + outstanding.timeout;
                let last = outstanding.attempt > max_retransmit;
                let purpose = outstanding.purpose;
                if let Some(event) = purpose.transmitted(outstanding.attempt, last, Some(trigger)) {
                    cx.announce(event);
                }
                self.timers
                    .arm(outstanding.deadline, Timer::Outstanding(connection, id));
            }
            Err(reason) => {
                if let Some(over) = peer.take(|outstanding| outstanding.id == id) {
                    if reason == FailureReason::NoAcknowledgement {
                        cx.transport.unanswered(cx.now, connection, over.timeout);
                    }
                    // Newer states of an observation that has ended have nobody to go to (RFC 7641 section 4.5).
                    if let Some(token) = state_of(over.owner, over.purpose) {
                        peer.drop_waiting(|it| state_of(it.owner, it.purpose) == Some(token));
                    }
                    self.give_up(connection, over.settled(), reason);
                }
                self.send_waiting(cx, connection);
            }
        }
    }

    /// Removes an interaction that has ended. A queued one can start.
    ///
    /// A transfer in blocks is one interaction: after an answer that says so, the place is kept for the next block.
    pub(super) fn settle(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        answer: &Message,
        is_it: impl Fn(&Outstanding) -> bool,
    ) -> Option<Settled> {
        let outstanding = self.peers.get_mut(&connection)?.take(is_it)?;
        let timer = Timer::Outstanding(connection, outstanding.id);
        self.timers.disarm(outstanding.deadline, timer);
        if answer.content.facts.is_in_blocks() {
            self.kept = outstanding.owner.request().map(|token| (connection, token));
        } else {
            self.send_waiting(cx, connection);
        }
        Some(outstanding.settled())
    }

    /// Whether a message is the block that a place was kept for.
    fn has_kept_place(&self, connection: ConnectionId, owner: Owner) -> bool {
        matches!(owner, Owner::Block(token) if self.kept == Some((connection, token)))
    }

    pub(super) fn give_up(
        &mut self,
        connection: ConnectionId,
        settled: Settled,
        reason: FailureReason,
    ) {
        self.gone.push(Box::new(Gone {
            connection,
            settled,
            reason,
        }));
    }

    /// Hands a first copy to the transport, and waits for what is to come of it.
    #[inline]
    fn depart(
        &mut self,
        cx: &mut Context<'_>,
        departure: Departure,
        head: &[u8],
        payload: &[u8],
    ) -> Result<(), FailureReason> {
        let Departure {
            connection,
            kind,
            owner,
            purpose,
            id,
        } = departure;
        if self.hears_answers_only
            && self.is_idle(connection)
            && let Some(expectation) = (Settled { owner, purpose }).expectation(&self.parameters)
        {
            cx.transport.expect(connection, expectation);
        }
        cx.transport
            .send_datagram(cx.now, connection, &purpose.chunks(head, payload))
            .map_err(failure_of)?;
        let is_confirmable = kind == MessageType::Confirmable;
        let last = !is_confirmable || self.parameters.max_retransmit == 0;
        if let Some(event) = purpose.transmitted(1, last, None) {
            cx.announce(event);
        }
        if takes_place(kind, owner) {
            let timeout = if is_confirmable || matches!(owner, Owner::Block(_)) {
                let shortest = self.parameters.ack_timeout;
                let longest = shortest.scaled(self.parameters.ack_random_factor);
                self.stream.uniform(shortest, longest)
            } else {
                self.lifetimes.non_confirmable
            };
            let deadline = cx.now + timeout;
            let datagram = if is_confirmable {
                [head, payload].concat().into()
            } else {
                Box::default()
            };
            self.timers
                .arm(deadline, Timer::Outstanding(connection, id));
            self.peer(connection).begin(Outstanding {
                id,
                owner,
                purpose,
                attempt: 1,
                timeout,
                deadline,
                datagram,
            });
        } else if let Owner::Notification(token) = owner {
            self.peer(connection).note_notification(id, token);
        }
        Ok(())
    }
}

impl Draft<'_> {
    /// Returns the bytes before the token.
    pub(super) fn head(&self, kind: MessageType, id: u16) -> Head {
        let has_payload = !self.payload.is_empty();
        write_head(kind, id, self.code, self.token, self.options, has_payload)
    }
}

/// The observation whose state a message tells: only the newest one has to reach the observer (RFC 7641 section 1.3). A notification
/// that carries a user's message is no such state.
fn state_of(owner: Owner, purpose: Purpose) -> Option<Token> {
    match owner {
        Owner::Notification(token) if purpose.carried().is_none() => Some(token),
        _ => None,
    }
}

/// Whether a message counts as an interaction under way until something is heard of it.
const fn takes_place(kind: MessageType, owner: Owner) -> bool {
    matches!(kind, MessageType::Confirmable) || owner.request().is_some()
}

impl Settled {
    /// What is expected to follow one of the user's messages that is alone under way. A response in a message of its own
    /// would have to be acknowledged.
    fn expectation(&self, parameters: &CoapParameters) -> Option<Expectation> {
        match (self.purpose, self.owner) {
            (Purpose::Message(_), Owner::UnansweredRequest) => Some(Expectation::NothingMore),
            (Purpose::Message(_), Owner::Request(_) | Owner::Block(_))
                if !parameters.separate_responses =>
            {
                Some(Expectation::OneAnswer)
            }
            _ => None,
        }
    }
}

const fn failure_of(error: DatagramError) -> FailureReason {
    match error {
        DatagramError::TooLarge => FailureReason::TooLarge,
        DatagramError::NoSuchConnection | DatagramError::StreamsOnly => FailureReason::NotConnected,
    }
}

impl Owner {
    /// Returns the token of a request that waits for its response.
    pub(crate) const fn request(self) -> Option<Token> {
        match self {
            Self::Request(token) | Self::Block(token) => Some(token),
            Self::UnansweredRequest | Self::Notification(_) | Self::Response => None,
        }
    }
}
