use core::net::SocketAddr;
use std::collections::VecDeque;
use std::sync::Arc;

use lasthop_contract::{
    Chunk, ConnectionId, ListenError, OpenError, ReadOutcome, ResetReason, StreamError, StreamId,
    Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use super::connection::{Connection, Outbox, State};
use super::endpoint::Tcp;
use super::output::Push;

impl Transport for Tcp {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match input {
            TransportInput::Packet(packet) => self.receive(now, packet),
            TransportInput::AddressChanged(address) => self.address = address,
            TransportInput::Timeout => self.timeout(now),
        }
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        match self.outputs.pop_front() {
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

    fn open(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        if peer.is_ipv4() != self.address.is_ipv4() {
            return Err(OpenError::AddressFamily);
        }
        let early: usize = early_data.iter().map(|chunk| chunk.bytes.len()).sum();
        if early > self.profile.send_buffer as usize {
            return Err(OpenError::EarlyDataTooLarge);
        }
        let port = self.free_port(peer).ok_or(OpenError::NoFreePort)?;
        let local = SocketAddr::new(self.address, port);
        let random = self.stream.next_u64();
        let asks = early > 0 && self.profile.fast_open_client;
        let server = asks.then(|| self.fast_open().of_server(peer));
        let mut connection = Connection::new(Arc::clone(&self.profile), now, local, peer, random);
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
        self.ports.listen(port)
    }

    fn write(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        if stream != StreamId::FIRST {
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
        if stream != StreamId::FIRST {
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
}

impl Connection {
    fn write(
        &mut self,
        now: Instant,
        chunks: &[Chunk<'_>],
        out: &mut Outbox<'_>,
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

    /// After a pause the congestion window is stale (RFC 2861, `tcp_slow_start_after_idle_check`).
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
