use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lasthop_contract::{
    Awaited, Chunk, ConnectionId, Established, Expectation, JoinError, ListenError, OpenError,
    OpenOptions, Outbox, RandomStream, ReadOutcome, ResetReason, StreamError, StreamId, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use crate::WebSocketConfig;
use crate::closing::{GOING_AWAY, NORMAL};
use crate::connection::{Asking, Connection, Phase};
use crate::handshake;
use crate::messages::{MessageKind, MessageOutcome};
use crate::opening::SET_UP;
use crate::outbound::Outbound;

/// All WebSockets of a host, over a stream transport with the same connection IDs.
///
/// What is written in one go is one message in one binary frame; what comes is one stream, whatever messages and frames it
/// came in.
#[derive(Debug)]
pub struct WebSocket<T> {
    pub(crate) lower: T,
    pub(crate) config: Arc<WebSocketConfig>,
    pub(crate) outbound: Outbound,
    pub(crate) connections: BTreeMap<ConnectionId, Connection>,
    outputs: VecDeque<TransportOutput>,
    /// In the order of time: all have the same patience. Those of a connection that no longer waits are passed over.
    pub(crate) deadlines: VecDeque<(Instant, ConnectionId)>,
}

impl<T: Transport> WebSocket<T> {
    /// Creates the WebSockets of a host over a stream transport.
    ///
    /// Keys and masks come from the stream, or from the operating system without one.
    pub const fn new(lower: T, config: Arc<WebSocketConfig>, random: Option<RandomStream>) -> Self {
        Self {
            lower,
            config,
            outbound: Outbound::new(random),
            connections: BTreeMap::new(),
            outputs: VecDeque::new(),
            deadlines: VecDeque::new(),
        }
    }

    pub(crate) fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }

    pub(crate) fn deadline(&mut self, now: Instant, id: ConnectionId) -> Instant {
        let deadline = now + self.config.patience;
        self.deadlines.push_back((deadline, id));
        deadline
    }

    fn on_lower(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(how) => match self.connections.get_mut(&id) {
                Some(connection) => {
                    if let Phase::Asking(asking) = &mut connection.phase {
                        asking.established = how;
                    }
                }
                None => self.accept(now, id, event),
            },
            TransportEvent::StreamOpened(..) if !self.connections.contains_key(&id) => {
                self.accept(now, id, event);
            }
            TransportEvent::Readable(stream) => self.on_readable(now, id, stream),
            TransportEvent::Writable(stream) => {
                if let Some(connection) = self.connections.get_mut(&id)
                    && connection.outbox.flush(now, &mut self.lower, id)
                    && core::mem::take(&mut connection.is_full)
                {
                    self.emit(id, TransportEvent::Writable(stream));
                }
            }
            TransportEvent::Rebound | TransportEvent::Moved => self.emit(id, event),
            TransportEvent::Closed(reason) => self.on_closed(id, reason),
            _ => {}
        }
    }

    pub(crate) fn on_readable(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        match connection.phase {
            Phase::Open if !connection.is_over => {
                self.emit(id, TransportEvent::Readable(stream));
            }
            Phase::Open | Phase::Refused => self.drain(now, id, stream),
            Phase::Asking(_) | Phase::Awaiting(_) => self.shake_hands(now, id, stream),
        }
    }
}

impl<T: Transport> Transport for WebSocket<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match input {
            TransportInput::Stop => {
                let ids: Vec<ConnectionId> = self.connections.keys().copied().collect();
                for id in ids {
                    self.close(now, id, &GOING_AWAY.to_be_bytes());
                }
            }
            TransportInput::Crash(_) => {
                self.connections.clear();
                self.outputs.clear();
                self.deadlines.clear();
            }
            _ => {}
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        self.give_up(now);
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return output;
            }
            match self.lower.poll(now) {
                TransportOutput::Event(id, event) => self.on_lower(now, id, event),
                TransportOutput::WaitUntil(deadline) if self.outputs.is_empty() => {
                    let own = self.next_deadline();
                    return TransportOutput::WaitUntil(deadline.into_iter().chain(own).min());
                }
                TransportOutput::WaitUntil(_) => {}
                output => return output,
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
        let key = handshake::key(self.outbound.random());
        let host = match &self.config.host {
            Some(host) => host.clone(),
            None => peer.to_string(),
        };
        let request = handshake::request(&self.config, &host, &key);
        let chunk = Chunk {
            bytes: request.as_bytes(),
            provenance: SET_UP,
        };
        let id = self.lower.open_with(now, peer, options, &[chunk])?;
        let stream = self.lower.own_stream(now, id);
        let stream = stream.map_err(|_| OpenError::EarlyDataTooLarge)?;
        let early = early_data
            .iter()
            .map(|it| (it.provenance, it.bytes.to_vec()));
        let asking = Asking {
            accept: handshake::accept(key.as_bytes()),
            established: Established::Full,
            head: Vec::new(),
            early: early.collect(),
        };
        let deadline = self.deadline(now, id);
        let phase = Phase::Asking(Box::new(asking));
        let connection =
            Connection::new(Outbox::new(stream), phase, self.config.takes_text, deadline);
        self.connections.insert(id, connection);
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        self.lower.join(group, port)
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        let connection = self.connections.get(&connection)?;
        Some(connection.outbox.stream())
    }

    fn write(
        &mut self,
        now: Instant,
        id: ConnectionId,
        _stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let length = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        if length == 0 {
            return match self.connections.get(&id) {
                Some(connection) if !connection.has_closed => Ok(0),
                _ => Err(StreamError::NoSuchStream),
            };
        }
        let is_taken = self.write_message(now, id, MessageKind::Binary, chunks)?;
        Ok(if is_taken { length } else { 0 })
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        loop {
            match self.read_message(now, id, stream, into)? {
                MessageOutcome::Part(count) => return Ok(ReadOutcome::Read(count)),
                MessageOutcome::End(_) => {}
                MessageOutcome::Blocked => return Ok(ReadOutcome::Blocked),
                MessageOutcome::Finished => return Ok(ReadOutcome::Finished),
            }
        }
    }

    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        self.lower.expectation(awaited)
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        self.lower.expect(connection, expectation);
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, _stream: StreamId) {
        match self.connections.get(&id).map(|it| &it.phase) {
            Some(Phase::Open) => self.close(now, id, &NORMAL.to_be_bytes()),
            Some(_) => self.lower.reset(now, id, ResetReason::NotNeeded),
            None => {}
        }
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        self.lower.reset_stream(now, id, stream, code)
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.lower.reset(now, id, reason);
    }

    fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.lower.peer(id)
    }
}
