use core::cell::Cell;
use core::net::SocketAddr;
use std::collections::VecDeque;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Established, Layer, Outbox, Provenance, StreamId, Transport,
};
use lasthop_units::Instant;

use crate::crypto_context::CryptoContext;
use crate::labels::Labels;
use crate::session::{Session, Turn, Wish};

thread_local! {
    /// Room for what came of a peer. Behind whole records nobody needs it, so all hosts of a thread share it.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// One connection: a session, and what is on its way to and from it.
pub(crate) struct Connection {
    /// Of the connection below.
    pub(crate) id: ConnectionId,
    session: Session,
    pub(crate) outbox: Outbox,
    /// Of the peer, not yet a whole record.
    inbound: Vec<u8>,
    /// What the peer said.
    pub(crate) readable: VecDeque<u8>,
    labels: Labels,
    /// What the application gave when it opened the connection and the peer does not have yet.
    early: Option<Box<Early>>,
    pub(crate) established: Option<Established>,
    pub(crate) peer_closed: bool,
    /// Nothing more is written.
    pub(crate) is_finished: bool,
    /// The application waits for room.
    pub(crate) is_full: bool,
    /// The stream below has more, for which there is no room.
    pub(crate) is_held: bool,
    /// What is below is over; what the peer said is still there to be read.
    pub(crate) is_over: bool,
}

/// Data for the first flight.
pub(crate) struct Early {
    pub(crate) bytes: Vec<u8>,
    pub(crate) spans: VecDeque<(Provenance, usize)>,
    /// How many of them left with the first flight.
    sent: usize,
}

/// Records, with what their bytes are there for.
#[derive(Debug, Default)]
pub(crate) struct Labelled {
    bytes: Vec<u8>,
    spans: Vec<(Provenance, usize)>,
}

impl Labelled {
    /// An alert of a connection without keys (RFC 8446 section 6).
    pub(crate) fn plain_alert([level, description]: [u8; 2]) -> Self {
        let bytes = vec![21, 3, 3, 0, 2, level, description];
        let spans = vec![(
            Provenance::new(Layer::Tls, Cause::SessionTearDown),
            bytes.len(),
        )];
        Self { bytes, spans }
    }

    pub(crate) fn chunks(&self) -> Vec<Chunk<'_>> {
        let mut rest = &self.bytes[..];
        let chunk = |(provenance, length): &(Provenance, usize)| {
            let bytes;
            (bytes, rest) = rest.split_at(*length);
            Chunk {
                bytes,
                provenance: *provenance,
            }
        };
        self.spans.iter().map(chunk).collect()
    }
}

impl Early {
    pub(crate) fn of(chunks: &[Chunk<'_>]) -> Option<Box<Self>> {
        let (bytes, spans) = plain(chunks, usize::MAX);
        (!bytes.is_empty()).then(|| {
            Box::new(Self {
                bytes,
                spans,
                sent: 0,
            })
        })
    }
}

/// The bytes of chunks one after the other, up to so many, with where they come from.
pub(crate) fn plain(chunks: &[Chunk<'_>], most: usize) -> (Vec<u8>, VecDeque<(Provenance, usize)>) {
    let (mut bytes, mut spans) = (Vec::new(), VecDeque::new());
    for chunk in chunks {
        let taken = &chunk.bytes[..chunk.bytes.len().min(most - bytes.len())];
        bytes.extend(taken);
        if !taken.is_empty() {
            spans.push_back((chunk.provenance, taken.len()));
        }
    }
    (bytes, spans)
}

impl Connection {
    pub(crate) fn new(session: Session, stream: StreamId, early: Option<Box<Early>>) -> Self {
        Self {
            id: ConnectionId(0),
            session,
            outbox: Outbox::new(stream),
            inbound: Vec::new(),
            readable: VecDeque::new(),
            labels: Labels::default(),
            early,
            established: None,
            peer_closed: false,
            is_finished: false,
            is_full: false,
            is_held: false,
            is_over: false,
        }
    }

    /// The first flight of a client, with the early data that its ticket allows.
    pub(crate) fn hello(&mut self, host: &mut Option<Box<CryptoContext>>) -> (Turn, Labelled) {
        let Some(mut early) = self.early.take() else {
            return self.go_on(host, Wish::Nothing, &mut VecDeque::new());
        };
        let mut spans = early.spans.clone();
        let result = self.go_on(host, Wish::SealEarly(&early.bytes), &mut spans);
        let unsent: usize = spans.iter().map(|(_, length)| length).sum();
        early.sent = early.bytes.len() - unsent;
        self.early = Some(early);
        result
    }

    /// Takes bytes from the stream below.
    pub(crate) fn receive(
        &mut self,
        host: &mut Option<Box<CryptoContext>>,
        bytes: &[u8],
    ) -> (Turn, Labelled) {
        if self.inbound.is_empty() {
            self.inbound = ROOM.take();
        }
        self.inbound.extend(bytes);
        let result = self.go_on(host, Wish::Nothing, &mut VecDeque::new());
        if self.inbound.is_empty() {
            ROOM.set(core::mem::take(&mut self.inbound));
        }
        result
    }

    /// Seals data; nothing where the session does not allow it yet.
    pub(crate) fn seal(
        &mut self,
        host: &mut Option<Box<CryptoContext>>,
        bytes: &[u8],
        mut spans: VecDeque<(Provenance, usize)>,
    ) -> Option<Labelled> {
        let (turn, labelled) = self.go_on(host, Wish::Seal(bytes), &mut spans);
        turn.granted.then_some(labelled)
    }

    /// Whether it has read the hello of its client, so that its alerts are sealed.
    pub(crate) fn has_keys(&self) -> bool {
        self.session.has_version()
    }

    /// The alert that says that nothing follows.
    pub(crate) fn close(&mut self, host: &mut Option<Box<CryptoContext>>) -> Labelled {
        self.go_on(host, Wish::Close, &mut VecDeque::new()).1
    }

    /// What the early data, once the handshake is over, leaves to be sent behind it.
    pub(crate) fn take_unsent(&mut self) -> Option<Box<Early>> {
        let mut early = self.early.take()?;
        if self.established == Some(Established::Early) {
            early.bytes.drain(..early.sent);
            let mut sent = early.sent;
            while sent > 0
                && let Some((_, length)) = early.spans.front_mut()
            {
                let of_span = sent.min(*length);
                *length -= of_span;
                sent -= of_span;
                if *length == 0 {
                    early.spans.pop_front();
                }
            }
        }
        (!early.bytes.is_empty()).then_some(early)
    }

    /// The alert that was sent last.
    pub(crate) fn alert(&self) -> Option<u8> {
        self.labels.alert()
    }

    /// How the connection came about, once it has.
    pub(crate) fn newly_established(&mut self, took_early_data: bool) -> Option<Established> {
        let is_early = took_early_data || self.labels.has_ended_early_data();
        if self.established.is_some() || (self.session.is_handshaking() && !took_early_data) {
            return None;
        }
        self.established = Some(match self.session.known().is_resumed {
            Some(true) if is_early => Established::Early,
            Some(true) => Established::Resumed,
            _ => Established::Full,
        });
        self.established
    }

    fn go_on(
        &mut self,
        host: &mut Option<Box<CryptoContext>>,
        wish: Wish<'_>,
        data: &mut VecDeque<(Provenance, usize)>,
    ) -> (Turn, Labelled) {
        let Self {
            session,
            inbound,
            readable,
            labels,
            established,
            ..
        } = self;
        // How a session comes about is told by what is sealed until then.
        let labels_all = established.is_none() || host.as_ref().is_some_and(|it| it.keeps_books());
        if let Some(host) = host {
            host.notes_data = labels_all;
        }
        let mut turn = CryptoContext::enter(host, || session.go_on(inbound, readable, wish));
        let bytes = core::mem::take(&mut turn.records);
        let spans = CryptoContext::sealed(|sealed| {
            if labels_all {
                return labels.label(&bytes, session.known(), sealed, data);
            }
            labels.follow(sealed);
            Labels::of_anything(bytes.len())
        });
        (turn, Labelled { bytes, spans })
    }
}

/// Sets what a host is asked about.
pub(crate) fn turn_to(
    host: &mut Option<Box<CryptoContext>>,
    now: Instant,
    peer: Option<SocketAddr>,
) {
    if let Some(host) = host {
        host.now = now;
        host.peer = peer;
    }
}

/// Writes records to the stream below, unless that has ended: the application finished before the handshake did.
pub(crate) fn send(
    outbox: &mut Outbox,
    now: Instant,
    lower: &mut dyn Transport,
    id: ConnectionId,
    labelled: &Labelled,
) {
    if !labelled.bytes.is_empty() && !outbox.is_ended() {
        outbox.write(now, lower, id, &labelled.chunks());
    }
}
