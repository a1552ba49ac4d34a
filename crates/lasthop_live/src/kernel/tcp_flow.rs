use core::net::SocketAddr;
use core::ops::Range;
use std::os::fd::OwnedFd;

use lasthop_transport::Flow;
use rustix::net::{SendFlags, send};

/// A connection of the kernel's TCP.
#[derive(Debug)]
pub(super) struct TcpFlow {
    pub(super) socket: OwnedFd,
    pub(super) peer: SocketAddr,
    pub(super) local_port: u16,
    pub(super) phase: Phase,
    /// Whether the kernel may have bytes for us.
    pub(super) may_read: bool,
    /// The peer is known to write no more: a short read may be followed by the end.
    pub(super) is_ending: bool,
    /// The end of the peer's bytes has been read.
    pub(super) has_ended: bool,
    pub(super) sending: Sending,
    /// What the kernel gave and nobody has read, where another connection was read in between.
    pub(super) unread: Option<Box<Unread>>,
}

/// What is on its way out.
#[derive(Debug, Default)]
pub(super) struct Sending {
    /// What the kernel has not taken yet; without memory where there is nothing.
    pub(super) waiting: Vec<u8>,
    /// The kernel takes no more for now.
    pub(super) is_blocked: bool,
    /// Somebody wrote more than there was room for.
    pub(super) is_awaited: bool,
    /// Nothing will be written any more.
    pub(super) is_finished: bool,
}

/// Bytes that are read little by little.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) bytes: Vec<u8>,
    pub(super) rest: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The kernel is about it.
    Connecting,
    Open,
    /// The kernel has told that it is gone; nobody has been told yet.
    Broken,
}

impl TcpFlow {
    pub(super) fn new(socket: OwnedFd, peer: SocketAddr, local_port: u16, phase: Phase) -> Self {
        Self {
            socket,
            peer,
            local_port,
            phase,
            may_read: false,
            is_ending: false,
            has_ended: false,
            sending: Sending::default(),
            unread: None,
        }
    }

    /// Gives the kernel what was written just before the end of the stream, where nothing had to wait before; whether it
    /// takes all.
    pub(super) fn says_last_words(&self) -> bool {
        let Sending {
            waiting,
            is_blocked,
            is_finished,
            ..
        } = &self.sending;
        self.phase == Phase::Open
            && *is_finished
            && !*is_blocked
            && !waiting.is_empty()
            && send(&self.socket, waiting, SendFlags::NOSIGNAL) == Ok(waiting.len())
    }

    /// Whether both ends are done.
    pub(super) fn is_over(&self) -> bool {
        self.has_ended && self.sending.is_finished && self.sending.waiting.is_empty()
    }
}

impl Flow for TcpFlow {
    fn local_port(&self) -> u16 {
        self.local_port
    }

    fn peer(&self) -> SocketAddr {
        self.peer
    }
}
