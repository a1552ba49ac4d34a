//! The transport interface to the layer above.

use core::net::SocketAddr;

use bytes::Bytes;
use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, DatagramError, ListenError, OpenError, OpenOptions, Payload,
    ReadOutcome, ResetReason, StreamError, StreamId, StreamKind, Transport, TransportEvent,
    TransportInput, TransportOutput,
};
use lasthop_units::Instant;
use quinn_proto::{SendDatagramError, VarInt};

use crate::clock::to_library;
use crate::connection::{Connection, FIRST};
use crate::outcome::GIVEN_UP;
use crate::quic::Quic;
use crate::streams::Stream;

impl<T: Transport> Transport for Quic<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match &input {
            TransportInput::Crash(survives) => {
                self.forget_all();
                self.work.crash(*survives);
            }
            TransportInput::Stop => self.in_room(|it| it.say_goodbye(now)),
            TransportInput::AddressNoticed => self.move_clients(),
            // Who is not told goes on: its peer sees the new address, and validates it (RFC 9000 section 9).
            TransportInput::Packet(_)
            | TransportInput::AddressChanged { .. }
            | TransportInput::InterfaceMtu { .. }
            | TransportInput::Timeout => {}
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        self.in_room(|it| it.go_on(now))
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let client = self.client.clone().ok_or(OpenError::NoSuchColumn)?;
        let flow = self.lower.open_with(now, peer, options, &[])?;
        let (endpoint, work) = self.endpoint(now);
        let opened = work.enter(now, Some(peer), || {
            endpoint.connect(to_library(now), client.config, peer, &client.server_name)
        });
        let Ok((handle, machine)) = opened else {
            self.lower.reset(now, flow, ResetReason::NotNeeded);
            return Err(OpenError::NoFreePort);
        };
        let give_up_at = now + client.patience;
        let mut connection = Connection::new(machine, handle, flow, client.keeps_alive, give_up_at);
        connection.give(early_data);
        let id = self.add(connection);
        self.owners.insert(flow, id);
        self.look_at(id);
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)?;
        if let Some(server) = &self.server {
            let config = server.config.clone();
            let (endpoint, _) = self.endpoint(Instant::ZERO);
            endpoint.set_server_config(Some(config));
        }
        Ok(())
    }

    fn initial_stream(&self, id: ConnectionId) -> Option<StreamId> {
        let connection = self.get(id).filter(|it| it.is_client())?;
        connection.streams.contains(&FIRST).then_some(FIRST)
    }

    fn own_stream(&mut self, _now: Instant, id: ConnectionId) -> Result<StreamId, StreamError> {
        let connection = self.get_mut(id).ok_or(StreamError::NoSuchStream)?;
        if !connection.is_client() || connection.is_begun {
            return match connection.is_client() {
                true => Ok(FIRST),
                false => connection.open(StreamKind::Bidirectional),
            };
        }
        // It has its number before the peer allows it.
        connection
            .streams
            .get_or_insert_with(FIRST, Stream::default);
        if connection.established.is_some() {
            connection.begin();
        }
        Ok(FIRST)
    }

    fn open_stream(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        let connection = self.get_mut(id).ok_or(StreamError::NoSuchStream)?;
        connection.open(kind)
    }

    fn write(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let connection = self.get_mut(id).ok_or(StreamError::NoSuchStream)?;
        let taken = connection.write(stream, chunks)?;
        self.look_at(id);
        Ok(taken)
    }

    fn read(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let connection = self.get_mut(id).ok_or(StreamError::NoSuchStream)?;
        let (outcome, is_news) = connection.read(stream, into)?;
        // With the end of its first stream a connection may be over.
        if is_news || (stream == FIRST && outcome == ReadOutcome::Finished) {
            self.look_at(id);
        }
        Ok(outcome)
    }

    fn send_datagram(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let connection = self.get_mut(id).ok_or(DatagramError::NoSuchConnection)?;
        let mut bytes = Vec::with_capacity(chunks.iter().map(|it| it.bytes.len()).sum());
        chunks.iter().for_each(|it| bytes.extend(it.bytes));
        match connection
            .machine
            .datagrams()
            .send(Bytes::from(bytes), false)
        {
            Ok(()) => connection.labels.wrote_datagram(chunks),
            // There is no room; nobody was promised that it comes.
            Err(SendDatagramError::Blocked(_)) => {}
            Err(SendDatagramError::TooLarge) => return Err(DatagramError::TooLarge),
            Err(_) => return Err(DatagramError::StreamsOnly),
        }
        self.look_at(id);
        Ok(())
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        let connection = self.get_mut(id)?;
        let bytes = connection.machine.datagrams().recv()?;
        Some(Payload::copied_from(&bytes))
    }

    fn finish(&mut self, _now: Instant, id: ConnectionId, stream: StreamId) {
        if let Some(connection) = self.get_mut(id) {
            connection.finish(stream);
            self.look_at(id);
        }
    }

    fn reset_stream(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        let connection = self.get_mut(id).ok_or(StreamError::NoSuchStream)?;
        connection.reset_stream(stream, code)?;
        self.look_at(id);
        Ok(())
    }

    fn prioritise(&mut self, id: ConnectionId, stream: StreamId, priority: i32) {
        if let Some(connection) = self.get_mut(id) {
            connection.prioritise(stream, priority);
        }
    }

    fn outlast_streams(&mut self, id: ConnectionId) {
        if let Some(connection) = self.get_mut(id) {
            connection.outlasts_streams = true;
        }
    }

    fn close(&mut self, now: Instant, id: ConnectionId, code: u64) {
        let code = VarInt::from_u64(code).unwrap_or(VarInt::MAX);
        let reason = CloseReason::Reset(ResetReason::NotNeeded);
        self.end(now, id, code, reason);
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.end(now, id, GIVEN_UP, CloseReason::Reset(reason));
    }

    fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        Some(self.get(id)?.peer)
    }
}

impl<T: Transport> Quic<T> {
    /// Goes on until there is something to tell, or to wait for.
    fn go_on(&mut self, now: Instant) -> TransportOutput {
        while let Some(id) = self.timers.pop_due(now) {
            self.on_timeout(now, id);
        }
        loop {
            if let Some(output) = self.outputs.pop() {
                return output;
            }
            if let Some(id) = self.due.pop_front() {
                self.drive(now, id);
                continue;
            }
            match self.lower.poll(now) {
                TransportOutput::Event(flow, event) => self.on_lower(now, flow, event),
                TransportOutput::WaitUntil(_) if !self.due.is_empty() => {}
                TransportOutput::WaitUntil(deadline) => {
                    let own = self.timers.next_deadline();
                    return TransportOutput::WaitUntil(deadline.into_iter().chain(own).min());
                }
                output => return output,
            }
        }
    }

    /// Ends a connection at once and notifies the layer above.
    pub(crate) fn end(
        &mut self,
        now: Instant,
        id: ConnectionId,
        code: VarInt,
        reason: CloseReason,
    ) {
        let Some(connection) = self.get_mut(id) else {
            return;
        };
        connection
            .machine
            .close(to_library(now), code, Bytes::new());
        if connection.over() {
            self.emit(id, TransportEvent::Closed(reason));
        }
        self.look_at(id);
    }
}
