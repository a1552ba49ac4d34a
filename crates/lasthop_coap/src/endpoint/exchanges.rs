use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{ConnectionId, LookupMap, TimerQueue};
use lasthop_units::Instant;

use super::pending::Pending;
use super::transfers::{Resource, Transfers, Turn, Way};
use super::uploads::Uploads;
use crate::RequestId;
use crate::codec::Token;

/// Exchanges that take more than one message each way. An endpoint without any holds nothing for them.
#[derive(Debug, Default)]
pub(super) struct Exchanges {
    /// Ordered, so that those of a connection are found when it is gone.
    pub(super) pending: BTreeMap<RequestId, Box<Pending>>,
    /// Requests of one message that were acknowledged, and whose response is still to come.
    pub(super) acknowledged: LookupMap<RequestId, Instant>,
    pub(super) timers: TimerQueue<Timer>,
    pub(super) transfers: Transfers,
    /// Transfers whose turn has come.
    pub(super) ready: VecDeque<RequestId>,
    pub(super) uploads: Uploads,
    /// Whether a timer is armed that drops old uploads.
    pub(super) awaits_uploads: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// A request has waited long enough.
    Request(RequestId),
    /// Uploads may have outlived their time.
    Uploads,
}

impl Exchanges {
    /// Whether a peer has answered all requests: an observation goes on after its first answer.
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

    /// The requests that wait on a connection.
    pub(super) fn of_connection(
        &self,
        connection: ConnectionId,
    ) -> impl Iterator<Item = RequestId> {
        let token = Token::EMPTY;
        let first = RequestId { connection, token };
        let from_first = self.pending.range(first..).map(|(key, _)| *key);
        from_first.take_while(move |key| key.connection == connection)
    }

    /// Takes a request out; the transfer that waits for its end begins soon.
    pub(super) fn end(&mut self, key: RequestId) -> Option<Box<Pending>> {
        self.stop_waiting(key);
        let mut pending = self.pending.remove(&key)?;
        self.end_transfer(key, pending.transfer.take());
        Some(pending)
    }

    /// Lets a request transfer blocks one way, and no longer the other.
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

    /// Lets a request wait until a deadline.
    pub(super) fn wait(&mut self, key: RequestId, deadline: Instant) {
        if let Some(pending) = self.pending.get_mut(&key) {
            pending.deadline = Some(deadline);
        } else {
            self.acknowledged.insert(key, deadline);
        }
        self.timers.arm(deadline, Timer::Request(key));
    }

    /// Ends the wait of a request that goes on.
    pub(super) fn stop_waiting(&mut self, key: RequestId) {
        let pending = self.pending.get_mut(&key);
        if let Some(deadline) = pending.and_then(|pending| pending.deadline.take()) {
            self.timers.disarm(deadline, Timer::Request(key));
        }
    }

    /// Ends the wait for the response to an acknowledged request of one message; whether there was one.
    pub(super) fn end_acknowledged(&mut self, key: RequestId) -> bool {
        let deadline = self.acknowledged.remove(&key);
        if let Some(deadline) = deadline {
            self.timers.disarm(deadline, Timer::Request(key));
        }
        deadline.is_some()
    }
}
