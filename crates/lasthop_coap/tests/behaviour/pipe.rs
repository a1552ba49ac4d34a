//! A reliable byte stream without a protocol: what is written comes out at the other end, cut into pieces.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::testing::STREAM;
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Established, Layer, ListenError, OpenError,
    OpenOptions, Packet, Provenance, ReadOutcome, ResetReason, StreamError, StreamId, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

/// One end. A packet is the number of a connection, what it is (data, finish, reset), and data.
pub(crate) struct Pipe {
    address: IpAddr,
    /// How many bytes a packet carries.
    piece: usize,
    /// How many bytes wait to be sent before no more are taken.
    room: usize,
    connections: BTreeMap<u64, Connection>,
    outputs: VecDeque<TransportOutput>,
    next: u64,
}

#[derive(Default)]
struct Connection {
    outbound: VecDeque<u8>,
    inbound: VecDeque<u8>,
    refused: bool,
    finishing: bool,
    finished: bool,
    peer_finished: bool,
}

const DATA: u8 = 0;
const FINISH: u8 = 1;
const RESET: u8 = 2;
const OPEN: u8 = 3;
const OPAQUE: Provenance = Provenance::new(Layer::Tcp, Cause::Opaque);

impl Pipe {
    pub(crate) fn new(address: IpAddr, piece: usize, room: usize) -> Self {
        Self {
            address,
            piece,
            room,
            connections: BTreeMap::new(),
            outputs: VecDeque::new(),
            next: 0,
        }
    }

    fn emit(&mut self, id: u64, event: TransportEvent) {
        self.outputs
            .push_back(TransportOutput::Event(ConnectionId(id), event));
    }

    fn packet(id: u64, kind: u8, data: &[u8]) -> TransportOutput {
        let bytes = [&id.to_be_bytes()[..], &[kind], data].concat();
        TransportOutput::Transmit(Packet::of(&bytes, OPAQUE))
    }

    fn close_if_over(&mut self, id: u64) {
        let over = |c: &Connection| c.finished && c.peer_finished && c.inbound.is_empty();
        if self.connections.get(&id).is_some_and(over) {
            self.connections.remove(&id);
            self.emit(id, TransportEvent::Closed(CloseReason::Finished));
        }
    }
}

impl Transport for Pipe {
    fn handle(&mut self, _now: Instant, input: TransportInput) {
        let TransportInput::Packet(packet) = input else {
            return;
        };
        let (id, rest) = packet.bytes().split_first_chunk::<8>().unwrap();
        let (id, kind, data) = (u64::from_be_bytes(*id), rest[0], &rest[1..]);
        if kind == OPEN {
            self.connections.insert(id, Connection::default());
            self.emit(id, TransportEvent::Established(Established::Full));
        }
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        match kind {
            DATA => connection.inbound.extend(data),
            FINISH => connection.peer_finished = true,
            RESET => {
                self.connections.remove(&id);
                return self.emit(id, TransportEvent::Closed(CloseReason::PeerReset));
            }
            _ => return,
        }
        self.emit(id, TransportEvent::Readable(STREAM));
        self.close_if_over(id);
    }

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        if let Some(output) = self.outputs.pop_front() {
            return output;
        }
        let piece = self.piece;
        let busy = |c: &Connection| !c.outbound.is_empty() || c.finishing && !c.finished;
        let Some((&id, connection)) = self.connections.iter_mut().find(|(_, c)| busy(c)) else {
            return TransportOutput::WaitUntil(None);
        };
        if connection.outbound.is_empty() {
            connection.finished = true;
            self.close_if_over(id);
            return Self::packet(id, FINISH, &[]);
        }
        let length = piece.min(connection.outbound.len());
        let data: Vec<u8> = connection.outbound.drain(..length).collect();
        if core::mem::take(&mut connection.refused) {
            self.emit(id, TransportEvent::Writable(STREAM));
        }
        Self::packet(id, DATA, &data)
    }

    fn open_with(
        &mut self,
        _now: Instant,
        _peer: SocketAddr,
        _options: OpenOptions,
        _early: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let id = self.next;
        self.next += 1;
        self.connections.insert(id, Connection::default());
        self.outputs.push_back(Self::packet(id, OPEN, &[]));
        self.emit(id, TransportEvent::Established(Established::Full));
        Ok(ConnectionId(id))
    }

    fn listen(&mut self, _port: u16) -> Result<(), ListenError> {
        Ok(())
    }

    fn initial_stream(&self, _connection: ConnectionId) -> Option<StreamId> {
        Some(STREAM)
    }

    fn write(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        _stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let connection = self
            .connections
            .get_mut(&id.0)
            .filter(|connection| !connection.finishing)
            .ok_or(StreamError::NoSuchStream)?;
        let mut total = 0;
        for chunk in chunks {
            let taken = chunk.bytes.len().min(self.room - connection.outbound.len());
            connection.outbound.extend(&chunk.bytes[..taken]);
            connection.refused |= taken < chunk.bytes.len();
            total += taken;
        }
        Ok(total)
    }

    fn read(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        _stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let connection = self
            .connections
            .get_mut(&id.0)
            .ok_or(StreamError::NoSuchStream)?;
        let length = into.len().min(connection.inbound.len());
        for (place, byte) in into.iter_mut().zip(connection.inbound.drain(..length)) {
            *place = byte;
        }
        let outcome = match length {
            0 if connection.peer_finished => ReadOutcome::Finished,
            0 => ReadOutcome::Blocked,
            _ => ReadOutcome::Read(length),
        };
        self.close_if_over(id.0);
        Ok(outcome)
    }

    fn finish(&mut self, _now: Instant, id: ConnectionId, _stream: StreamId) {
        if let Some(connection) = self.connections.get_mut(&id.0) {
            connection.finishing = true;
        }
    }

    fn reset(&mut self, _now: Instant, id: ConnectionId, reason: ResetReason) {
        if self.connections.remove(&id.0).is_some() {
            self.outputs.push_back(Self::packet(id.0, RESET, &[]));
            self.emit(id.0, TransportEvent::Closed(CloseReason::Reset(reason)));
        }
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        let is_open = self.connections.contains_key(&connection.0);
        is_open.then(|| SocketAddr::new(self.address, 5683))
    }
}
