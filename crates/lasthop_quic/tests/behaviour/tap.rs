use core::net::SocketAddr;

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Provenance, Transport, forward_transport,
};
use lasthop_units::Instant;

/// A transport that notes which datagrams it is given, and may forget to send them.
pub(crate) struct Tap<T> {
    lower: T,
    pub(crate) sent: Vec<Vec<u8>>,
    /// Where each of them went.
    pub(crate) peers: Vec<SocketAddr>,
    pub(crate) spans: Vec<(Provenance, usize)>,
    /// Nobody wants to know what was sent.
    pub(crate) forgets: bool,
    /// Nothing leaves any more.
    pub(crate) is_cut: bool,
}

impl<T> Tap<T> {
    pub(crate) fn new(lower: T) -> Self {
        Self {
            lower,
            sent: Vec::new(),
            peers: Vec::new(),
            spans: Vec::new(),
            forgets: false,
            is_cut: false,
        }
    }

    pub(crate) fn lower(&mut self) -> &mut T {
        &mut self.lower
    }
}

impl<T: Transport> Transport for Tap<T> {
    forward_transport! {
        self => self.lower;
        handle poll open_with listen receive_datagram reset peer
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        if !self.forgets {
            let bytes = chunks.iter().flat_map(|it| it.bytes).copied();
            self.sent.push(bytes.collect());
            self.peers.extend(self.lower.peer(connection));
            let spans = chunks.iter().map(|it| (it.provenance, it.bytes.len()));
            self.spans.extend(spans);
        }
        if self.is_cut {
            return Ok(());
        }
        self.lower.send_datagram(now, connection, chunks)
    }
}
