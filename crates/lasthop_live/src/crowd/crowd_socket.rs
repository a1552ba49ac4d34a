use core::cell::RefCell;
use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Expectation, Held, InterfaceId, ListenError, OpenError,
    OpenOptions, Payload, ReadOutcome, ResetReason, StreamError, StreamId, StreamKind, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::{Duration, Instant};

use super::Carrier;

/// The shared transport as seen by one client that is a separate host.
pub(super) struct CrowdSocket {
    carrier: Rc<RefCell<Carrier>>,
    owner: u32,
    inbox: Inbox,
    connections: Vec<ConnectionId>,
}

/// Connection events that a client has not processed yet.
pub(super) type Inbox = Rc<RefCell<VecDeque<(ConnectionId, TransportEvent)>>>;

impl CrowdSocket {
    pub(super) fn new(carrier: Rc<RefCell<Carrier>>, owner: u32, inbox: Inbox) -> Self {
        Self {
            carrier,
            owner,
            inbox,
            connections: Vec::new(),
        }
    }

    /// Does something with the transport of all, which may have something to say then.
    fn with<T>(&self, act: impl FnOnce(&mut dyn Transport) -> T) -> T {
        let carrier = &mut *self.carrier.borrow_mut();
        carrier.deadline = Some(Instant::ZERO);
        act(&mut *carrier.transport)
    }
}

impl Transport for CrowdSocket {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        // Whoever loses its power says nothing; the kernel does it instead.
        if let TransportInput::Crash(_) = input {
            for connection in core::mem::take(&mut self.connections) {
                self.with(|transport| transport.reset(now, connection, ResetReason::NotNeeded));
            }
            self.inbox.borrow_mut().clear();
        }
    }

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        let Some((connection, event)) = self.inbox.borrow_mut().pop_front() else {
            return TransportOutput::WaitUntil(None);
        };
        if let TransportEvent::Closed(_) = event {
            self.connections.retain(|it| *it != connection);
        }
        TransportOutput::Event(connection, event)
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let opened = self.with(|transport| transport.open_with(now, peer, options, early_data))?;
        self.carrier.borrow_mut().owners.note(opened, self.owner);
        self.connections.push(opened);
        Ok(opened)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.with(|transport| transport.listen(port))
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        self.with(|transport| transport.initial_stream(connection))
    }

    fn own_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        self.with(|transport| transport.own_stream(now, connection))
    }

    fn open_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        self.with(|transport| transport.open_stream(now, connection, kind))
    }

    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        self.with(|transport| transport.write(now, connection, stream, chunks))
    }

    fn read(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        self.with(|transport| transport.read(now, connection, stream, into))
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        self.with(|transport| transport.send_datagram(now, connection, chunks))
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        self.with(|transport| transport.expect(connection, expectation));
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        self.with(|transport| transport.receive_datagram(connection))
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
        self.with(|transport| transport.finish(now, connection, stream));
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        self.with(|transport| transport.reset_stream(now, connection, stream, code))
    }

    fn prioritise(&mut self, connection: ConnectionId, stream: StreamId, priority: i32) {
        self.with(|transport| transport.prioritise(connection, stream, priority));
    }

    fn outlast_streams(&mut self, connection: ConnectionId) {
        self.with(|transport| transport.outlast_streams(connection));
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        self.connections.retain(|it| *it != connection);
        self.with(|transport| transport.close(now, connection, code));
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.connections.retain(|it| *it != connection);
        self.with(|transport| transport.reset(now, connection, reason));
    }

    fn unanswered(&mut self, now: Instant, connection: ConnectionId, waited: Duration) {
        self.with(|transport| transport.unanswered(now, connection, waited));
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.with(|transport| transport.peer(connection))
    }

    /// What the kernel keeps for them is none of the device's: only their number is.
    fn held(&self) -> Held {
        Held {
            connections: self.connections.len() as u32,
            ..Held::default()
        }
    }

    fn local_address(&self, towards: IpAddr, by: Option<InterfaceId>) -> Option<IpAddr> {
        self.with(|transport| transport.local_address(towards, by))
    }
}
