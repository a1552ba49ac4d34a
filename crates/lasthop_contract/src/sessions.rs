use core::hash::Hash;
use std::collections::VecDeque;

use crate::LookupMap;

/// A client's resumption state by peer: single-use tickets, and the key exchange that the peer preferred.
///
/// It is what `rustls::client::ClientSessionStore` asks of a store; `T` is what the library calls a session. It outlives
/// connections, and a crash where a host keeps it on flash.
#[derive(Clone, Debug)]
pub struct ClientSessions<K, T> {
    peers: LookupMap<K, Remembered<T>>,
}

#[derive(Clone, Debug)]
struct Remembered<T> {
    /// From the oldest to the newest.
    tickets: VecDeque<T>,
    reusable: Option<T>,
    key_exchange: Option<u16>,
}

/// The number of tickets kept for a peer.
pub const TICKETS_A_PEER: usize = 8;

impl<K: Eq + Hash, T> ClientSessions<K, T> {
    /// Creates an empty store without allocating.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            peers: LookupMap::new(),
        }
    }

    /// Stores a ticket of a peer. Above [`TICKETS_A_PEER`] the oldest ticket is dropped.
    pub fn keep(&mut self, peer: K, ticket: T) {
        let tickets = &mut self.remember(peer).tickets;
        if tickets.len() == TICKETS_A_PEER {
            tickets.pop_front();
        }
        tickets.push_back(ticket);
    }

    /// Removes and returns the newest ticket of a peer.
    ///
    /// A ticket is used once, because two connections with one ticket reveal the same client (RFC 8446 section C.4).
    pub fn take(&mut self, peer: &K) -> Option<T> {
        self.peers.get_mut(peer)?.tickets.pop_back()
    }

    /// Stores a session that can be resumed several times, as in TLS 1.2.
    pub fn keep_reusable(&mut self, peer: K, session: T) {
        self.remember(peer).reusable = Some(session);
    }

    /// Returns the session of a peer that can be resumed several times.
    pub fn reusable(&self, peer: &K) -> Option<&T> {
        self.peers.get(peer)?.reusable.as_ref()
    }

    /// Removes the reusable session of a peer, because the peer refused it.
    pub fn forget_reusable(&mut self, peer: &K) {
        if let Some(remembered) = self.peers.get_mut(peer) {
            remembered.reusable = None;
        }
    }

    /// Records the key exchange group that a peer selected, by its number in the TLS registry.
    pub fn set_key_exchange(&mut self, peer: K, group: u16) {
        self.remember(peer).key_exchange = Some(group);
    }

    /// Returns the key exchange group to offer a peer first.
    pub fn key_exchange(&self, peer: &K) -> Option<u16> {
        self.peers.get(peer)?.key_exchange
    }

    fn remember(&mut self, peer: K) -> &mut Remembered<T> {
        self.peers.get_or_insert_with(peer, || Remembered {
            tickets: VecDeque::new(),
            reusable: None,
            key_exchange: None,
        })
    }
}

impl<K: Eq + Hash, T> Default for ClientSessions<K, T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A server's sessions by ID, bounded so that clients cannot fill the memory.
///
/// It is what `rustls::server::StoresServerSessions` asks of a store.
#[derive(Clone, Debug)]
pub struct ServerSessions {
    by_id: LookupMap<Box<[u8]>, Box<[u8]>>,
    /// Ids in the order of coming; those that were taken out are passed over.
    order: VecDeque<Box<[u8]>>,
    room: usize,
}

impl ServerSessions {
    /// Creates a store for `room` sessions.
    #[must_use]
    pub const fn new(room: usize) -> Self {
        Self {
            by_id: LookupMap::new(),
            order: VecDeque::new(),
            room,
        }
    }

    /// Stores a session and returns whether it was stored. A full store evicts the oldest session.
    pub fn put(&mut self, id: &[u8], session: &[u8]) -> bool {
        if self.room == 0 {
            return false;
        }
        if self.by_id.insert(id.into(), session.into()).is_some() {
            return true;
        }
        self.order.push_back(id.into());
        while self.by_id.len() > self.room {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            self.by_id.remove(&*oldest);
        }
        true
    }

    /// Returns a session and leaves it in the store.
    #[must_use]
    pub fn get(&self, id: &[u8]) -> Option<&[u8]> {
        self.by_id.get(id).map(AsRef::as_ref)
    }

    /// Removes and returns a session.
    pub fn take(&mut self, id: &[u8]) -> Option<Box<[u8]>> {
        let session = self.by_id.remove(id)?;
        // Ids of sessions that are gone stay in line until they are half of it, so that taking one costs no walk.
        if self.order.len() > 2 * self.by_id.len() + TICKETS_A_PEER {
            let by_id = &self.by_id;
            self.order.retain(|kept| by_id.contains(kept));
        }
        Some(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_given_out_once_and_the_newest_first() {
        let mut sessions = ClientSessions::new();
        for ticket in 0..10 {
            sessions.keep("broker", ticket);
        }
        assert_eq!(sessions.take(&"gateway"), None);
        let taken: Vec<i32> = core::iter::from_fn(|| sessions.take(&"broker")).collect();
        assert_eq!(taken, [9, 8, 7, 6, 5, 4, 3, 2], "eight are kept");
        assert_eq!(sessions.take(&"broker"), None);
    }

    #[test]
    fn a_reusable_session_stays_until_the_peer_refuses_it() {
        let mut sessions = ClientSessions::new();
        sessions.keep_reusable("broker", 1);
        assert_eq!(sessions.take(&"broker"), None, "it is no ticket");
        let twice = [sessions.reusable(&"broker"), sessions.reusable(&"broker")];
        assert_eq!(twice, [Some(&1); 2]);
        sessions.set_key_exchange("broker", 29);
        sessions.forget_reusable(&"broker");
        assert_eq!(sessions.reusable(&"broker"), None);
        assert_eq!(sessions.key_exchange(&"broker"), Some(29));
    }

    #[test]
    fn a_server_forgets_the_oldest_session_where_there_is_no_room() {
        let mut sessions = ServerSessions::new(2);
        for id in [b"a", b"b", b"a", b"c"] {
            assert!(sessions.put(id, id));
        }
        assert_eq!(sessions.get(b"a"), None);
        assert_eq!(sessions.take(b"b").as_deref(), Some(&b"b"[..]));
        assert_eq!(sessions.take(b"b"), None);
        assert!(sessions.put(b"d", b"d"));
        assert!(sessions.get(b"c").is_some() && sessions.get(b"d").is_some());
        assert!(!ServerSessions::new(0).put(b"a", b"a"));
    }
}
