mod transport;

use core::net::SocketAddr;
use std::collections::VecDeque;

use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, Established, IpView, LookupMap, OpenError, OpenOptions,
    Packet, Provenance, ResetReason, StreamId, TCP_PROTOCOL, TimerQueue, Transport, TransportEvent,
    TransportInput, TransportOutput,
};
use lasthop_units::{Duration, Instant};

/// A transport with a fallback: two ways to the same server, the second over TCP.
///
/// A connection uses the first way, or the second if the first fails.
///
/// The layer above sees one connection, which is established as soon as one way is. Its first data is early data of the
/// way that is tried alone. A second way that is tried in parallel gets this data when it has won. So a server receives
/// the data twice only if its answer on the first way was lost.
pub struct Fallback {
    sides: [Box<dyn Transport>; 2],
    policy: FallbackPolicy,
    connections: LookupMap<ConnectionId, Connection>,
    /// What a side's connection is called here.
    names: [LookupMap<ConnectionId, ConnectionId>; 2],
    next: u64,
    timers: TimerQueue<ConnectionId>,
    /// Until when the first way is not tried.
    avoided_until: Option<Instant>,
    outputs: VecDeque<TransportOutput>,
}

/// The policy for switching to the fallback, the second way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallbackPolicy {
    /// How long the first way is tried alone, before the second.
    pub after: Duration,
    /// Whether the first way is still tried in parallel with the second, as RFC 8305 section 5 does for addresses.
    ///
    /// Otherwise it is given up.
    pub races: bool,
    /// How long new connections use the second way immediately, after it was needed once.
    pub remembered: Duration,
    /// The server's port on the second way.
    pub port: u16,
}

enum Connection {
    Trying(Box<Attempt>),
    On(usize, ConnectionId),
}

/// A connection that is not there yet.
struct Attempt {
    peer: SocketAddr,
    options: OpenOptions,
    first_words: Vec<(Provenance, Vec<u8>)>,
    /// By each way.
    lower: [Option<ConnectionId>; 2],
    /// When the second way is tried; `None` once it was.
    second_at: Option<Instant>,
    /// Who stands on it has more to say.
    is_full: bool,
}

/// Every transport of a connection calls its first stream so.
const FIRST: StreamId = StreamId(0);

impl Fallback {
    /// Creates a transport from a first way and a second way over TCP.
    #[must_use]
    pub fn new(
        first: Box<dyn Transport>,
        second: Box<dyn Transport>,
        policy: FallbackPolicy,
    ) -> Self {
        Self {
            sides: [first, second],
            policy,
            connections: LookupMap::new(),
            names: [LookupMap::new(), LookupMap::new()],
            next: 0,
            timers: TimerQueue::new(),
            avoided_until: None,
            outputs: VecDeque::new(),
        }
    }

    /// Returns the way that a connection uses, if the connection exists.
    fn of(&mut self, id: ConnectionId) -> Option<(&mut dyn Transport, ConnectionId)> {
        match self.connections.get(&id)? {
            Connection::On(side, lower) => Some((&mut *self.sides[*side], *lower)),
            Connection::Trying(_) => None,
        }
    }

    fn attempt(&mut self, id: ConnectionId) -> Option<&mut Attempt> {
        match self.connections.get_mut(&id)? {
            Connection::Trying(attempt) => Some(attempt),
            Connection::On(..) => None,
        }
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }

    fn name(&mut self, side: usize, lower: ConnectionId) -> ConnectionId {
        let id = ConnectionId(self.next);
        self.next += 1;
        self.connections.insert(id, Connection::On(side, lower));
        self.names[side].insert(lower, id);
        id
    }

    /// Tries the second way.
    fn try_second(&mut self, now: Instant, id: ConnectionId) -> Result<(), OpenError> {
        let (races, port) = (self.policy.races, self.policy.port);
        let Some(Connection::Trying(attempt)) = self.connections.get_mut(&id) else {
            return Ok(());
        };
        if let Some(at) = attempt.second_at.take() {
            self.timers.disarm(at, id);
        }
        if let Some(first) = attempt.lower[0].take_if(|_| !races) {
            self.names[0].remove(&first);
            self.sides[0].reset(now, first, ResetReason::NotNeeded);
        }
        let peer = SocketAddr::new(attempt.peer.ip(), port);
        let options = OpenOptions {
            local_port: None,
            ..attempt.options
        };
        let words = match races {
            true => Vec::new(),
            false => core::mem::take(&mut attempt.first_words),
        };
        let second = self.sides[1].open_with(now, peer, options, &chunks_of(&words))?;
        attempt.lower[1] = Some(second);
        self.names[1].insert(second, id);
        Ok(())
    }

    /// One way is established: gives up the other.
    fn decide(&mut self, now: Instant, id: ConnectionId, side: usize, how: Established) {
        let Some(attempt) = self.attempt(id) else {
            return;
        };
        let (won, lost) = (attempt.lower[side], attempt.lower[1 - side]);
        let (words, is_full) = (core::mem::take(&mut attempt.first_words), attempt.is_full);
        let armed = attempt.second_at;
        let Some(won) = won else { return };
        if let Some(at) = armed {
            self.timers.disarm(at, id);
        }
        if let Some(lost) = lost {
            self.names[1 - side].remove(&lost);
            self.sides[1 - side].reset(now, lost, ResetReason::NotNeeded);
        }
        self.connections.insert(id, Connection::On(side, won));
        self.avoided_until = (side == 1).then(|| now + self.policy.remembered);
        if side == 1 {
            // A stream that is new has room for what was early data.
            let written = self.sides[1].write(now, won, FIRST, &chunks_of(&words));
            debug_assert!(written.is_ok(), "it is there");
        }
        self.emit(id, TransportEvent::Established(how));
        if is_full {
            self.emit(id, TransportEvent::Writable(FIRST));
        }
    }

    /// One way failed.
    fn failed(&mut self, now: Instant, id: ConnectionId, side: usize, reason: CloseReason) {
        let Some(attempt) = self.attempt(id) else {
            return;
        };
        attempt.lower[side] = None;
        let is_last = attempt.lower == [None, None];
        let may_try = attempt.second_at.is_some();
        if may_try && self.try_second(now, id).is_ok() {
            return;
        }
        if is_last {
            self.connections.remove(&id);
            self.emit(id, TransportEvent::Closed(reason));
        }
    }

    fn on_side(&mut self, now: Instant, side: usize, lower: ConnectionId, event: TransportEvent) {
        let known = self.names[side].get(&lower).copied();
        let accepted = matches!(event, TransportEvent::Established(_)) && known.is_none();
        let id = match known {
            Some(id) => id,
            None if accepted => self.name(side, lower),
            // What was given up.
            None => return,
        };
        let is_trying = self.attempt(id).is_some();
        if let TransportEvent::Closed(_) = event {
            self.names[side].remove(&lower);
        }
        match event {
            TransportEvent::Established(how) if is_trying => self.decide(now, id, side, how),
            TransportEvent::Closed(reason) if is_trying => self.failed(now, id, side, reason),
            _ if is_trying => {}
            TransportEvent::Closed(_) => {
                self.connections.remove(&id);
                self.emit(id, event);
            }
            _ => self.emit(id, event),
        }
    }

    fn receive(&mut self, now: Instant, packet: Packet) {
        let is_tcp =
            IpView::read(packet.bytes()).is_some_and(|view| view.protocol() == TCP_PROTOCOL);
        self.sides[usize::from(is_tcp)].handle(now, TransportInput::Packet(packet));
    }

    fn forget_all(&mut self) {
        self.connections = LookupMap::new();
        self.names = [LookupMap::new(), LookupMap::new()];
        self.timers = TimerQueue::new();
        self.avoided_until = None;
        self.outputs.clear();
    }
}

fn chunks_of(words: &[(Provenance, Vec<u8>)]) -> Vec<Chunk<'_>> {
    let words = words.iter();
    words
        .map(|(provenance, bytes)| Chunk {
            bytes,
            provenance: *provenance,
        })
        .collect()
}
