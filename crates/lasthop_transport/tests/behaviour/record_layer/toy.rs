//! A toy record layer over datagrams, in the shape that TLS, DTLS and QUIC will have: a handshake with
//! retransmission, a ticket that a later connection resumes with, early data in the first flight, records
//! with a header, and a connection id by which the peer is known at a new address.
//!
//! A record is a type, a connection id of four bytes and a body. It has no cryptography.

use core::net::SocketAddr;
use std::collections::VecDeque;

use lasthop_contract::{
    Cause, Chunk, ClientSessions, CloseReason, ConnectionId, DatagramError, Established, Layer,
    ListenError, LookupMap, OpenError, OpenOptions, Payload, Provenance, ResetReason, TimerQueue,
    Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::{Duration, Instant};

const HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const DATA: u8 = 3;
const HEADER_LENGTH: usize = 5;
const TICKET: [u8; 8] = *b"ticket!!";

/// The tickets of a client, each for one connection.
pub(super) type Tickets = ClientSessions<SocketAddr, [u8; 8]>;

pub(super) const HELLO_TIMEOUT: Duration = Duration::from_millis(500);
const MAX_EARLY_DATA: usize = 1000;

const RECORD: Provenance = Provenance::new(Layer::Dtls, Cause::Header);
const HANDSHAKE: Provenance = Provenance::new(Layer::Dtls, Cause::SessionSetUp);
const AGAIN: Provenance = Provenance::new(Layer::Dtls, Cause::Retransmission);

/// All record connections of a host, over the flows of the transport below.
pub(super) struct RecordLayer<T> {
    lower: T,
    tickets: Tickets,
    connections: Vec<Connection>,
    by_tag: LookupMap<u32, ConnectionId>,
    timers: TimerQueue<ConnectionId>,
    inbox: VecDeque<(ConnectionId, Payload)>,
    events: VecDeque<(ConnectionId, TransportEvent)>,
    next_tag: u32,
}

struct Connection {
    flow: ConnectionId,
    tag: u32,
    peer: SocketAddr,
    waits_for_hello: bool,
    early: Vec<u8>,
    early_provenance: Provenance,
    resumes: bool,
    hello_deadline: Instant,
}

impl<T: Transport> RecordLayer<T> {
    pub(super) fn new(lower: T, tickets: Tickets, first_tag: u32) -> Self {
        Self {
            lower,
            tickets,
            connections: Vec::new(),
            by_tag: LookupMap::new(),
            timers: TimerQueue::new(),
            inbox: VecDeque::new(),
            events: VecDeque::new(),
            next_tag: first_tag,
        }
    }

    /// The tickets, which outlive connections.
    pub(super) fn into_tickets(self) -> Tickets {
        self.tickets
    }

    fn add(&mut self, connection: Connection) -> ConnectionId {
        let id = ConnectionId(self.connections.len() as u64);
        self.by_tag.insert(connection.tag, id);
        self.connections.push(connection);
        id
    }

    fn connection(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(id.0 as usize)
    }

    fn send_hello(&mut self, now: Instant, id: ConnectionId, provenance: Provenance) {
        let connection = &mut self.connections[id.0 as usize];
        let ticket = if connection.resumes { TICKET } else { [0; 8] };
        let header = header(HELLO, connection.tag);
        let early_provenance = if provenance == AGAIN {
            AGAIN
        } else {
            connection.early_provenance
        };
        let chunks = [
            Chunk {
                bytes: &header,
                provenance,
            },
            Chunk {
                bytes: &ticket,
                provenance,
            },
            Chunk {
                bytes: &connection.early,
                provenance: early_provenance,
            },
        ];
        let _ = self.lower.send_datagram(now, connection.flow, &chunks);
        connection.hello_deadline = now + HELLO_TIMEOUT;
        self.timers.arm(connection.hello_deadline, id);
    }

    fn receive(&mut self, now: Instant, flow: ConnectionId) {
        while let Some(datagram) = self.lower.receive_datagram(flow) {
            let Some((kind, tag)) = parse(&datagram) else {
                continue;
            };
            let length = datagram.len();
            match (kind, self.by_tag.get(&tag).copied()) {
                (HELLO, known) => self.accept(now, flow, tag, known, datagram),
                (SERVER_HELLO, Some(id)) => self.finish_handshake(id, datagram[5] == 1),
                (DATA, Some(id)) => {
                    self.follow(id, flow);
                    self.hand_up(id, datagram.narrowed(HEADER_LENGTH..length));
                }
                _ => {}
            }
        }
    }

    /// Answers a hello; the first one of a connection may carry early data under a ticket.
    fn accept(
        &mut self,
        now: Instant,
        flow: ConnectionId,
        tag: u32,
        known: Option<ConnectionId>,
        datagram: Payload,
    ) {
        let Some(ticket) = datagram.get(HEADER_LENGTH..HEADER_LENGTH + 8) else {
            return;
        };
        let resumes = ticket == TICKET;
        let reply = [&header(SERVER_HELLO, tag)[..], &[u8::from(resumes)]].concat();
        let chunk = Chunk {
            bytes: &reply,
            provenance: HANDSHAKE,
        };
        let _ = self.lower.send_datagram(now, flow, &[chunk]);
        if known.is_some() {
            return;
        }
        let peer = self.lower.peer(flow).expect("the flow has just spoken");
        let id = self.add(Connection {
            flow,
            tag,
            peer,
            waits_for_hello: false,
            early: Vec::new(),
            early_provenance: RECORD,
            resumes,
            hello_deadline: now,
        });
        let length = datagram.len();
        let early = datagram.narrowed(HEADER_LENGTH + 8..length);
        let how = if resumes && !early.is_empty() {
            Established::Early
        } else {
            Established::Full
        };
        self.events
            .push_back((id, TransportEvent::Established(how)));
        if resumes && !early.is_empty() {
            self.hand_up(id, early);
        }
    }

    fn finish_handshake(&mut self, id: ConnectionId, accepted: bool) {
        let connection = &mut self.connections[id.0 as usize];
        if !core::mem::take(&mut connection.waits_for_hello) {
            return;
        }
        let (deadline, peer, early) = (
            connection.hello_deadline,
            connection.peer,
            !connection.early.is_empty(),
        );
        self.timers.disarm(deadline, id);
        self.tickets.keep(peer, TICKET);
        let how = match (accepted, early) {
            (true, true) => Established::Early,
            (true, false) => Established::Resumed,
            (false, _) => Established::Full,
        };
        self.events
            .push_back((id, TransportEvent::Established(how)));
    }

    /// Follows a peer that speaks from another address.
    fn follow(&mut self, id: ConnectionId, flow: ConnectionId) {
        let peer = self.lower.peer(flow).expect("the flow has just spoken");
        let connection = &mut self.connections[id.0 as usize];
        if connection.flow != flow {
            connection.flow = flow;
            connection.peer = peer;
            self.events.push_back((id, TransportEvent::Rebound));
        }
    }

    fn hand_up(&mut self, id: ConnectionId, payload: Payload) {
        self.inbox.push_back((id, payload));
        self.events
            .push_back((id, TransportEvent::DatagramReadable));
    }
}

impl<T: Transport> Transport for RecordLayer<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        if matches!(input, TransportInput::Timeout) {
            while let Some(id) = self.timers.pop_due(now) {
                self.send_hello(now, id, AGAIN);
            }
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some((id, event)) = self.events.pop_front() {
                return TransportOutput::Event(id, event);
            }
            match self.lower.poll(now) {
                TransportOutput::Event(flow, TransportEvent::DatagramReadable) => {
                    self.receive(now, flow);
                }
                TransportOutput::Event(..) => {}
                TransportOutput::WaitUntil(deadline) if self.events.is_empty() => {
                    let deadlines = [deadline, self.timers.next_deadline()];
                    return TransportOutput::WaitUntil(deadlines.into_iter().flatten().min());
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
        let early: Vec<u8> = early_data.iter().flat_map(|c| c.bytes).copied().collect();
        if early.len() > MAX_EARLY_DATA {
            return Err(OpenError::EarlyDataTooLarge);
        }
        let resumes = self.tickets.take(&peer).is_some();
        let flow = self.lower.open_with(now, peer, options, &[])?;
        let tag = self.next_tag;
        self.next_tag += 1;
        let id = self.add(Connection {
            flow,
            tag,
            peer,
            waits_for_hello: true,
            early: if resumes { early } else { Vec::new() },
            early_provenance: early_data.first().map_or(RECORD, |chunk| chunk.provenance),
            resumes,
            hello_deadline: now,
        });
        self.send_hello(now, id, HANDSHAKE);
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.lower.listen(port)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let connection = self
            .connection(connection)
            .ok_or(DatagramError::NoSuchConnection)?;
        let (flow, header) = (connection.flow, header(DATA, connection.tag));
        let record = Chunk {
            bytes: &header,
            provenance: RECORD,
        };
        let chunks: Vec<Chunk<'_>> = [record].into_iter().chain(chunks.iter().copied()).collect();
        self.lower.send_datagram(now, flow, &chunks)
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        let place = self.inbox.iter().position(|(id, _)| *id == connection)?;
        self.inbox.remove(place).map(|(_, payload)| payload)
    }

    fn reset(&mut self, now: Instant, connection: ConnectionId, reason: ResetReason) {
        if let Some(flow) = self.connection(connection).map(|c| c.flow) {
            self.lower.reset(now, flow, reason);
            let closed = TransportEvent::Closed(CloseReason::Reset(reason));
            self.events.push_back((connection, closed));
        }
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.connections.get(connection.0 as usize).map(|c| c.peer)
    }
}

fn header(kind: u8, tag: u32) -> [u8; HEADER_LENGTH] {
    let [a, b, c, d] = tag.to_be_bytes();
    [kind, a, b, c, d]
}

fn parse(record: &[u8]) -> Option<(u8, u32)> {
    let &[kind, a, b, c, d, ..] = record else {
        return None;
    };
    Some((kind, u32::from_be_bytes([a, b, c, d])))
}
