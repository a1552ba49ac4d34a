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

/// One connection: the library's machine, and what the contract wants to be known of it.
pub(crate) struct Connection {
    pub(crate) machine: Box<Machine>,
    pub(crate) handle: ConnectionHandle,
    /// The flows below that led to it, the latest last.
    pub(crate) flows: Vec<ConnectionId>,
    pub(crate) peer: SocketAddr,
    pub(crate) labels: Labels,
    pub(crate) streams: LookupMap<StreamId, Stream>,
    /// What was given for the first stream and waits for it to be opened, or for room.
    pub(crate) early: Option<Box<Early>>,
    /// The same, where the peer may still refuse it.
    refusable: Option<Box<Early>>,
    /// The first stream is open.
    pub(crate) is_begun: bool,
    pub(crate) established: Option<Established>,
    /// It does not end with its first stream.
    pub(crate) outlasts_streams: bool,
    /// A stream was asked for that the peer did not allow.
    pub(crate) wants_stream: bool,
    /// How long the handshake may take.
    pub(crate) give_up_at: Instant,
    pub(crate) armed: Option<Instant>,
    /// A timer of it came.
    pub(crate) is_late: bool,
    /// It is to be looked at.
    pub(crate) is_due: bool,
    /// It is over, which is told when all was read that the peer said.
    pub(crate) held: Option<CloseReason>,
    /// Who stands on it was told that it is over; its last words may still leave.
    pub(crate) is_over: bool,
}

/// What a client gave when it opened the connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Early {
    bytes: VecDeque<u8>,
    spans: VecDeque<(Provenance, usize)>,
}

/// The stream that a connection begins with, opened by its client.
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

    /// The flow that leads to the peer now.
    pub(crate) fn flow(&self) -> Option<ConnectionId> {
        self.flows.last().copied()
    }

    /// What both ends have agreed on so far.
    pub(crate) fn agreed(&self) -> Option<Box<Agreed>> {
        let agreed = self.machine.crypto_session().handshake_data()?;
        agreed.downcast().ok()
    }

    /// How it came about, from now on.
    pub(crate) fn establish(&mut self, took_early_data: bool) -> Established {
        let how = match self.agreed().is_some_and(|it| it.is_full) {
            true => Established::Full,
            false if took_early_data => Established::Early,
            false => Established::Resumed,
        };
        self.established = Some(how);
        how
    }

    /// Whether the server may still wait for the end of the handshake (RFC 9001 section 4.1.2).
    pub(crate) fn is_unconfirmed(&self) -> bool {
        self.is_client() && self.machine.stats().frame_rx.handshake_done == 0
    }

    /// Gives the first stream something to begin with.
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

    /// Takes how the handshake of a client ended: what the server refused of its first flight is said again.
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

    /// Opens the first stream as soon as the peer allows it, with what was given for it.
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

    /// Gives back the room of what is over, when nobody waits for an acknowledgement.
    pub(crate) fn settle(&mut self) {
        self.machine.settle();
        self.labels.settle();
    }

    /// Ends it for who stands on it; whether that was not told before.
    pub(crate) fn over(&mut self) -> bool {
        self.held = None;
        !core::mem::replace(&mut self.is_over, true)
    }

    /// Whether the peer is done, and what it said last on the first stream is still to be read.
    pub(crate) fn holds(&mut self, reason: CloseReason) -> bool {
        let first = self.streams.get(&FIRST).filter(|_| !self.outlasts_streams);
        let is_unread = first.is_some_and(|it| !it.is_read);
        let holds = reason == CloseReason::Finished && is_unread && !self.is_over;
        self.held = holds.then_some(reason);
        holds
    }

    /// Why it ended, where both ends were done with the first stream.
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
