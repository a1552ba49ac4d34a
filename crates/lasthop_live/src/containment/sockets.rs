use core::net::SocketAddr;
use std::rc::Rc;

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Payload, ReadOutcome, ResetReason, StreamError, StreamId,
    Transport, TransportOutput, forward_transport,
};
use lasthop_units::Instant;

use super::turn::TurnOwner;
use super::{Failures, Turn};
use crate::gateway::Traffic;

/// A transport that can find the connections to a peer.
pub(crate) trait Peers: Transport {
    /// All that there are.
    fn connections_with(&self, peer: SocketAddr) -> Vec<ConnectionId>;
}

/// The sockets below all layers. They record which connection is processed, and end it after a panic.
pub(crate) struct Sockets<T> {
    lower: T,
    turn: Rc<Turn>,
    failures: Rc<Failures>,
    traffic: Rc<Traffic>,
}

impl<T: Peers> Sockets<T> {
    pub(crate) fn new(
        lower: T,
        turn: &Rc<Turn>,
        failures: &Rc<Failures>,
        traffic: &Rc<Traffic>,
    ) -> Self {
        Self {
            lower,
            turn: Rc::clone(turn),
            failures: Rc::clone(failures),
            traffic: Rc::clone(traffic),
        }
    }

    fn end_failed(&mut self, now: Instant) {
        for failed in self.turn.take_failed() {
            let (connections, peer) = match failed.whose {
                TurnOwner::Connection(id) => (vec![id], self.lower.peer(id)),
                TurnOwner::Peer(peer) => (self.lower.connections_with(peer), Some(peer)),
                TurnOwner::Nobody => (Vec::new(), None),
            };
            match peer.filter(|_| !connections.is_empty()) {
                Some(peer) => self.failures.closed(peer, failed.layer, &failed.panic),
                None => self.failures.unowned(now, failed.layer, &failed.panic),
            }
            for id in connections {
                self.lower.reset(now, id, ResetReason::Failed);
            }
        }
    }
}

impl<T: Peers> Transport for Sockets<T> {
    forward_transport! {
        self => self.lower;
        handle open_with listen join initial_stream own_stream open_stream expect prioritise outlast_streams close forget
        unanswered peer held local_address
    }

    #[inline]
    fn poll(&mut self, now: Instant) -> TransportOutput {
        if self.turn.has_failed() {
            self.end_failed(now);
        }
        let output = self.lower.poll(now);
        match &output {
            TransportOutput::Event(id, _) => self.turn.touch(*id),
            _ => self.turn.begin(),
        }
        output
    }

    fn write(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        self.turn.touch(id);
        let written = self.lower.write(now, id, stream, chunks)?;
        self.traffic.note_sent(written);
        Ok(written)
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        self.turn.touch(id);
        let read = self.lower.read(now, id, stream, into)?;
        if let ReadOutcome::Read(size) = read {
            self.traffic.note_received(size);
        }
        Ok(read)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        self.turn.touch(id);
        self.lower.send_datagram(now, id, chunks)?;
        let size = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        self.traffic.note_sent(size);
        Ok(())
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        self.turn.touch(id);
        let datagram = self.lower.receive_datagram(id)?;
        self.traffic.note_received(datagram.len());
        Some(datagram)
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        self.turn.touch(id);
        self.lower.finish(now, id, stream);
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        self.turn.touch(id);
        self.lower.reset_stream(now, id, stream, code)
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.turn.touch(id);
        self.lower.reset(now, id, reason);
    }
}
