use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Established, Expectation, JoinError, Layer,
    ListenError, OpenError, OpenOptions, Outbox, Provenance, RandomStream, ReadOutcome,
    ResetReason, StreamError, StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use crate::WebSocketConfig;
use crate::connection::{Asking, Connection, Phase};
use crate::frame::{Fault, Opcode};
use crate::handshake::{self, Answered, Asked};
use crate::inbound::Came;
use crate::outbound::Outbound;

/// All WebSockets of a host, over the connections of the transport below, by whose ids they go.
///
/// What is written in one go is one message in one binary frame; what comes is one stream, whatever messages and frames it
/// came in. Keys and masks come from a named random stream.
#[derive(Debug)]
pub struct WebSocket<T> {
    lower: T,
    config: Arc<WebSocketConfig>,
    outbound: Outbound,
    connections: BTreeMap<ConnectionId, Connection>,
    outputs: VecDeque<TransportOutput>,
    /// In the order of time: all have the same patience. Those of a connection that no longer waits are passed over.
    deadlines: VecDeque<(Instant, ConnectionId)>,
}

const SET_UP: Provenance = Provenance::new(Layer::WebSocket, Cause::SessionSetUp);
/// RFC 6455 §7.4.1.
const NORMAL: u16 = 1000;
const GOING_AWAY: u16 = 1001;

impl<T: Transport> WebSocket<T> {
    /// WebSockets over a transport of streams.
    pub const fn new(lower: T, config: Arc<WebSocketConfig>, random: RandomStream) -> Self {
        Self {
            lower,
            config,
            outbound: Outbound::new(random),
            connections: BTreeMap::new(),
            outputs: VecDeque::new(),
            deadlines: VecDeque::new(),
        }
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }

    fn deadline(&mut self, now: Instant, id: ConnectionId) -> Instant {
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
            TransportEvent::Rebound => self.emit(id, event),
            TransportEvent::Closed(reason) => self.on_closed(id, reason),
            _ => {}
        }
    }

    fn accept(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        if let Some(stream) = event.new_stream(id, &self.lower) {
            let deadline = self.deadline(now, id);
            let phase = Phase::Awaiting(Vec::new());
            let connection = Connection::new(Outbox::new(stream), phase, deadline);
            self.connections.insert(id, connection);
        }
    }

    fn on_readable(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
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

    /// Reads what nobody wants, until the peer has finished.
    fn drain(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let mut room = [0; 1024];
        loop {
            match self.lower.read(now, id, stream, &mut room) {
                Ok(ReadOutcome::Read(_)) => {}
                Ok(ReadOutcome::Finished) => break,
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.outbox.finish(now, &mut self.lower, id);
        }
    }

    fn shake_hands(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        let mut room = [0; 1024];
        loop {
            match self.lower.read(now, id, stream, &mut room) {
                Ok(ReadOutcome::Read(count)) => {
                    if self.take_head(now, id, &room[..count]) {
                        return self.on_readable(now, id, stream);
                    }
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
                Ok(ReadOutcome::Finished) => {
                    return self.lower.reset(now, id, ResetReason::PeerError);
                }
            }
        }
    }

    /// Takes more of a head; whether it is over with it, one way or the other.
    fn take_head(&mut self, now: Instant, id: ConnectionId, bytes: &[u8]) -> bool {
        let Some(connection) = self.connections.get_mut(&id) else {
            return true;
        };
        let subprotocol = &self.config.subprotocol;
        match &mut connection.phase {
            Phase::Awaiting(head) => {
                head.extend(bytes);
                match handshake::asked(head, subprotocol) {
                    Asked::Incomplete => return false,
                    Asked::Accepted(length, response) => {
                        connection.inbound.begin_with(&head[length..]);
                        self.open(now, id, &response, Established::Full);
                    }
                    Asked::Refused(response) => self.refuse(now, id, response),
                }
            }
            Phase::Asking(asking) => {
                asking.head.extend(bytes);
                match handshake::answered(&asking.head, &asking.accept, subprotocol) {
                    Answered::Incomplete => return false,
                    Answered::Open(length) => {
                        connection.inbound.begin_with(&asking.head[length..]);
                        // What the application gave was not early: the request was.
                        let how = match asking.established {
                            Established::Early => Established::Resumed,
                            how => how,
                        };
                        self.open(now, id, "", how);
                    }
                    Answered::Refused => {
                        connection.verdict = Some(CloseReason::PeerError);
                        self.lower.reset(now, id, ResetReason::PeerError);
                    }
                }
            }
            Phase::Refused | Phase::Open => {}
        }
        true
    }

    fn open(&mut self, now: Instant, id: ConnectionId, response: &str, how: Established) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.deadline = None;
        let phase = core::mem::replace(&mut connection.phase, Phase::Open);
        if let Phase::Asking(asking) = phase {
            let early = asking.early.iter().map(|(provenance, bytes)| Chunk {
                bytes,
                provenance: *provenance,
            });
            let early: Vec<Chunk<'_>> = early.collect();
            connection.send(now, id, &early, &mut self.outbound, &mut self.lower);
        } else {
            let bytes = response.as_bytes();
            let chunk = Chunk {
                bytes,
                provenance: SET_UP,
            };
            connection.outbox.write(now, &mut self.lower, id, &[chunk]);
        }
        self.emit(id, TransportEvent::Established(how));
    }

    fn refuse(&mut self, now: Instant, id: ConnectionId, response: &str) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.phase = Phase::Refused;
            let chunk = Chunk {
                bytes: response.as_bytes(),
                provenance: SET_UP,
            };
            connection.outbox.write(now, &mut self.lower, id, &[chunk]);
            connection.outbox.finish(now, &mut self.lower, id);
        }
    }

    /// Sends a close frame, unless one has left (RFC 6455 §7.1.2).
    fn close(&mut self, now: Instant, id: ConnectionId, status: &[u8]) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        if connection.has_closed || !matches!(connection.phase, Phase::Open) {
            return;
        }
        connection.has_closed = true;
        let frame = (Opcode::Close, status, Cause::SessionTearDown);
        connection.control(now, id, frame, &mut self.outbound, &mut self.lower);
        let deadline = self.deadline(now, id);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.deadline = Some(deadline);
        }
    }

    /// Ends a connection whose peer did what it must not (RFC 6455 §7.1.7).
    fn fail(&mut self, now: Instant, id: ConnectionId, fault: Fault) {
        self.close(now, id, &fault.status().to_be_bytes());
        self.end(now, id, true);
    }

    /// Nothing more comes of a connection. The server ends the stream below (RFC 6455 §7.1.1), and a client whose peer
    /// cannot be waited for.
    fn end(&mut self, now: Instant, id: ConnectionId, is_broken: bool) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.is_over = true;
        if is_broken {
            connection.verdict = Some(CloseReason::PeerError);
        }
        if is_broken || !connection.is_client {
            connection.outbox.finish(now, &mut self.lower, id);
        }
        let stream = connection.outbox.stream();
        self.drain(now, id, stream);
    }

    fn on_control(&mut self, now: Instant, id: ConnectionId, opcode: Opcode, payload: &[u8]) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        match opcode {
            // Of several pings the last ones may go unanswered (RFC 6455 §5.5.3): nobody fills the memory with them.
            Opcode::Ping if connection.outbox.is_empty() && !connection.has_closed => {
                let frame = (Opcode::Pong, payload, Cause::KeepAlive);
                connection.control(now, id, frame, &mut self.outbound, &mut self.lower);
            }
            Opcode::Close if is_status(payload) => {
                self.close(now, id, payload.get(..2).unwrap_or_default());
                self.end(now, id, false);
            }
            Opcode::Close => self.fail(now, id, Fault::Protocol),
            _ => {}
        }
    }

    fn on_closed(&mut self, id: ConnectionId, reason: CloseReason) {
        let Some(connection) = self.connections.remove(&id) else {
            return;
        };
        if !connection.is_known() {
            return;
        }
        let was_whole = connection.has_closed && connection.is_over;
        let reason = match reason {
            _ if let Some(verdict) = connection.verdict => verdict,
            // Both have said that they are done; how the stream below ends tells nothing more (RFC 6455 §7.1.4).
            CloseReason::PeerReset if was_whole => CloseReason::Finished,
            // A stream that ends without a word was cut off.
            CloseReason::Finished if !was_whole => CloseReason::PeerError,
            reason => reason,
        };
        self.emit(id, TransportEvent::Closed(reason));
    }

    /// Gives up those that have waited for long enough.
    fn give_up(&mut self, now: Instant) {
        while self.next_deadline().is_some_and(|at| at <= now)
            && let Some((_, id)) = self.deadlines.pop_front()
        {
            if let Some(connection) = self.connections.get_mut(&id) {
                connection.deadline = None;
                connection.verdict.get_or_insert(CloseReason::TimedOut);
            }
            self.lower.reset(now, id, ResetReason::NotNeeded);
        }
    }

    fn next_deadline(&mut self) -> Option<Instant> {
        while let Some((at, id)) = self.deadlines.front() {
            let connection = self.connections.get(id);
            if connection.is_some_and(|it| it.deadline == Some(*at)) {
                return Some(*at);
            }
            self.deadlines.pop_front();
        }
        None
    }
}

/// Whether a close frame may say this (RFC 6455 §5.5.1, §7.4): nothing, or a code, and why in UTF-8.
fn is_status(payload: &[u8]) -> bool {
    let Some((code, reason)) = payload.split_first_chunk() else {
        return payload.is_empty();
    };
    let is_code = matches!(u16::from_be_bytes(*code), 1000..=1003 | 1007..=1014 | 3000..=4999);
    is_code && core::str::from_utf8(reason).is_ok()
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
        let connection = Connection::new(Outbox::new(stream), phase, deadline);
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
        let connection = self.connections.get_mut(&id);
        let connection = connection.filter(|it| !it.has_closed);
        let connection = connection.ok_or(StreamError::NoSuchStream)?;
        let length = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        if !matches!(connection.phase, Phase::Open) || !connection.outbox.is_empty() {
            connection.is_full = true;
            return Ok(0);
        }
        if length > 0 {
            connection.send(now, id, chunks, &mut self.outbound, &mut self.lower);
        }
        Ok(length)
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        loop {
            let connection = self.connections.get_mut(&id);
            let connection = connection.ok_or(StreamError::NoSuchStream)?;
            if connection.is_over {
                return Ok(ReadOutcome::Finished);
            }
            if !matches!(connection.phase, Phase::Open) {
                return Ok(ReadOutcome::Blocked);
            }
            let lower = &mut self.lower;
            let mut below = |into: &mut [u8]| {
                let outcome = lower.read(now, id, stream, into);
                outcome.unwrap_or(ReadOutcome::Blocked)
            };
            match connection.inbound.read(into, &mut below) {
                Came::Data(count) => return Ok(ReadOutcome::Read(count)),
                Came::Blocked => return Ok(ReadOutcome::Blocked),
                Came::Finished => self.end(now, id, true),
                Came::Fault(fault) => self.fail(now, id, fault),
                Came::Control(opcode, payload) => self.on_control(now, id, opcode, &payload),
            }
        }
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
