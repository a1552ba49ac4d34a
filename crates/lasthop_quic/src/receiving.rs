//! Received datagrams and their connections.

use core::net::SocketAddr;

use bytes::BytesMut;
use lasthop_contract::{
    Cause, CloseReason, ConnectionId, Layer, Provenance, ResetReason, Transport, TransportEvent,
};
use lasthop_units::Instant;
use quinn_proto::{DatagramEvent, Incoming};

use crate::clock::to_library;
use crate::connection::Connection;
use crate::crypto::taking_notes;
use crate::labels::{Labels, chunks_of};
use crate::outcome::GIVEN_UP;
use crate::qlog::header::is_retry;
use crate::quic::{Quic, of_slots};

/// How many flows of a connection stay: that of now, and those that its peer may still be heard by.
const FLOWS: usize = 3;

impl<T: Transport> Quic<T> {
    /// Processes an event of the transport below.
    pub(crate) fn on_lower(&mut self, now: Instant, flow: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::DatagramReadable => self.receive(now, flow),
            TransportEvent::Closed(reason @ CloseReason::Reset(ResetReason::Failed)) => {
                if let Some(id) = self.owners.remove(&flow) {
                    self.drop_failed(now, id, reason);
                }
            }
            // A kernel may tell that nobody is there. Anybody could: who has heard the peer waits for the peer.
            TransportEvent::Closed(reason) => {
                if let Some(id) = self.owners.remove(&flow)
                    && self
                        .get(id)
                        .is_some_and(|it| it.is_client() && it.established.is_none())
                {
                    self.end(now, id, GIVEN_UP, reason);
                }
            }
            _ => {}
        }
    }

    fn receive(&mut self, now: Instant, flow: ConnectionId) {
        while let Some(datagram) = self.lower.receive_datagram(flow) {
            let Some(remote) = self.lower.peer(flow) else {
                return;
            };
            let bytes = BytesMut::from(&*datagram);
            drop(datagram);
            let wants = self.qlog.is_some() && is_retry(&bytes);
            let retry = wants.then(|| bytes.clone());
            let mut response = core::mem::take(&mut self.room.datagram);
            response.clear();
            let (keeps_books, notes) = self.notes();
            let (endpoint, work) = self.endpoint(now);
            let at = to_library(now);
            let (event, notes) = taking_notes(keeps_books, notes, || {
                work.enter(now, Some(remote), || {
                    endpoint.handle(at, remote, None, None, bytes, &mut response)
                })
            });
            self.room.notes = notes;
            self.room.datagram = response;
            match event {
                Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                    let Some(id) = self.id_of(handle) else {
                        continue;
                    };
                    self.heard_by(now, id, flow, remote);
                    if let (Some(qlog), Some(retry)) = (&mut self.qlog, retry) {
                        qlog.retry_received(now, id, &retry);
                    }
                    let (keeps_books, notes) = self.notes();
                    let (slots, work) = (&mut self.slots, &mut self.work);
                    let ((), notes) = taking_notes(keeps_books, notes, || {
                        if let Some(connection) = of_slots(slots, id) {
                            work.enter(now, Some(remote), || {
                                connection.machine.handle_event(event);
                            });
                        }
                    });
                    self.room.notes = notes;
                    self.tell_packets(now, id);
                    self.look_at(id);
                }
                Some(DatagramEvent::NewConnection(incoming)) => {
                    self.accept(now, flow, remote, incoming);
                }
                Some(DatagramEvent::Response(transmit)) => {
                    self.respond(now, flow, transmit.size);
                }
                None => {}
            }
            self.forget_stranger(now, flow);
        }
    }

    /// A connection that a peer wants.
    fn accept(&mut self, now: Instant, flow: ConnectionId, remote: SocketAddr, incoming: Incoming) {
        let Some(server) = &self.server else {
            return self.endpoint(now).0.ignore(incoming);
        };
        let (retries, patience, keeps_alive) =
            (server.retries, server.patience, server.keeps_alive);
        let first_destination = *incoming.orig_dst_cid();
        let is_admitted = self.admission.admits(remote.ip());
        let mut response = core::mem::take(&mut self.room.datagram);
        response.clear();
        let (keeps_books, notes) = self.notes();
        let (endpoint, work) = self.endpoint(now);
        let at = to_library(now);
        let (accepted, notes) = taking_notes(keeps_books, notes, || {
            work.enter(now, Some(remote), || {
                if retries && !incoming.remote_address_validated() {
                    return Err(endpoint.retry(incoming, &mut response).ok());
                }
                if !is_admitted {
                    return Err(Some(endpoint.refuse(incoming, &mut response)));
                }
                let accepted = endpoint.accept(incoming, at, &mut response, None);
                accepted.map_err(|error| error.response)
            })
        });
        self.room.notes = notes;
        self.room.datagram = response;
        match accepted {
            Ok((handle, machine)) => {
                let give_up_at = now + patience;
                let connection = Connection::new(machine, handle, flow, keeps_alive, give_up_at);
                let id = self.add(connection);
                self.admission.begin(id, remote.ip());
                self.flows.insert(remote, flow);
                self.owners.insert(flow, id);
                self.tell_packets(now, id);
                self.look_at(id);
            }
            Err(Some(transmit)) => {
                let answer = &self.room.datagram[..transmit.size];
                if let Some(qlog) = &mut self.qlog
                    && is_retry(answer)
                {
                    qlog.retry_sent(now, &first_destination, answer);
                }
                self.respond(now, flow, transmit.size);
            }
            Err(None) => {}
        }
    }

    /// Notes by which flow a connection was heard.
    fn heard_by(&mut self, now: Instant, id: ConnectionId, flow: ConnectionId, remote: SocketAddr) {
        let Some(connection) = of_slots(&mut self.slots, id) else {
            return;
        };
        if connection.flow() == Some(flow) {
            return;
        }
        connection.flows.retain(|it| *it != flow);
        connection.flows.push(flow);
        let oldest = (connection.flows.len() > FLOWS).then(|| connection.flows.remove(0));
        self.owners.insert(flow, id);
        self.flows.insert(remote, flow);
        if let Some(oldest) = oldest {
            self.leave(now, oldest, id);
        }
    }

    /// Closes a flow of a connection, unless another connection owns it by now.
    pub(crate) fn leave(&mut self, now: Instant, flow: ConnectionId, id: ConnectionId) {
        if self.owners.get(&flow) != Some(&id) {
            return;
        }
        self.owners.remove(&flow);
        if let Some(peer) = self.lower.peer(flow)
            && self.flows.get(&peer) == Some(&flow)
        {
            self.flows.remove(&peer);
        }
        self.lower.reset(now, flow, ResetReason::NotNeeded);
    }

    /// Gives up a flow by which nobody came whom we know.
    fn forget_stranger(&mut self, now: Instant, flow: ConnectionId) {
        if !self.owners.contains(&flow) {
            self.lower.reset(now, flow, ResetReason::NotNeeded);
        }
    }

    /// Sends what the endpoint says without a connection: a Retry, which versions it speaks, that it knows nobody.
    fn respond(&mut self, now: Instant, flow: ConnectionId, size: usize) {
        let spans = match self.room.notes.pieces.is_empty() {
            false => Labels::new(false).label(&self.room.notes, None),
            true => vec![(provenance(cause_of(&self.room.datagram)), size)],
        };
        let chunks = chunks_of(&self.room.datagram[..size], &spans);
        let _ = self.lower.send_datagram(now, flow, &chunks);
    }
}

/// What a packet is there for that nobody seals: a Retry, which versions are spoken, a stateless reset (RFC 9000 section 17.2
/// and 10.3).
fn cause_of(packet: &[u8]) -> Cause {
    match packet {
        [first, 0, 0, 0, 0, ..] if first & 0x80 != 0 => Cause::SessionSetUp,
        [first, ..] if first & 0x80 != 0 => Cause::AddressValidation,
        _ => Cause::SessionTearDown,
    }
}

const fn provenance(cause: Cause) -> Provenance {
    Provenance::new(Layer::Quic, cause)
}
