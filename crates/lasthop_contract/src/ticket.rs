use core::net::SocketAddr;

use crate::LookupMap;

/// What a host remembers of sessions so that a later connection can resume one. It outlives connections.
#[derive(Clone, Debug, Default)]
pub struct TicketStore {
    tickets: LookupMap<SocketAddr, Box<[u8]>>,
}

impl TicketStore {
    /// A store without tickets, which holds no memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the newest ticket of a peer.
    pub fn keep(&mut self, peer: SocketAddr, ticket: &[u8]) {
        self.tickets.insert(peer, ticket.into());
    }

    /// The ticket of a peer.
    #[must_use]
    pub fn ticket(&self, peer: SocketAddr) -> Option<&[u8]> {
        self.tickets.get(&peer).map(AsRef::as_ref)
    }
}
