use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use lasthop_contract::Outbox;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::frames::Frames;
use crate::wire::Wire;
use lasthop_contract::Chunk;

/// The byte pipe between a transport stream and the futures of `h2`.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipe {
    ends: Rc<RefCell<Ends>>,
}

#[derive(Debug, Default)]
struct Ends {
    /// What has come and was not read.
    incoming: Vec<u8>,
    /// What was written and has not gone.
    outgoing: Vec<u8>,
    /// Nothing more comes.
    is_over: bool,
}

/// The most that waits to be read: more stays with the transport.
const ROOM: usize = 64 * 1024;

impl Pipe {
    /// Adds received bytes.
    pub(super) fn push(&self, bytes: &[u8]) {
        self.ends.borrow_mut().incoming.extend_from_slice(bytes);
    }

    /// Reads received bytes from a stream. Returns whether there were any, or the end of the stream.
    pub(super) fn fill(&self, wire: &mut Wire<'_>, outbox: &Outbox) -> bool {
        self.fill_heard(wire, outbox, |_| {})
    }

    /// Reads received bytes as [`Self::fill`] does, and also passes them to a listener.
    pub(super) fn fill_heard(
        &self,
        wire: &mut Wire<'_>,
        outbox: &Outbox,
        hear: impl FnOnce(&[u8]),
    ) -> bool {
        let ends = &mut *self.ends.borrow_mut();
        let before = ends.incoming.len();
        if ends.is_over {
            return false;
        }
        ends.is_over = wire.read(outbox.stream(), &mut ends.incoming, ROOM);
        hear(&ends.incoming[before..]);
        ends.is_over || ends.incoming.len() > before
    }

    /// Whether the stream has ended.
    pub(super) fn is_over(&self) -> bool {
        self.ends.borrow().is_over
    }

    /// Writes the output of `h2` to the stream, with the provenance of each frame. Returns whether there was any.
    pub(super) fn drain(
        &self,
        wire: &mut Wire<'_>,
        outbox: &mut Outbox,
        frames: &mut Frames,
    ) -> bool {
        let outgoing = core::mem::take(&mut self.ends.borrow_mut().outgoing);
        if outgoing.is_empty() {
            return false;
        }
        let mut chunks = Vec::new();
        let mut rest = &outgoing[..];
        for (length, provenance) in frames.account(&outgoing) {
            let (bytes, behind) = rest.split_at(length);
            chunks.push(Chunk { bytes, provenance });
            rest = behind;
        }
        outbox.write(wire.now, wire.transport, wire.connection, &chunks);
        true
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let ends = &mut *self.ends.borrow_mut();
        if ends.incoming.is_empty() {
            // An end is a read of nothing.
            return if ends.is_over {
                Poll::Ready(Ok(()))
            } else {
                Poll::Pending
            };
        }
        let count = ends.incoming.len().min(into.remaining());
        into.put_slice(&ends.incoming[..count]);
        ends.incoming.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.ends.borrow_mut().outgoing.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
