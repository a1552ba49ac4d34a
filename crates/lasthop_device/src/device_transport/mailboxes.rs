use core::net::SocketAddr;
use std::collections::VecDeque;

use lasthop_units::DataSize;

/// Segments that the network's task has taken, and the application's has not, by peer. A device has few peers.
#[derive(Debug, Default)]
pub(super) struct Mailboxes(Vec<(SocketAddr, VecDeque<u64>)>);

impl Mailboxes {
    /// How many segments wait.
    pub(super) fn waiting(&self, peer: SocketAddr) -> usize {
        let mailbox = self.0.iter().find(|(it, _)| *it == peer);
        mailbox.map_or(0, |(_, segments)| segments.len())
    }

    /// How much of the first segment that waits is not read.
    pub(super) fn first(&self, peer: SocketAddr) -> Option<DataSize> {
        let (_, segments) = self.0.iter().find(|(it, _)| *it == peer)?;
        segments.front().map(|bytes| DataSize::from_bytes(*bytes))
    }

    /// The segments of all.
    pub(super) fn segments(&self) -> u64 {
        self.0.iter().map(|(_, it)| it.len() as u64).sum()
    }

    /// A segment came of which so many bytes are new.
    pub(super) fn put(&mut self, peer: SocketAddr, bytes: u64) {
        if bytes == 0 {
            return;
        }
        match self.0.iter_mut().find(|(it, _)| *it == peer) {
            Some((_, segments)) => segments.push_back(bytes),
            None => self.0.push((peer, VecDeque::from([bytes]))),
        }
    }

    /// So many bytes were read.
    pub(super) fn take(&mut self, peer: SocketAddr, mut bytes: u64) {
        let Some(place) = self.0.iter().position(|(it, _)| *it == peer) else {
            return;
        };
        let segments = &mut self.0[place].1;
        while let Some(first) = segments.front_mut() {
            if *first > bytes {
                *first -= bytes;
                return;
            }
            bytes -= *first;
            segments.pop_front();
        }
        self.0.swap_remove(place);
    }

    /// A connection has ended.
    pub(super) fn forget(&mut self, peer: SocketAddr) {
        self.0.retain(|(it, _)| *it != peer);
    }

    /// Nothing waits.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
