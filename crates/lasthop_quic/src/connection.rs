use core::net::SocketAddr;
use std::collections::VecDeque;

use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, Established, LookupMap, Provenance, StreamId,
};
use lasthop_units::Instant;
use quinn_proto::{Connection as Machine, ConnectionHandle, Dir, Side};

use crate::crypto::Agreed;
use crate::labels::Labels;
use crate::streams::Stream;

/// A QUIC connection: the state machine of `quinn-proto`, and the additional state for the transport contract.
pub(crate) struct Connection {
    pub(crate) machine: Box<Machine>,
    pub(crate) handle: ConnectionHandle,
    /// The flows of the transport below that led to the connection, the newest last.
    pub(crate) flows: Vec<ConnectionId>,
    pub(crate) peer: SocketAddr,
    pub(crate) labels: Labels,
    pub(crate) streams: LookupMap<StreamId, Stream>,
    /// Data written for the first stream before it can be opened or has room.
    pub(crate) early: Option<Box<Early>>,
    /// The same, where the peer may still refuse it.
    refusable: Option<Box<Early>>,
    /// Whether the first stream is open.
    pub(crate) is_begun: bool,
    pub(crate) established: Option<Established>,
    /// Whether the connection stays open after its first stream has ended.
    pub(crate) outlasts_streams: bool,
    /// Whether a stream was requested that the peer did not allow yet.
    pub(crate) wants_stream: bool,
    /// The deadline of the handshake.
    pub(crate) give_up_at: Instant,
    pub(crate) armed: Option<Instant>,
    /// Whether a timer of the connection has expired.
    pub(crate) is_late: bool,
    /// Whether the connection must be processed.
    pub(crate) is_due: bool,
    /// Why the connection ended, while unread data of the peer delays the event.
    pub(crate) held: Option<CloseReason>,
    /// Whether the layer above was told of the end. Final packets may still be sent.
    pub(crate) is_over: bool,
}

/// Data that a client wrote when it opened the connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Early {
    bytes: VecDeque<u8>,
    spans: VecDeque<(Provenance, usize)>,
}

/// The first stream of a connection, opened by its client.
pub(crate) const FIRST: StreamId = StreamId(0);

impl Connection {
    pub(crate) fn new(
        machine: Machine,
        handle: ConnectionHandle,
        flow: ConnectionId,
        keeps_alive: bool,
        give_up_at: Instant,
    ) -> Self {
        Self {
            peer: machine.remote_address(),
            handle,
            flows: vec![flow],
            labels: Labels::new(keeps_alive),
            streams: LookupMap::new(),
            early: None,
            refusable: None,
            is_begun: machine.side() == Side::Server,
            established: None,
            outlasts_streams: false,
            wants_stream: false,
            give_up_at,
            armed: None,
            is_late: false,
            is_due: false,
            held: None,
            is_over: false,
            machine: Box::new(machine),
        }
    }

    pub(crate) fn is_client(&self) -> bool {
        self.machine.side() == Side::Client
    }

    /// Returns the current flow to the peer.
    pub(crate) fn flow(&self) -> Option<ConnectionId> {
        self.flows.last().copied()
    }

    /// Returns the parameters negotiated so far.
    pub(crate) fn agreed(&self) -> Option<Box<Agreed>> {
        let agreed = self.machine.crypto_session().handshake_data()?;
        agreed.downcast().ok()
    }

    /// Sets and returns how the connection was established.
    pub(crate) fn establish(&mut self, took_early_data: bool) -> Established {
        let how = match self.agreed().is_some_and(|it| it.is_full) {
            true => Established::Full,
            false if took_early_data => Established::Early,
            false => Established::Resumed,
        };
        self.established = Some(how);
        how
    }

    /// Whether the client has not received HANDSHAKE_DONE, so that the server may still wait for the end of the
    /// handshake (RFC 9001 section 4.1.2).
    pub(crate) fn is_unconfirmed(&self) -> bool {
        self.is_client() && self.machine.stats().frame_rx.handshake_done == 0
    }

    /// Stores data for the first stream.
    pub(crate) fn give(&mut self, chunks: &[Chunk<'_>]) {
        let early = Early::of(chunks);
        if early.bytes.is_empty() {
            return;
        }
        self.streams.insert(FIRST, Stream::default());
        if self.machine.has_0rtt() {
            self.refusable = Some(early.clone());
        }
        self.early = Some(early);
        if self.machine.has_0rtt() {
            self.begin();
        }
    }

    /// Processes the end of a client's handshake. Early data that the server rejected is sent again.
    pub(crate) fn connected(&mut self) -> Established {
        let refusable = self.refusable.take();
        let is_taken = refusable.is_some() && self.machine.accepted_0rtt();
        if refusable.is_some() && !is_taken {
            self.early = refusable;
            self.is_begun = false;
            self.labels.rewind(FIRST.0);
        }
        self.establish(is_taken)
    }

    /// Opens the first stream as soon as the peer allows it, and writes its stored data.
    pub(crate) fn begin(&mut self) {
        if !self.is_begun && self.streams.contains(&FIRST) {
            self.is_begun = self.machine.streams().open(Dir::Bi).is_some();
        }
        if self.is_begun {
            self.write_early();
        }
    }

    /// Writes what was given when the connection was opened, as far as there is room.
    fn write_early(&mut self) {
        let Some(mut early) = self.early.take() else {
            return;
        };
        while let Some((provenance, length)) = early.spans.front_mut() {
            let bytes = early.bytes.make_contiguous();
            let chunk = Chunk {
                bytes: &bytes[..*length],
                provenance: *provenance,
            };
            let taken = self.write_now(FIRST, &[chunk]).unwrap_or(0);
            early.bytes.drain(..taken);
            *length -= taken;
            if *length > 0 {
                self.early = Some(early);
                return;
            }
            early.spans.pop_front();
        }
        if self.streams.get(&FIRST).is_some_and(|it| it.is_finished) {
            self.finish_now(FIRST);
        }
    }

    /// Frees buffers that are no longer needed when nothing is unacknowledged.
    pub(crate) fn settle(&mut self) {
        self.machine.settle();
        self.labels.settle();
    }

    /// Ends the connection for the layer above. Returns whether this is the first call.
    pub(crate) fn over(&mut self) -> bool {
        self.held = None;
        !core::mem::replace(&mut self.is_over, true)
    }

    /// Whether the peer has closed the connection and its last data on the first stream is unread.
    pub(crate) fn holds(&mut self, reason: CloseReason) -> bool {
        let first = self.streams.get(&FIRST).filter(|_| !self.outlasts_streams);
        let is_unread = first.is_some_and(|it| !it.is_read);
        let holds = reason == CloseReason::Finished && is_unread && !self.is_over;
        self.held = holds.then_some(reason);
        holds
    }

    /// Returns why the connection ended, if both ends have finished the first stream.
    pub(crate) fn is_done(&self) -> Option<CloseReason> {
        let first = self
            .streams
            .get(&FIRST)
            .filter(|_| !self.outlasts_streams)?;
        (first.is_read && first.is_acknowledged).then_some(CloseReason::Finished)
    }
}

impl Early {
    fn of(chunks: &[Chunk<'_>]) -> Box<Self> {
        let mut early = Self::default();
        for chunk in chunks.iter().filter(|it| !it.bytes.is_empty()) {
            early.bytes.extend(chunk.bytes);
            early.spans.push_back((chunk.provenance, chunk.bytes.len()));
        }
        Box::new(early)
    }
}
