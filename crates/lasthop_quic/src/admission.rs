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

/// Whom a server lets in. Without limits it lets in everybody, and counts nobody.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    limits: Option<QuicLimits>,
    /// Counted as handshakes are.
    connections: Handshakes,
    handshakes: Handshakes,
    /// Where others see how many connections there are.
    pub(crate) shows: Option<Rc<Cell<usize>>>,
}

impl Admission {
    pub(crate) fn new(limits: Option<QuicLimits>) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Whether this address may have one more connection.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        self.limits.is_none_or(|limits| {
            self.connections.count() < limits.connections
                && (self.connections).has_room(address, limits.connections_per_address)
                && (self.handshakes).has_room(address, limits.handshakes_per_address)
        })
    }

    /// A connection of this address begins.
    pub(crate) fn begin(&mut self, id: ConnectionId, address: IpAddr) {
        if let Some(limits) = self.limits {
            (self.connections).begin(id, address, limits.connections_per_address);
            (self.handshakes).begin(id, address, limits.handshakes_per_address);
        }
        self.show();
    }

    /// Its handshake is over.
    pub(crate) fn established(&mut self, id: ConnectionId) {
        self.handshakes.end(id);
    }

    /// It is over.
    pub(crate) fn end(&mut self, id: ConnectionId) {
        self.handshakes.end(id);
        self.connections.end(id);
        self.show();
    }

    /// All are.
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
