use core::net::SocketAddr;

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Layer, LookupMap, Provenance, ReadOutcome,
    ResetReason, TransportEvent,
};
use lasthop_transport::Tcp;
use lasthop_units::Instant;

use super::{ACCEPTING, Carrier, OPENING, Side, Sides};

/// Relays byte streams. Bytes for which the other side has no room are not read.
///
/// An end of bytes is carried on as one, a reset as a reset. A connection that cannot be opened resets the one that it
/// was for.
pub(super) struct Streams {
    to: SocketAddr,
    pairs: Vec<Option<Pair>>,
    free: Vec<usize>,
    /// The pair of each connection.
    places: [LookupMap<ConnectionId, usize>; 2],
    buffer: Box<[u8]>,
}

/// A connection of each side.
struct Pair {
    ends: [End; 2],
    /// The one that was opened takes bytes.
    is_open: bool,
}

struct End {
    id: ConnectionId,
    /// What was read here and the other end had no room for.
    rest: Vec<u8>,
    /// Its bytes have ended, and the other end was told.
    has_finished: bool,
    is_gone: bool,
}

const FOREIGN: Provenance = Provenance::new(Layer::Tcp, Cause::Opaque);

/// How much is carried on in one go.
const PIECE: usize = 16 << 10;

impl Streams {
    pub(super) fn new(to: SocketAddr) -> Self {
        Self {
            to,
            pairs: Vec::new(),
            free: Vec::new(),
            places: [LookupMap::new(), LookupMap::new()],
            buffer: vec![0; PIECE].into_boxed_slice(),
        }
    }

    fn accepted(&mut self, now: Instant, transports: &mut Sides, id: ConnectionId) {
        let Ok(opened) = transports[OPENING].open(now, self.to, &[]) else {
            return transports[ACCEPTING].reset(now, id, ResetReason::NotNeeded);
        };
        let pair = Pair {
            ends: [id, opened].map(End::new),
            is_open: false,
        };
        let place = self.free.pop().unwrap_or(self.pairs.len());
        if place == self.pairs.len() {
            self.pairs.push(None);
        }
        self.pairs[place] = Some(pair);
        self.places[ACCEPTING].insert(id, place);
        self.places[OPENING].insert(opened, place);
    }

    /// Carries what comes from a side on to the other one, as far as that takes it.
    fn pump(&mut self, now: Instant, transports: &mut Sides, place: usize, from: Side) {
        let Some(pair) = self.pairs[place].as_mut().filter(|pair| pair.is_open) else {
            return;
        };
        let to = 1 - from;
        let target = pair.ends[to].id;
        let end = &mut pair.ends[from];
        while !end.has_finished {
            if !end.rest.is_empty() {
                let taken = write(now, transports, (to, target), &end.rest);
                end.rest.drain(..taken);
                if !end.rest.is_empty() {
                    return;
                }
            }
            let read = match end.is_gone {
                true => Ok(ReadOutcome::Finished),
                false => transports[from].read(now, end.id, Tcp::STREAM, &mut self.buffer),
            };
            match read {
                Ok(ReadOutcome::Read(length)) => {
                    let bytes = &self.buffer[..length];
                    let taken = write(now, transports, (to, target), bytes);
                    end.rest.extend_from_slice(&bytes[taken..]);
                }
                Ok(ReadOutcome::Finished) => {
                    end.has_finished = true;
                    transports[to].finish(now, target, Tcp::STREAM);
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
    }

    fn closed(
        &mut self,
        now: Instant,
        transports: &mut Sides,
        (side, place): (Side, usize),
        reason: CloseReason,
    ) {
        let Some(pair) = &mut self.pairs[place] else {
            return;
        };
        self.places[side].remove(&pair.ends[side].id);
        pair.ends[side].is_gone = true;
        let other = &pair.ends[1 - side];
        if other.is_gone {
            self.pairs[place] = None;
            self.free.push(place);
        } else if reason == CloseReason::Finished {
            // What it said last is still carried on.
            self.pump(now, transports, place, side);
        } else {
            transports[1 - side].reset(now, other.id, ResetReason::NotNeeded);
        }
    }
}

/// How many bytes a side takes. One that is gone takes all: it tells of its end by itself.
fn write(
    now: Instant,
    transports: &mut Sides,
    (side, id): (Side, ConnectionId),
    bytes: &[u8],
) -> usize {
    let chunk = Chunk {
        bytes,
        provenance: FOREIGN,
    };
    let written = transports[side].write(now, id, Tcp::STREAM, &[chunk]);
    written.unwrap_or(bytes.len())
}

impl End {
    const fn new(id: ConnectionId) -> Self {
        Self {
            id,
            rest: Vec::new(),
            has_finished: false,
            is_gone: false,
        }
    }
}

impl Carrier for Streams {
    fn event(
        &mut self,
        now: Instant,
        transports: &mut Sides,
        (side, id): (Side, ConnectionId),
        event: TransportEvent,
    ) {
        if side == ACCEPTING && matches!(event, TransportEvent::Established(_)) {
            return self.accepted(now, transports, id);
        }
        let Some(&place) = self.places[side].get(&id) else {
            return;
        };
        match event {
            TransportEvent::Established(_) => {
                if let Some(pair) = &mut self.pairs[place] {
                    pair.is_open = true;
                }
                self.pump(now, transports, place, ACCEPTING);
                self.pump(now, transports, place, OPENING);
            }
            TransportEvent::Readable(_) => self.pump(now, transports, place, side),
            TransportEvent::Writable(_) => self.pump(now, transports, place, 1 - side),
            TransportEvent::Closed(reason) => self.closed(now, transports, (side, place), reason),
            _ => {}
        }
    }
}
