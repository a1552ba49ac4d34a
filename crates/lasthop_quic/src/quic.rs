use core::fmt;
use core::net::SocketAddr;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_contract::{
    ConnectionId, LookupMap, RandomStream, ShortQueue, TimerQueue, Transport, TransportEvent,
    TransportOutput,
};
use lasthop_tls::Workplace;
use lasthop_units::Instant;
use quinn_proto::{ConnectionHandle, Endpoint};

use crate::admission::Admission;
use crate::connection::Connection;
use crate::crypto::Noted;
use crate::endpoint::MakeEndpoint;
use crate::qlog::Qlog;
use crate::room::Room;
use crate::{QuicClient, QuicServer};

/// All QUIC connections of a host, over a datagram transport.
pub struct Quic<T> {
    pub(crate) lower: T,
    pub(crate) client: Option<QuicClient>,
    pub(crate) server: Option<QuicServer>,
    pub(crate) admission: Admission,
    pub(crate) work: Workplace,
    pub(crate) make: MakeEndpoint,
    /// The endpoint, created with the first connection or port.
    pub(crate) endpoint: Option<Box<Endpoint>>,
    pub(crate) slots: Vec<Slot>,
    /// The newest flow of each peer address.
    pub(crate) flows: LookupMap<SocketAddr, ConnectionId>,
    /// The connection that owns a flow.
    pub(crate) owners: LookupMap<ConnectionId, ConnectionId>,
    pub(crate) outputs: ShortQueue<TransportOutput>,
    pub(crate) due: VecDeque<ConnectionId>,
    pub(crate) timers: TimerQueue<ConnectionId>,
    /// Buffers, present only while a packet is processed.
    pub(crate) room: Room,
    /// Whether the provenance of each byte is recorded, as in a simulated run. On kernel sockets it is not.
    pub(crate) keeps_books: bool,
    /// The qlog, if it is wanted.
    pub(crate) qlog: Option<Box<Qlog>>,
}

/// A slot for a connection, by the library's handle. The generation distinguishes consecutive connections.
#[derive(Default)]
pub(crate) struct Slot {
    generation: u32,
    connection: Option<Connection>,
}

const PLACE_BITS: u32 = 24;

impl<T: Transport> Quic<T> {
    /// Creates QUIC for a host that opens or accepts connections.
    ///
    /// Random numbers come from the stream. Without one they are the system's, and the TLS profiles must agree.
    pub fn new(
        lower: T,
        client: Option<QuicClient>,
        server: Option<QuicServer>,
        mut random: Option<RandomStream>,
    ) -> Self {
        let room = server.as_ref().map_or(0, |it| it.room);
        let limits = server.as_ref().and_then(|it| it.limits);
        let is_of_the_run = random.is_some();
        let make = MakeEndpoint::new(random.as_mut());
        Self {
            lower,
            client: match is_of_the_run {
                true => client.map(QuicClient::of_the_run),
                false => client,
            },
            server: match is_of_the_run {
                true => server.map(QuicServer::of_the_run),
                false => server,
            },
            admission: Admission::new(limits),
            work: Workplace::new(random, room),
            make,
            endpoint: None,
            slots: Vec::new(),
            flows: LookupMap::new(),
            owners: LookupMap::new(),
            outputs: ShortQueue::new(),
            due: VecDeque::new(),
            timers: TimerQueue::new(),
            room: Room::default(),
            keeps_books: is_of_the_run,
            qlog: None,
        }
    }

    /// Sets the host name in logs of session events.
    #[must_use]
    pub fn named(mut self, host: &str) -> Self {
        self.qlog = Qlog::of(host).map(Box::new);
        self
    }

    /// Stores the number of client connections of a limited server in `open`.
    #[must_use]
    pub fn counting_into(mut self, open: Rc<Cell<usize>>) -> Self {
        self.admission.shows = Some(open);
        self
    }

    /// Returns the transport below.
    pub fn lower(&mut self) -> &mut T {
        &mut self.lower
    }

    /// Returns whether packets are recorded for a log, and an empty record.
    pub(crate) fn notes(&mut self) -> (bool, Noted) {
        let is_wanted = self.keeps_books || self.qlog.is_some();
        (is_wanted, core::mem::take(&mut self.room.notes))
    }

    /// Runs `work` with the buffers that all hosts of a thread share.
    pub(crate) fn in_room<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.room.swap();
        let packets = self.room.notes.packets.take();
        self.room.notes.packets = (self.qlog.is_some()).then(|| packets.unwrap_or_default());
        let result = work(self);
        self.room.swap();
        result
    }

    pub(crate) fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(_) => self.admission.established(id),
            TransportEvent::Closed(_) => self.admission.end(id),
            _ => {}
        }
        self.outputs.push(TransportOutput::Event(id, event));
    }
}

impl<T> Quic<T> {
    /// Returns the endpoint and its buffers.
    pub(crate) fn endpoint(&mut self, now: Instant) -> (&mut Endpoint, &mut Workplace) {
        let (make, work) = (&self.make, &mut self.work);
        let endpoint = self
            .endpoint
            .get_or_insert_with(|| Box::new(make.endpoint(now, work)));
        (endpoint, work)
    }

    pub(crate) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        let slot = self.slots.get(place_of(id))?;
        slot.connection.as_ref().filter(|_| slot.is_of(id))
    }

    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        of_slots(&mut self.slots, id)
    }

    /// Returns the ID of the connection with this handle.
    pub(crate) fn id_of(&self, handle: ConnectionHandle) -> Option<ConnectionId> {
        let slot = self.slots.get(handle.0)?;
        slot.connection.as_ref().map(|_| slot.id(handle.0))
    }

    pub(crate) fn add(&mut self, connection: Connection) -> ConnectionId {
        let place = connection.handle.0;
        assert!(place < 1 << PLACE_BITS, "a host has fewer connections");
        if self.slots.is_empty() {
            // A device has one.
            self.slots.reserve_exact(1);
        }
        while self.slots.len() <= place {
            self.slots.push(Slot::default());
        }
        let slot = &mut self.slots[place];
        slot.connection = Some(connection);
        slot.id(place)
    }

    /// Removes a connection.
    pub(crate) fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let slot = self.slots.get_mut(place_of(id));
        let slot = slot.filter(|slot| slot.is_of(id))?;
        let connection = slot.connection.take()?;
        slot.generation += 1;
        if let Some(qlog) = &mut self.qlog {
            qlog.forget(id);
        }
        if let Some(at) = connection.armed {
            self.timers.disarm(at, id);
        }
        Some(connection)
    }

    /// Returns the IDs of all connections.
    pub(crate) fn ids(&self) -> Vec<ConnectionId> {
        let slots = self.slots.iter().enumerate();
        slots
            .filter(|(_, slot)| slot.connection.is_some())
            .map(|(place, slot)| slot.id(place))
            .collect()
    }

    /// Logs the packets that a connection has sent and received, if a log is wanted.
    pub(crate) fn tell_packets(&mut self, now: Instant, id: ConnectionId) {
        if let Some(qlog) = &mut self.qlog
            && let Some(packets) = &mut self.room.notes.packets
            && let Some(connection) = of_slots(&mut self.slots, id)
        {
            qlog.packets(now, id, connection.machine.side(), packets);
        }
    }

    /// Queues a connection for processing, once.
    pub(crate) fn look_at(&mut self, id: ConnectionId) {
        if let Some(connection) = of_slots(&mut self.slots, id)
            && !core::mem::replace(&mut connection.is_due, true)
        {
            self.due.push_back(id);
        }
    }
}

impl Slot {
    fn id(&self, place: usize) -> ConnectionId {
        ConnectionId(u64::from(self.generation) << PLACE_BITS | place as u64)
    }

    fn is_of(&self, id: ConnectionId) -> bool {
        u64::from(self.generation) == id.0 >> PLACE_BITS
    }
}

/// Returns a connection from the slots.
pub(crate) fn of_slots(slots: &mut [Slot], id: ConnectionId) -> Option<&mut Connection> {
    let slot = slots.get_mut(place_of(id))?;
    let is_current = slot.is_of(id);
    slot.connection.as_mut().filter(|_| is_current)
}

fn place_of(id: ConnectionId) -> usize {
    (id.0 & ((1 << PLACE_BITS) - 1)) as usize
}

impl<T> fmt::Debug for Quic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.slots.iter().filter(|it| it.connection.is_some());
        write!(f, "Quic({} connections)", count.count())
    }
}
