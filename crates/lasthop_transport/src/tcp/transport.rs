use core::net::SocketAddr;
use std::collections::VecDeque;
use std::sync::Arc;

use lasthop_contract::{
    Awaited, Chunk, CloseReason, ConnectionId, Expectation, Held, ListenError, OpenError,
    OpenOptions, Packet, ReadOutcome, ResetReason, StreamError, StreamId, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use super::connection::{Connection, Outputs, State};
use super::endpoint::Tcp;
use super::output::Push;
use crate::ip::IpPacket;

impl Transport for Tcp {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match input {
            TransportInput::Packet(packet) => self.receive(now, packet),
            TransportInput::AddressChanged { interface, address } => {
                self.local.change_address(interface, address);
                self.has_moved = true;
            }
            TransportInput::AddressNoticed => self.end_stranded(),
            TransportInput::InterfaceMtu { interface, mtu } => {
                self.local.set_mtu(interface, mtu);
                for id in self.connections.ids() {
                    if let Some(connection) = self.connections.get_mut(id) {
                        connection.fit(interface, mtu);
                    }
                }
            }
            TransportInput::Stop => self.stop(now),
            TransportInput::Crash(_) => self.forget_all(),
            TransportInput::Timeout => self.timeout(now),
        }
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        match self.next_output() {
            Some(output) => {
                if let TransportOutput::Event(id, TransportEvent::Closed(_)) = output {
                    self.forget(now, id);
                }
                output
            }
            None => {
                // Room for a few stays; what a burst took is given back.
                if self.outputs.capacity() > 4 {
                    self.outputs = VecDeque::new();
                }
                TransportOutput::WaitUntil(self.next_deadline())
            }
        }
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let interface = options.interface;
        if options.column != 0 {
            return Err(OpenError::NoSuchColumn);
        }
        let Some(address) = self.local.address_towards(peer.ip(), interface) else {
            return Err(OpenError::AddressFamily);
        };
        let early: usize = early_data.iter().map(|chunk| chunk.bytes.len()).sum();
        if early > self.profile.send_buffer as usize {
            return Err(OpenError::EarlyDataTooLarge);
        }
        let port = self.port(peer, options.local_port)?;
        let local = SocketAddr::new(address, port);
        let random = self.stream.next_u64();
        let asks = early > 0 && self.profile.fast_open_client;
        let server = asks.then(|| self.fast_open().of_server(peer));
        let mut connection = Connection::new(Arc::clone(&self.profile), now, local, peer, random);
        connection.interface = interface;
        connection.mtu = self.local.mtu(interface);
        for chunk in early_data {
            connection.buffer.push(*chunk, chunk.bytes.len());
        }
        let id = self.connections.add(Box::new(connection));
        self.with(id, |connection, out| {
            connection.connect(now, server.as_ref(), out);
        });
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.local.listen(port)
    }

    fn initial_stream(&self, _connection: ConnectionId) -> Option<StreamId> {
        Some(Self::STREAM)
    }

    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        if stream != Self::STREAM {
            return Err(StreamError::NoSuchStream);
        }
        self.with(connection, |connection, out| {
            connection.write(now, chunks, out)
        })
        .unwrap_or(Err(StreamError::NoSuchStream))
    }

    fn read(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        if stream != Self::STREAM {
            return Err(StreamError::NoSuchStream);
        }
        self.with(connection, |connection, out| {
            connection.check_stream()?;
            connection.announced = false;
            let count = connection.read(into);
            if count > 0 {
                if connection.state != State::Closed {
                    connection.acknowledge_after_read(now, out);
                }
                connection.announce_if_done(out);
                return Ok(ReadOutcome::Read(count));
            }
            let is_over = connection.peer_finished && connection.unread.is_empty();
            Ok(if is_over {
                ReadOutcome::Finished
            } else {
                ReadOutcome::Blocked
            })
        })
        .unwrap_or(Err(StreamError::NoSuchStream))
    }

    fn finish(&mut self, now: Instant, connection: ConnectionId, _stream: StreamId) {
        self.with(connection, |connection, out| connection.finish(now, out));
    }

    /// Resets the connection. TCP cannot carry an application code.
    fn reset_stream(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        _code: u64,
    ) -> Result<(), StreamError> {
        if stream != Self::STREAM || self.connections.get(connection).is_none() {
            return Err(StreamError::NoSuchStream);
        }
        self.reset(now, connection, ResetReason::NotNeeded);
        Ok(())
    }

    /// Data on a stream must be acknowledged, so no message ends the exchange.
    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        match (awaited, self.awaited_segments()) {
            (Awaited::Nothing, Awaited::Nothing) => Some(Expectation::NothingMore),
            (Awaited::Nothing, Awaited::OneMessage) => Some(Expectation::OneAnswer),
            _ => None,
        }
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        self.with(connection, |connection, out| {
            connection.reset(now, reason, out);
        });
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.connections
            .get(connection)
            .map(|connection| connection.peer)
    }

    fn held(&self) -> Held {
        let (none, waits) = (Held::default(), self.time_waits.as_ref());
        let none = Held {
            time_waits: waits.map_or(0, |waits| waits.count() as u32),
            ..none
        };
        self.connections
            .iter()
            .fold(none, |held, (_, connection)| Held {
                connections: held.connections + 1,
                unread_bytes: held.unread_bytes + connection.unread.len() as u64,
                written_bytes: held.written_bytes + u64::from(connection.buffer.len()),
                ..held
            })
    }
}

impl Tcp {
    /// Returns which segments follow the last one on all connections: acknowledgements of data in flight.
    ///
    /// Up to two segments are acknowledged together (RFC 9293 section 3.8.6.3).
    fn awaited_segments(&self) -> Awaited {
        let connections = self.connections.iter().map(|(_, it)| it.awaits());
        connections.fold(Awaited::Nothing, Awaited::and)
    }

    /// The ID of a connection's only stream.
    pub const STREAM: StreamId = StreamId(0);

    /// Ends connections from addresses that the host no longer has, without notice to the peers.
    ///
    /// Linux does so by `SOCK_DESTROY`, which Android uses when an address is removed.
    fn end_stranded(&mut self) {
        for id in self.connections.ids() {
            let connection = self.connections.get(id);
            let local = connection.map(|connection| connection.local.ip());
            if local.is_some_and(|local| !self.local.has(local)) {
                self.with(id, |connection, out| {
                    connection.end(CloseReason::AddressGone, out);
                });
            }
        }
    }

    /// Returns the next output.
    ///
    /// Packets from an address that the host no longer has are dropped while their timers continue, because Linux finds
    /// no route (`__ip_route_output_key_hash`).
    fn next_output(&mut self) -> Option<TransportOutput> {
        let output = self.outputs.pop_front();
        if !self.has_moved {
            return output;
        }
        let (mut output, local) = (output, &self.local);
        let is_stranded =
            |packet: &Packet| IpPacket::parse(packet.bytes()).is_ok_and(|ip| !local.has(ip.source));
        while let Some(TransportOutput::Transmit(packet)) = &output
            && is_stranded(packet)
        {
            output = self.outputs.pop_front();
        }
        output
    }
}

impl Connection {
    fn awaits(&self) -> Awaited {
        match self.state {
            State::Closed | State::TimeWait => Awaited::Nothing,
            State::LastAck if !self.has_unsent() => Awaited::OneMessage,
            State::Established
                if !self.has_unsent()
                    && !self.acknowledgement.waits
                    && self.reassembly.is_none() =>
            {
                Awaited::messages(self.board.outstanding().div_ceil(2) as usize)
            }
            _ => Awaited::More,
        }
    }

    fn write(
        &mut self,
        now: Instant,
        chunks: &[Chunk<'_>],
        out: &mut Outputs<'_>,
    ) -> Result<usize, StreamError> {
        let is_gone = matches!(self.state, State::Closed | State::TimeWait);
        if self.fin_queued || is_gone {
            return Err(StreamError::NoSuchStream);
        }
        let limit = self.profile.send_buffer;
        let mut room = limit.saturating_sub(self.buffer.len()) as usize;
        let mut taken = 0;
        self.rest_if_idle(now);
        for chunk in chunks {
            let count = chunk.bytes.len().min(room);
            self.wants_room |= count < chunk.bytes.len();
            self.buffer.push(*chunk, count);
            room -= count;
            taken += count;
        }
        self.send_pending(now, Push::Nagle, out);
        Ok(taken)
    }

    /// Reduces a stale congestion window after an idle time (RFC 2861, `tcp_slow_start_after_idle_check`).
    fn rest_if_idle(&mut self, now: Instant) {
        if !self.profile.slow_start_after_idle || !self.board.is_empty() || self.has_unsent() {
            return;
        }
        let (idle, timeout) = (now - self.last_sent, self.rtt.timeout());
        if idle > timeout && self.is_synchronised() {
            self.congestion
                .rest(now, idle, timeout, self.profile.initial_window);
        }
    }
}
