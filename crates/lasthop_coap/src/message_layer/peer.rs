use lasthop_contract::ShortQueue;
use lasthop_units::{Duration, Instant};

use super::id_space::IdSpace;
use super::seen::Seen;
use super::{Owner, Settled};
use crate::CoapParameters;
use crate::codec::{MessageType, Token};
use crate::context::Purpose;

/// What an endpoint keeps for one peer. An idle one keeps next to nothing.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) ids: IdSpace,
    /// At most `NSTART`.
    pub(super) outstanding: Vec<Outstanding>,
    /// What waits for a place among these, or for a free number.
    pub(super) waiting: ShortQueue<Box<Waiting>>,
    pub(super) seen: Option<Box<Seen>>,
    pub(super) notified: Option<Box<Notified>>,
}

/// An interaction under way: a confirmable message without its acknowledgement, or a non-confirmable request
/// without its response (RFC 7252 section 4.7).
#[derive(Debug)]
pub(super) struct Outstanding {
    pub(super) id: u16,
    pub(super) owner: Owner,
    pub(super) purpose: Purpose,
    pub(super) attempt: u16,
    pub(super) timeout: Duration,
    pub(super) deadline: Instant,
    /// What is sent again; empty for what is sent once.
    pub(super) datagram: Box<[u8]>,
}

/// A message that waits for its turn.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) kind: MessageType,
    pub(super) owner: Owner,
    pub(super) purpose: Purpose,
    /// Its number is filled in when it leaves.
    pub(super) datagram: Box<[u8]>,
    /// Where the payload begins.
    pub(super) head_length: usize,
}

/// The last non-confirmable notifications: a reset that names one ends its observation (RFC 7641 section 3.6).
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
    /// Whether one message from the peer is the end of it: a response in a message of its own would have to be
    /// acknowledged, and another block asked for.
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

    /// Notes an interaction that begins. Most peers have one at most.
    pub(super) fn begin(&mut self, outstanding: Outstanding) {
        if self.outstanding.is_empty() {
            self.outstanding.reserve_exact(1);
        }
        self.outstanding.push(outstanding);
    }

    /// Takes an interaction out.
    pub(super) fn take(&mut self, is_it: impl Fn(&Outstanding) -> bool) -> Option<Outstanding> {
        let place = self.outstanding.iter().position(is_it)?;
        let taken = self.outstanding.swap_remove(place);
        if self.outstanding.is_empty() {
            self.outstanding = Vec::new();
        }
        Some(taken)
    }

    /// Drops messages that wait.
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

    /// The observation of a recent notification.
    pub(super) fn notification(&self, id: u16) -> Option<Token> {
        let notified = self.notified.as_ref()?;
        let found = notified.last.iter().find(|(known, _)| *known == id)?;
        Some(found.1)
    }
}
