use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{ConnectionId, LookupMap, TimerQueue};
use lasthop_units::Instant;

use super::pending::Pending;
use super::transfers::{Resource, Transfers, Turn, Way};
use super::uploads::Uploads;
use crate::RequestId;
use crate::codec::Token;

/// Exchanges of more than one message each way. They are allocated when the first one begins.
#[derive(Debug, Default)]
pub(super) struct Exchanges {
    /// The requests, ordered by connection so that those of a closed connection are found.
    pub(super) pending: BTreeMap<RequestId, Box<Pending>>,
    /// Acknowledged requests of one message that still wait for their response.
    pub(super) acknowledged: LookupMap<RequestId, Instant>,
    pub(super) timers: TimerQueue<Timer>,
    pub(super) transfers: Transfers,
    /// Transfers that can start now.
    pub(super) ready: VecDeque<RequestId>,
    pub(super) uploads: Uploads,
    /// Whether the timer that drops old uploads is armed.
    pub(super) awaits_uploads: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// The timeout of a request.
    Request(RequestId),
    /// The check for expired uploads.
    Uploads,
}

impl Exchanges {
    /// Whether a peer has answered all requests. An observation counts as answered after its first response.
    pub(super) fn are_answered(&self, connection: ConnectionId) -> bool {
        let mut pending = self.of_connection(connection);
        self.acknowledged.is_empty()
            && self.ready.is_empty()
            && pending.all(|id| (self.pending.get(&id)).is_none_or(|it| it.observation.is_some()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
            && self.acknowledged.is_empty()
            && self.ready.is_empty()
            && self.timers.next_deadline().is_none()
            && !self.awaits_uploads
    }

    /// Returns the pending requests of a connection.
    pub(super) fn of_connection(
        &self,
        connection: ConnectionId,
    ) -> impl Iterator<Item = RequestId> {
        let token = Token::EMPTY;
        let first = RequestId { connection, token };
        let from_first = self.pending.range(first..).map(|(key, _)| *key);
        from_first.take_while(move |key| key.connection == connection)
    }

    /// Removes a request. The transfer that waits for its end starts soon.
    pub(super) fn end(&mut self, key: RequestId) -> Option<Box<Pending>> {
        self.stop_waiting(key);
        let mut pending = self.pending.remove(&key)?;
        self.end_transfer(key, pending.transfer.take());
        Some(pending)
    }

    /// Starts the block transfer of a request in one direction, and ends it in the other.
    pub(super) fn begin_transfer(&mut self, key: RequestId, way: Way, max_waiting: usize) -> Turn {
        let Some(pending) = self.pending.get_mut(&key) else {
            return Turn::Later;
        };
        if pending
            .transfer
            .as_ref()
            .is_some_and(|resource| resource.way() == way)
        {
            return Turn::Now;
        }
        let resource = Resource::of(&pending.request, way);
        let turn = self.transfers.begin(key, &resource, max_waiting);
        let before = if turn == Turn::Never {
            None
        } else {
            pending.transfer.replace(resource)
        };
        self.end_transfer(key, before);
        turn
    }

    pub(super) fn end_transfer(&mut self, key: RequestId, resource: Option<Resource>) {
        let next = resource.and_then(|resource| self.transfers.end(key, &resource));
        self.ready.extend(next);
    }

    /// Sets the timeout of a request.
    pub(super) fn wait(&mut self, key: RequestId, deadline: Instant) {
        if let Some(pending) = self.pending.get_mut(&key) {
            pending.deadline = Some(deadline);
        } else {
            self.acknowledged.insert(key, deadline);
        }
        self.timers.arm(deadline, Timer::Request(key));
    }

    /// Removes the timeout of a request that continues.
    pub(super) fn stop_waiting(&mut self, key: RequestId) {
        let pending = self.pending.get_mut(&key);
        if let Some(deadline) = pending.and_then(|pending| pending.deadline.take()) {
            self.timers.disarm(deadline, Timer::Request(key));
        }
    }

    /// Ends the wait for the response to an acknowledged request of one message. Returns whether there was one.
    pub(super) fn end_acknowledged(&mut self, key: RequestId) -> bool {
        let deadline = self.acknowledged.remove(&key);
        if let Some(deadline) = deadline {
            self.timers.disarm(deadline, Timer::Request(key));
        }
        deadline.is_some()
    }
}
