//! A toy of many streams over datagrams, in the shape that QUIC has: streams of one or both directions that either end
//! opens and gives up one by one, and datagrams beside them, to groups too. It has no retransmission.
//!
//! A frame is a kind, the number of a stream and a body. As in QUIC, the lowest bit of the number says who opened a
//! stream, the next one whether only that end writes.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, DatagramError, JoinError, Layer, ListenError,
    LookupSet, OpenError, OpenOptions, Payload, Provenance, ReadOutcome, ResetReason, StreamError,
    StreamId, StreamKind, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

const DATA: u8 = 1;
const FINISH: u8 = 2;
const RESET: u8 = 3;
const DATAGRAM: u8 = 4;
const HEADER_LENGTH: usize = 9;

const OPENED_BY_SERVER: u64 = 1;
const UNIDIRECTIONAL: u64 = 2;
const FRAME: Provenance = Provenance::new(Layer::Quic, Cause::Header);

pub(super) struct ManyStreams<T> {
    lower: T,
    streams: BTreeMap<(ConnectionId, StreamId), Stream>,
    opened: LookupSet<ConnectionId>,
    datagrams: VecDeque<(ConnectionId, Payload)>,
    events: VecDeque<(ConnectionId, TransportEvent)>,
    initial: BTreeMap<ConnectionId, StreamId>,
    next: u64,
}

#[derive(Default)]
struct Stream {
    bytes: VecDeque<u8>,
    peer_finished: bool,
    finished: bool,
}

impl<T: Transport> ManyStreams<T> {
    pub(super) fn new(lower: T) -> Self {
        Self {
            lower,
            streams: BTreeMap::new(),
            opened: LookupSet::new(),
            datagrams: VecDeque::new(),
            events: VecDeque::new(),
            initial: BTreeMap::new(),
            next: 0,
        }
    }

    fn side(&self, id: ConnectionId) -> u64 {
        if self.opened.contains(&id) {
            0
        } else {
            OPENED_BY_SERVER
        }
    }

    fn frame(
        &mut self,
        now: Instant,
        id: ConnectionId,
        kind: u8,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let header = [&[kind][..], &stream.0.to_be_bytes()].concat();
        let header = Chunk {
            bytes: &header,
            provenance: FRAME,
        };
        let all: Vec<Chunk<'_>> = [header].into_iter().chain(chunks.iter().copied()).collect();
        self.lower.send_datagram(now, id, &all)
    }

    fn receive(&mut self, id: ConnectionId) {
        while let Some(datagram) = self.lower.receive_datagram(id) {
            let length = datagram.len();
            let Some((head, _)) = datagram.split_first_chunk::<HEADER_LENGTH>() else {
                continue;
            };
            let (kind, number) = (head[0], u64::from_be_bytes(head[1..].try_into().unwrap()));
            let body = datagram.narrowed(HEADER_LENGTH..length);
            if kind == DATAGRAM {
                self.datagrams.push_back((id, body));
                self.events
                    .push_back((id, TransportEvent::DatagramReadable));
            } else {
                self.on_stream(id, kind, StreamId(number), &body);
            }
        }
    }

    fn on_stream(&mut self, id: ConnectionId, kind: u8, stream: StreamId, body: &[u8]) {
        let key = (id, stream);
        if !self.streams.contains_key(&key) {
            if stream.0 & OPENED_BY_SERVER == self.side(id) {
                // A stream of this end's that is gone.
                return;
            }
            self.streams.insert(key, Stream::default());
            let opened = TransportEvent::StreamOpened(stream, kind_of(stream));
            self.events.push_back((id, opened));
        }
        let known = self.streams.get_mut(&key).expect("it is there by now");
        match kind {
            DATA => known.bytes.extend(body),
            FINISH => known.peer_finished = true,
            _ => {
                self.streams.remove(&key);
                let code = u64::from_be_bytes(body.try_into().unwrap());
                let reset = TransportEvent::StreamReset(stream, code);
                return self.events.push_back((id, reset));
            }
        }
        self.events
            .push_back((id, TransportEvent::Readable(stream)));
    }

    /// Whether this end may write to a stream.
    fn may_write(&self, id: ConnectionId, stream: StreamId) -> bool {
        let is_mine = stream.0 & OPENED_BY_SERVER == self.side(id);
        kind_of(stream) == StreamKind::Bidirectional || is_mine
    }
}

fn kind_of(stream: StreamId) -> StreamKind {
    if stream.0 & UNIDIRECTIONAL == 0 {
        StreamKind::Bidirectional
    } else {
        StreamKind::Unidirectional
    }
}

impl<T: Transport> Transport for ManyStreams<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some((id, event)) = self.events.pop_front() {
                return TransportOutput::Event(id, event);
            }
            match self.lower.poll(now) {
                TransportOutput::Event(id, TransportEvent::DatagramReadable) => self.receive(id),
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
        let id = self.lower.open_with(now, peer, options, &[])?;
        self.opened.insert(id);
        if !early_data.is_empty() {
            let stream = self.open_stream(now, id, StreamKind::Bidirectional);
            let stream = stream.map_err(|_| OpenError::EarlyDataTooLarge)?;
            self.initial.insert(id, stream);
            let written = self.write(now, id, stream, early_data);
            written.map_err(|_| OpenError::EarlyDataTooLarge)?;
        }
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        self.lower.join(group, port)
    }

    fn initial_stream(&self, connection: ConnectionId) -> Option<StreamId> {
        self.initial.get(&connection).copied()
    }

    fn open_stream(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        self.lower.peer(id).ok_or(StreamError::NoSuchStream)?;
        let of_kind = match kind {
            StreamKind::Bidirectional => 0,
            StreamKind::Unidirectional => UNIDIRECTIONAL,
        };
        // It begins at four: nobody may count on zero.
        self.next += 4;
        let stream = StreamId(self.next | of_kind | self.side(id));
        self.streams.insert((id, stream), Stream::default());
        Ok(stream)
    }

    fn write(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let known = self.streams.get(&(id, stream));
        let is_open = known.is_some_and(|it| !it.finished) && self.may_write(id, stream);
        if !is_open {
            return Err(StreamError::NoSuchStream);
        }
        self.frame(now, id, DATA, stream, chunks)
            .map_err(|_| StreamError::NoSuchStream)?;
        Ok(chunks.iter().map(|chunk| chunk.bytes.len()).sum())
    }

    fn read(
        &mut self,
        _now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        let known = self.streams.get_mut(&(id, stream));
        let known = known.ok_or(StreamError::NoSuchStream)?;
        let count = into.len().min(known.bytes.len());
        for (place, byte) in into.iter_mut().zip(known.bytes.drain(..count)) {
            *place = byte;
        }
        Ok(match count {
            0 if known.peer_finished => ReadOutcome::Finished,
            0 => ReadOutcome::Blocked,
            _ => ReadOutcome::Read(count),
        })
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        self.frame(now, id, DATAGRAM, StreamId(0), chunks)
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        let place = self.datagrams.iter().position(|(of, _)| *of == id)?;
        self.datagrams.remove(place).map(|(_, payload)| payload)
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        if let Some(known) = self.streams.get_mut(&(id, stream)) {
            known.finished = true;
            let _ = self.frame(now, id, FINISH, stream, &[]);
        }
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        self.streams
            .remove(&(id, stream))
            .ok_or(StreamError::NoSuchStream)?;
        let code = Chunk {
            bytes: &code.to_be_bytes(),
            provenance: FRAME,
        };
        self.frame(now, id, RESET, stream, &[code])
            .map_err(|_| StreamError::NoSuchStream)
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.streams.retain(|(of, _), _| *of != id);
        self.lower.reset(now, id, reason);
        let closed = TransportEvent::Closed(CloseReason::Reset(reason));
        self.events.push_back((id, closed));
    }

    fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.lower.peer(id)
    }
}
