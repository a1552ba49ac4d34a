use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Expectation, JoinError, ListenError, OpenError,
    OpenOptions, Payload, ReadOutcome, ResetReason, StreamError, StreamId, StreamKind, Transport,
    TransportInput, TransportOutput,
};
use lasthop_transport::place_of;
use lasthop_units::Instant;

/// Which client has which connection, by the places of these.
#[derive(Debug, Default)]
pub(super) struct Owners {
    at_place: Vec<(ConnectionId, u32)>,
}

impl Owners {
    pub(super) fn of(&self, connection: ConnectionId) -> Option<u32> {
        let (known, owner) = self.at_place.get(place_of(connection)).copied()?;
        (known == connection).then_some(owner)
    }

    pub(super) fn note(&mut self, connection: ConnectionId, owner: u32) {
        let place = place_of(connection);
        if self.at_place.len() <= place {
            self.at_place.resize(place + 1, (connection, owner));
        }
        self.at_place[place] = (connection, owner);
    }
}

/// A transport of many in the hands of one client: what that opens is its own.
pub(super) struct Owned<'a> {
    transport: &'a mut dyn Transport,
    owner: u32,
    owners: &'a mut Owners,
}

impl<'a> Owned<'a> {
    pub(super) fn new(
        transport: &'a mut dyn Transport,
        owner: u32,
        owners: &'a mut Owners,
    ) -> Self {
        Self {
            transport,
            owner,
            owners,
        }
    }
}

impl Transport for Owned<'_> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.transport.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        self.transport.poll(now)
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let opened = self.transport.open_with(now, peer, options, early_data)?;
        self.owners.note(opened, self.owner);
        Ok(opened)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.transport.listen(port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        self.transport.join(group, port)
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        self.transport.initial_stream(connection)
    }

    fn own_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        self.transport.own_stream(now, connection)
    }

    fn open_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        self.transport.open_stream(now, connection, kind)
    }

    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        self.transport.write(now, connection, stream, chunks)
    }

    fn read(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        self.transport.read(now, connection, stream, into)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        self.transport.send_datagram(now, connection, chunks)
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        self.transport.expect(connection, expectation);
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        self.transport.receive_datagram(connection)
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
        self.transport.finish(now, connection, stream);
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        self.transport.reset_stream(now, connection, stream, code)
    }

    fn prioritise(&mut self, connection: ConnectionId, stream: StreamId, priority: i32) {
        self.transport.prioritise(connection, stream, priority);
    }

    fn outlast_streams(&mut self, connection: ConnectionId) {
        self.transport.outlast_streams(connection);
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        self.transport.close(now, connection, code);
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.transport.reset(now, connection, reason);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.transport.peer(connection)
    }
}
