use core::net::SocketAddr;

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, ListenError, OpenError, OpenOptions, Payload, Provenance,
    ResetReason, Transport, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

/// A transport that notes which datagrams it is given, and may forget to send them.
pub(crate) struct Tap<T> {
    lower: T,
    pub(crate) sent: Vec<Vec<u8>>,
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
    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        self.lower.poll(now)
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        self.lower.open_with(now, peer, options, early_data)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
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
            let spans = chunks.iter().map(|it| (it.provenance, it.bytes.len()));
            self.spans.extend(spans);
        }
        if self.is_cut {
            return Ok(());
        }
        self.lower.send_datagram(now, connection, chunks)
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        self.lower.receive_datagram(connection)
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.lower.reset(now, connection, reason);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.lower.peer(connection)
    }
}
