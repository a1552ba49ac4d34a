use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::ConnectionId;

use crate::{CoapRequest, RequestId};

/// The running and queued block transfers: one at a time for each resource and direction.
///
/// A server cannot tell the blocks of two apart: the second would destroy the first (RFC 7959 sections 2.4, 2.5).
#[derive(Debug, Default)]
pub(super) struct Transfers {
    by_peer: BTreeMap<ConnectionId, Vec<Queue>>,
}

/// The transfers of a resource one way.
#[derive(Debug)]
struct Queue {
    resource: Resource,
    /// The first is under way.
    requests: VecDeque<RequestId>,
    /// In the bodies of all of them.
    bytes: usize,
}

/// The resource and direction of a transfer.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    way: Way,
    uri: Box<str>,
    /// How long the body of the request is.
    size: usize,
}

/// The direction of a block transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Blocks of the request body.
    Upload,
    /// Blocks of the response body.
    Download,
}

/// Whether a transfer can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Now,
    /// The transfer is queued behind earlier transfers.
    Later,
    /// Too many transfers are queued.
    Never,
}

/// How many bytes of bodies may wait for one resource.
const MAX_WAITING: usize = 1 << 24;

impl Transfers {
    /// Starts a transfer or queues it.
    pub(super) fn begin(
        &mut self,
        key: RequestId,
        resource: &Resource,
        max_waiting: usize,
    ) -> Turn {
        let queues = self.by_peer.entry(key.connection).or_default();
        let place = queues.iter().position(|queue| queue.is_of(resource));
        let place = place.unwrap_or_else(|| {
            queues.push(Queue::of(resource));
            queues.len() - 1
        });
        let queue = &mut queues[place];
        let turn = if queue.requests.is_empty() {
            Turn::Now
        } else if queue.requests.len() <= max_waiting && queue.bytes + resource.size <= MAX_WAITING
        {
            Turn::Later
        } else {
            return Turn::Never;
        };
        queue.requests.push_back(key);
        queue.bytes += resource.size;
        turn
    }

    /// Removes a transfer. Returns the next queued one, if it can start now.
    pub(super) fn end(&mut self, key: RequestId, resource: &Resource) -> Option<RequestId> {
        let queues = self.by_peer.get_mut(&key.connection)?;
        let place = queues.iter().position(|queue| queue.is_of(resource))?;
        let queue = &mut queues[place];
        let at = queue.requests.iter().position(|known| *known == key)?;
        queue.requests.remove(at);
        queue.bytes -= resource.size;
        let next = queue.requests.front().copied();
        if next.is_none() {
            queues.swap_remove(place);
        }
        if queues.is_empty() {
            self.by_peer.remove(&key.connection);
        }
        next.filter(|_| at == 0)
    }

    /// Removes all transfers of a connection. None of the queued ones starts.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.by_peer.remove(&connection);
    }
}

impl Queue {
    fn of(resource: &Resource) -> Self {
        Self {
            resource: resource.clone(),
            requests: VecDeque::new(),
            bytes: 0,
        }
    }

    fn is_of(&self, resource: &Resource) -> bool {
        self.resource.way == resource.way && self.resource.uri == resource.uri
    }
}

impl Resource {
    pub(super) fn of(request: &CoapRequest, way: Way) -> Self {
        let mut uri = request.path.clone();
        for argument in &request.query {
            uri.push('?');
            uri.push_str(argument);
        }
        Self {
            way,
            uri: uri.into(),
            size: request.payload.len(),
        }
    }

    pub(super) const fn way(&self) -> Way {
        self.way
    }
}
