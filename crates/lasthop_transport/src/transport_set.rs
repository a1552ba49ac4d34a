use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Awaited, Chunk, ConnectionId, DatagramError, DiscardReason, Expectation, InterfaceId,
    JoinError, ListenError, OpenError, OpenOptions, Packet, Payload, ReadOutcome, ResetReason,
    ShortQueue, StreamError, StreamId, StreamKind, Transport, TransportInput, TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::host_network::{ColumnId, HostNetwork, PortOwners};

/// Several transports that an application uses as one: for example a broker over TCP and TLS, or a client of two
/// servers.
///
/// The highest bits of a connection's id say whose it is; [`OpenOptions::column`] chooses where one is opened.
pub struct TransportSet {
    columns: Vec<Member>,
    ports: PortOwners,
    /// Packets that are for nobody here.
    discarded: ShortQueue<TransportOutput>,
}

/// A transport with the layers above it, as one column of a host.
pub struct Column {
    pub(crate) id: ColumnId,
    pub(crate) transport: Box<dyn Transport>,
    listens_at: Option<u16>,
    leaves_by: Option<InterfaceId>,
    is_open_to_outside: bool,
}

struct Member {
    column: Column,
    /// `ZERO` while it may have something to say.
    deadline: Instant,
}

impl Column {
    /// Creates a column from a transport that was built for this ID.
    #[must_use]
    pub fn new(id: ColumnId, transport: Box<dyn Transport>) -> Self {
        Self {
            id,
            transport,
            listens_at: None,
            leaves_by: None,
            is_open_to_outside: false,
        }
    }

    /// Sets the port on which the transport listens, regardless of the application's request.
    #[must_use]
    pub fn listening_at(mut self, port: u16) -> Self {
        self.listens_at = Some(port);
        self
    }

    /// Sets the interface for connections that the application opens without naming one.
    #[must_use]
    pub fn leaving_by(mut self, interface: InterfaceId) -> Self {
        self.leaves_by = Some(interface);
        self
    }

    /// Marks the transport as one that can receive external input at any time, like a socket.
    #[must_use]
    pub fn open_to_outside(mut self) -> Self {
        self.is_open_to_outside = true;
        self
    }

    /// Whether its application is not asked where it listens, or by which interface it leaves.
    pub(crate) fn is_settled(&self) -> bool {
        self.listens_at.is_some() || self.leaves_by.is_some()
    }
}

impl TransportSet {
    /// Creates the set of an application's transports, in the application's order.
    #[must_use]
    pub fn new(network: &HostNetwork, columns: Vec<Column>) -> Self {
        let member = |column| Member {
            column,
            deadline: Instant::ZERO,
        };
        Self {
            columns: columns.into_iter().map(member).collect(),
            ports: network.ports(),
            discarded: ShortQueue::new(),
        }
    }

    fn receive(&mut self, now: Instant, packet: Packet) {
        let owner = self.ports.owner_of(&packet);
        let place = owner.and_then(|owner| {
            let mut columns = self.columns.iter();
            let place = columns.position(|member| member.column.id == owner);
            place.ok_or(DiscardReason::PortUnreachable)
        });
        match place {
            Ok(place) => self.columns[place].handle(now, TransportInput::Packet(packet)),
            Err(reason) => self
                .discarded
                .push(TransportOutput::Discard(packet, reason)),
        }
    }

    /// Returns the transport of a connection, which may have output from now on.
    fn of(&mut self, connection: ConnectionId) -> Option<(&mut dyn Transport, ConnectionId)> {
        let member = self.columns.get_mut(usize::from(connection.column()))?;
        member.deadline = Instant::ZERO;
        Some((&mut *member.column.transport, connection.within_column()))
    }

    fn look(&self, connection: ConnectionId) -> Option<(&dyn Transport, ConnectionId)> {
        let member = self.columns.get(usize::from(connection.column()))?;
        Some((&*member.column.transport, connection.within_column()))
    }
}

impl Member {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.deadline = Instant::ZERO;
        self.column.transport.handle(now, input);
    }
}

impl Transport for TransportSet {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        let make: &dyn Fn() -> TransportInput = match input {
            TransportInput::Packet(packet) => return self.receive(now, packet),
            TransportInput::Timeout => {
                for member in &mut self.columns {
                    if member.deadline <= now {
                        member.column.transport.handle(now, TransportInput::Timeout);
                    }
                    // Something may have come from outside the run.
                    member.deadline = Instant::ZERO;
                }
                return;
            }
            TransportInput::AddressChanged { interface, address } => {
                &move || TransportInput::AddressChanged { interface, address }
            }
            TransportInput::InterfaceMtu { interface, mtu } => {
                &move || TransportInput::InterfaceMtu { interface, mtu }
            }
            TransportInput::AddressNoticed => &|| TransportInput::AddressNoticed,
            TransportInput::Stop => &|| TransportInput::Stop,
            TransportInput::Crash(survives) => &move || TransportInput::Crash(survives),
        };
        for member in &mut self.columns {
            member.handle(now, make());
        }
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        if let Some(discarded) = self.discarded.pop() {
            return discarded;
        }
        for (number, member) in (0..).zip(&mut self.columns) {
            if member.deadline > now && !member.column.is_open_to_outside {
                continue;
            }
            match member.column.transport.poll(now) {
                TransportOutput::WaitUntil(deadline) => {
                    member.deadline = deadline.unwrap_or(Instant::FAR_FUTURE);
                }
                TransportOutput::Event(id, event) => {
                    return TransportOutput::Event(id.in_column(number), event);
                }
                output => return output,
            }
        }
        let next = self.columns.iter().map(|member| member.deadline).min();
        TransportOutput::WaitUntil(next.filter(|at| *at < Instant::FAR_FUTURE))
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let number = options.column;
        let member = self.columns.get_mut(usize::from(number));
        let member = member.ok_or(OpenError::NoSuchColumn)?;
        member.deadline = Instant::ZERO;
        let options = OpenOptions {
            column: 0,
            interface: options.interface.or(member.column.leaves_by),
            ..options
        };
        let transport = &mut member.column.transport;
        let id = transport.open_with(now, peer, options, early_data)?;
        Ok(id.in_column(number))
    }

    /// Makes each transport listen on its configured port, or on `port` if it has none.
    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        for Member { column, .. } in &mut self.columns {
            let port = column.listens_at.unwrap_or(port);
            column.transport.listen(port)?;
        }
        Ok(())
    }

    /// The transports that carry datagrams join.
    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        let mut joined = Err(JoinError::StreamsOnly(group));
        for Member { column, .. } in &mut self.columns {
            match column.transport.join(group, port) {
                Err(JoinError::StreamsOnly(_)) => {}
                Err(error) => return Err(error),
                Ok(()) => joined = Ok(()),
            }
        }
        joined
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        let (transport, id) = self.look(connection)?;
        transport.initial_stream(id)
    }

    fn own_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        let (transport, id) = self.of(connection).ok_or(StreamError::NoSuchStream)?;
        transport.own_stream(now, id)
    }

    fn open_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        let (transport, id) = self.of(connection).ok_or(StreamError::NoSuchStream)?;
        transport.open_stream(now, id, kind)
    }

    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let (transport, id) = self.of(connection).ok_or(StreamError::NoSuchStream)?;
        transport.write(now, id, stream, chunks)
    }

    fn read(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let (transport, id) = self.of(connection).ok_or(StreamError::NoSuchStream)?;
        transport.read(now, id, stream, into)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let (transport, id) = self.of(connection).ok_or(DatagramError::NoSuchConnection)?;
        transport.send_datagram(now, id, chunks)
    }

    /// Returns a common expectation, because the transport that a message arrives on is unknown.
    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        let mut found = (self.columns.iter()).map(|it| it.column.transport.expectation(awaited));
        if awaited != Awaited::Nothing {
            let first = found.next()??;
            return found.all(|it| it == Some(first)).then_some(first);
        }
        let under_way = found.map(|expectation| match expectation {
            Some(Expectation::NothingMore) => Awaited::Nothing,
            Some(Expectation::OneAnswer) => Awaited::OneMessage,
            None => Awaited::More,
        });
        match under_way.fold(Awaited::Nothing, Awaited::and) {
            Awaited::Nothing => Some(Expectation::NothingMore),
            Awaited::OneMessage => Some(Expectation::OneAnswer),
            Awaited::More => None,
        }
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        if let Some((transport, id)) = self.of(connection) {
            transport.expect(id, expectation);
        }
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        let (transport, id) = self.of(connection)?;
        transport.receive_datagram(id)
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
        if let Some((transport, id)) = self.of(connection) {
            transport.finish(now, id, stream);
        }
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        let (transport, id) = self.of(connection).ok_or(StreamError::NoSuchStream)?;
        transport.reset_stream(now, id, stream, code)
    }

    fn prioritise(&mut self, connection: ConnectionId, stream: StreamId, priority: i32) {
        if let Some((transport, id)) = self.of(connection) {
            transport.prioritise(id, stream, priority);
        }
    }

    fn outlast_streams(&mut self, connection: ConnectionId) {
        if let Some((transport, id)) = self.of(connection) {
            transport.outlast_streams(id);
        }
    }

    fn close(&mut self, now: Instant, connection: ConnectionId, code: u64) {
        if let Some((transport, id)) = self.of(connection) {
            transport.close(now, id, code);
        }
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        if let Some((transport, id)) = self.of(connection) {
            transport.reset(now, id, reason);
        }
    }

    fn forget(&mut self, now: Instant, connection: ConnectionId) {
        if let Some((transport, id)) = self.of(connection) {
            transport.forget(now, id);
        }
    }

    fn unanswered(&mut self, now: Instant, connection: ConnectionId, waited: Duration) {
        if let Some((transport, id)) = self.of(connection) {
            transport.unanswered(now, id, waited);
        }
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        let (transport, id) = self.look(connection)?;
        transport.peer(id)
    }

    fn local_address(&self, towards: IpAddr, by: Option<InterfaceId>) -> Option<IpAddr> {
        let mut columns = self.columns.iter().map(|member| &member.column);
        columns.find_map(|it| it.transport.local_address(towards, by.or(it.leaves_by)))
    }
}
