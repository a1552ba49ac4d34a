use core::net::SocketAddr;
use std::collections::VecDeque;

use lasthop_units::DataSize;

/// Received segments that the application has not read, by peer. A device has few peers.
#[derive(Debug, Default)]
pub(super) struct Mailboxes(Vec<Mailbox>);

/// The segments of a peer, by how much of each is not read. There is one at least, and mostly no other.
#[derive(Debug)]
struct Mailbox {
    peer: SocketAddr,
    first: u64,
    behind: VecDeque<u64>,
}

impl Mailboxes {
    fn of(&self, peer: SocketAddr) -> Option<&Mailbox> {
        self.0.iter().find(|it| it.peer == peer)
    }

    /// Returns the number of waiting segments.
    pub(super) fn waiting(&self, peer: SocketAddr) -> usize {
        self.of(peer).map_or(0, Mailbox::segments)
    }

    /// Returns the unread bytes of the first waiting segment.
    pub(super) fn first(&self, peer: SocketAddr) -> Option<DataSize> {
        self.of(peer).map(|it| DataSize::from_bytes(it.first))
    }

    /// Returns the number of segments of all peers.
    pub(super) fn segments(&self) -> u64 {
        self.0.iter().map(|it| it.segments() as u64).sum()
    }

    /// Adds a segment with this many new bytes.
    pub(super) fn put(&mut self, peer: SocketAddr, bytes: u64) {
        if bytes == 0 {
            return;
        }
        match self.0.iter_mut().find(|it| it.peer == peer) {
            Some(mailbox) => mailbox.behind.push_back(bytes),
            None => self.0.push(Mailbox {
                peer,
                first: bytes,
                behind: VecDeque::new(),
            }),
        }
    }

    /// Removes bytes that were read.
    pub(super) fn take(&mut self, peer: SocketAddr, mut bytes: u64) {
        let Some(place) = self.0.iter().position(|it| it.peer == peer) else {
            return;
        };
        let mailbox = &mut self.0[place];
        while mailbox.first <= bytes {
            bytes -= mailbox.first;
            match mailbox.behind.pop_front() {
                Some(next) => mailbox.first = next,
                None => {
                    self.0.swap_remove(place);
                    return;
                }
            }
        }
        mailbox.first -= bytes;
    }

    /// Removes the segments of a closed connection.
    pub(super) fn forget(&mut self, peer: SocketAddr) {
        self.0.retain(|it| it.peer != peer);
    }

    /// Removes all segments.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Mailbox {
    fn segments(&self) -> usize {
        1 + self.behind.len()
    }
}
