use std::collections::BTreeSet;

use lasthop_contract::ConnectionId;
use lasthop_units::{Duration, Instant};

/// The maximum number of peers of a host, and the idle time after which a peer can be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerLimit {
    /// The maximum number of peers.
    pub peers: usize,
    /// The minimum time since a peer's last datagram, in either direction, before the peer can be evicted.
    pub rest: Duration,
}

/// Which flow has been at rest longest. Nothing is held before a host is full.
#[derive(Debug)]
pub(crate) struct AtRest {
    pub(crate) limit: PeerLimit,
    /// When a flow was last used, or earlier: it is looked up when its turn comes.
    by_time: BTreeSet<(Instant, ConnectionId)>,
}

impl AtRest {
    pub(crate) const fn new(limit: PeerLimit) -> Self {
        Self {
            limit,
            by_time: BTreeSet::new(),
        }
    }

    /// Takes out the flow that has rested longest, if that is long enough. `flows` are all there are, `last_used` tells of
    /// one.
    pub(crate) fn take_longest(
        &mut self,
        now: Instant,
        flows: impl Iterator<Item = (Instant, ConnectionId)>,
        last_used: impl Fn(ConnectionId) -> Option<Instant>,
    ) -> Option<ConnectionId> {
        if self.by_time.is_empty() {
            self.by_time = flows.collect();
        }
        while let Some((at, id)) = self.by_time.pop_first() {
            match last_used(id) {
                None => {}
                Some(used) if used > at => {
                    self.by_time.insert((used, id));
                }
                Some(_) if at + self.limit.rest <= now => return Some(id),
                Some(_) => {
                    self.by_time.insert((at, id));
                    return None;
                }
            }
        }
        None
    }

    /// Notes a flow that begins.
    pub(crate) fn note(&mut self, now: Instant, id: ConnectionId) {
        if !self.by_time.is_empty() {
            self.by_time.insert((now, id));
        }
        // Those that were ended by others are still here; it is made anew when they are many.
        if self.by_time.len() > 2 * self.limit.peers {
            self.by_time.clear();
        }
    }
}
