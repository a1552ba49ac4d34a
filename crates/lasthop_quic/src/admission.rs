use core::net::IpAddr;
use std::cell::Cell;
use std::rc::Rc;

use lasthop_contract::{ConnectionId, Handshakes};

/// The maximum numbers of connections of a server. Further ones are refused (RFC 9000 section 5.2.2).
#[derive(Clone, Copy, Debug)]
pub struct QuicLimits {
    /// Connections of all clients.
    pub connections: usize,
    /// Connections from one IP address.
    pub connections_per_address: usize,
    /// Unfinished handshakes from one IP address.
    pub handshakes_per_address: usize,
}

/// The admission control of a server. Without limits it admits every connection and counts none.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    limits: Option<QuicLimits>,
    /// Counted as handshakes are.
    connections: Handshakes,
    handshakes: Handshakes,
    /// A counter of open connections that others can read.
    pub(crate) shows: Option<Rc<Cell<usize>>>,
}

impl Admission {
    pub(crate) fn new(limits: Option<QuicLimits>) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Whether this address may open another connection.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        self.limits.is_none_or(|limits| {
            self.connections.count() < limits.connections
                && (self.connections).has_room(address, limits.connections_per_address)
                && (self.handshakes).has_room(address, limits.handshakes_per_address)
        })
    }

    /// Records a new connection from this address.
    pub(crate) fn begin(&mut self, id: ConnectionId, address: IpAddr) {
        if let Some(limits) = self.limits {
            (self.connections).begin(id, address, limits.connections_per_address);
            (self.handshakes).begin(id, address, limits.handshakes_per_address);
        }
        self.show();
    }

    /// Records a completed handshake.
    pub(crate) fn established(&mut self, id: ConnectionId) {
        self.handshakes.end(id);
    }

    /// Removes a closed connection.
    pub(crate) fn end(&mut self, id: ConnectionId) {
        self.handshakes.end(id);
        self.connections.end(id);
        self.show();
    }

    /// Removes all connections.
    pub(crate) fn end_all(&mut self) {
        *self = Self {
            shows: self.shows.take(),
            ..Self::new(self.limits)
        };
        self.show();
    }

    fn show(&self) {
        if let Some(shows) = &self.shows {
            shows.set(self.connections.count());
        }
    }
}
