use lasthop_contract::ShortQueue;
use lasthop_units::{Duration, Instant};

use super::id_space::IdSpace;
use super::seen::Seen;
use super::{Owner, Settled};
use crate::CoapParameters;
use crate::codec::{MessageType, Token};
use crate::context::Purpose;

/// The state of an endpoint for one peer. For an idle peer it is almost empty.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) ids: IdSpace,
    /// The in-flight messages, at most `NSTART`.
    pub(super) outstanding: Vec<Outstanding>,
    /// Messages that wait for `NSTART` or for a free message ID.
    pub(super) waiting: ShortQueue<Box<Waiting>>,
    pub(super) seen: Option<Box<Seen>>,
    pub(super) notified: Option<Box<Notified>>,
}

/// An interaction in progress: an unacknowledged confirmable message, or an unanswered non-confirmable request (RFC
/// 7252 section 4.7).
#[derive(Debug)]
pub(super) struct Outstanding {
    pub(super) id: u16,
    pub(super) owner: Owner,
    pub(super) purpose: Purpose,
    pub(super) attempt: u16,
    pub(super) timeout: Duration,
    pub(super) deadline: Instant,
    /// The bytes to retransmit; empty for a message that is sent once.
    pub(super) datagram: Box<[u8]>,
}

/// A queued message.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) kind: MessageType,
    pub(super) owner: Owner,
    pub(super) purpose: Purpose,
    /// The encoded message. Its message ID is filled in when it is sent.
    pub(super) datagram: Box<[u8]>,
    /// The offset of the payload.
    pub(super) head_length: usize,
}

/// The last non-confirmable notifications. A reset of one ends its observation (RFC 7641 section 3.6).
#[derive(Clone, Debug)]
pub(super) struct Notified {
    last: [(u16, Token); 4],
    next: usize,
}

impl Outstanding {
    pub(super) const fn settled(&self) -> Settled {
        Settled {
            owner: self.owner,
            purpose: self.purpose,
        }
    }
}

impl Outstanding {
    /// Whether an exchange ends with one message from the peer. It does not if a separate response needs an
    /// acknowledgement, or another block must be requested.
    pub(super) const fn ends_with_answer(&self, parameters: &CoapParameters) -> bool {
        match self.owner {
            Owner::Request(_) => !parameters.separate_responses,
            Owner::Block(_) => {
                !parameters.separate_responses && matches!(self.purpose, Purpose::Message(_))
            }
            Owner::UnansweredRequest | Owner::Notification(_) | Owner::Response => true,
        }
    }
}

impl Peer {
    pub(super) const fn new(first_id: u16) -> Self {
        Self {
            ids: IdSpace::starting_with(first_id),
            outstanding: Vec::new(),
            waiting: ShortQueue::new(),
            seen: None,
            notified: None,
        }
    }

    /// Adds an interaction. Most peers have at most one.
    pub(super) fn begin(&mut self, outstanding: Outstanding) {
        if self.outstanding.is_empty() {
            self.outstanding.reserve_exact(1);
        }
        self.outstanding.push(outstanding);
    }

    /// Removes an interaction.
    pub(super) fn take(&mut self, is_it: impl Fn(&Outstanding) -> bool) -> Option<Outstanding> {
        let place = self.outstanding.iter().position(is_it)?;
        let taken = self.outstanding.swap_remove(place);
        if self.outstanding.is_empty() {
            self.outstanding = Vec::new();
        }
        Some(taken)
    }

    /// Removes queued messages.
    pub(super) fn drop_waiting(&mut self, is_dropped: impl Fn(&Waiting) -> bool) {
        let mut kept = ShortQueue::new();
        while let Some(waiting) = self.waiting.pop() {
            if !is_dropped(&waiting) {
                kept.push(waiting);
            }
        }
        self.waiting = kept;
    }

    pub(super) fn note_notification(&mut self, id: u16, token: Token) {
        let notified = self.notified.get_or_insert_with(|| {
            Box::new(Notified {
                last: [(id, token); 4],
                next: 0,
            })
        });
        notified.last[notified.next] = (id, token);
        notified.next = (notified.next + 1) % notified.last.len();
    }

    /// Returns the observation of a recent notification.
    pub(super) fn notification(&self, id: u16) -> Option<Token> {
        let notified = self.notified.as_ref()?;
        let found = notified.last.iter().find(|(known, _)| *known == id)?;
        Some(found.1)
    }
}
