use core::net::SocketAddr;
use core::ops::Range;
use std::os::fd::OwnedFd;

use lasthop_transport::Flow;
use rustix::net::{SendFlags, send};

/// A TCP connection of the kernel.
#[derive(Debug)]
pub(super) struct TcpFlow {
    pub(super) socket: OwnedFd,
    pub(super) peer: SocketAddr,
    pub(super) local_port: u16,
    pub(super) phase: Phase,
    /// Whether the kernel may have bytes to read.
    pub(super) may_read: bool,
    /// Whether the peer has ended its stream, so that a short read can be followed by the end.
    pub(super) is_ending: bool,
    /// Whether the end of the peer's stream was read.
    pub(super) has_ended: bool,
    pub(super) sending: Sending,
    /// Bytes that were read from the kernel but not by the application, because another connection was read in between.
    pub(super) unread: Option<Box<Unread>>,
}

/// The send state of a connection.
#[derive(Debug, Default)]
pub(super) struct Sending {
    /// The bytes that the kernel has not accepted yet; without an allocation if there are none.
    pub(super) waiting: Vec<u8>,
    /// Whether the kernel accepts no more bytes for now.
    pub(super) is_blocked: bool,
    /// Whether a write was cut short and waits for room.
    pub(super) is_awaited: bool,
    /// Whether the stream was finished.
    pub(super) is_finished: bool,
}

/// Received bytes that are read in parts.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) bytes: Vec<u8>,
    pub(super) rest: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The kernel is establishing the connection.
    Connecting,
    Open,
    /// The kernel has reported the end of the connection. No event has been taken yet.
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

    /// Writes the last bytes before the end of the stream to the kernel, if none were queued. Returns whether it
    /// accepted all.
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

    /// Whether both ends have finished.
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
