//! The common part of client and server: a participant on the transport of a host.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_contract::{
    ApplicationOutput, Cause, Chunk, ConnectionId, DeviceId, FailureReason, Layer, MessageEvent,
    OutgoingMessage, Payload, Provenance, RandomStream, Received, ShortQueue, Transport,
};
use lasthop_units::Instant;

use crate::config::{Carrier, DdsConfig};
use crate::contact::Contact;
use crate::infinite::without_infinite;
use crate::introduction::Introductions;
use crate::ordering::Ordering;
use crate::pacing::Pacing;
use crate::participant::{Participant, Reader};
use crate::peers::Peers;
use crate::ports::Ports;
use crate::provenance;
use crate::repeats::Repeats;
use crate::rtps_tcp::LOGICAL_PORT;
use crate::sample::{BEFORE_PAYLOAD, Message};
use crate::soundness::{MOST_OF_A_SET, is_sound};
use crate::submessage::{
    GuidPrefix, Submessage, acknowledgements, heard_of, is_builtin, submessages,
};
use crate::type_lookup::without_types;
use crate::whereabouts::{Whereabouts, announced, correct, goodbye_of};
use crate::wire::{Destination, Outgoing};
use crate::writer::Writer;

/// A participant with its writers, readers and datagrams.
pub(crate) struct Endpoint {
    config: Arc<DdsConfig>,
    /// Where it is now.
    address: IpAddr,
    /// The port of its service. A device has none: it takes the first ports that are free.
    service_port: Option<u16>,
    identities: RandomStream,
    pub(crate) peers: Peers,
    running: Option<Box<Running>>,
    outputs: ShortQueue<ApplicationOutput>,
}

/// The state that exists while the host is on.
pub(crate) struct Running {
    ports: Ports,
    /// Where the participant was made to receive discovery, of which it speaks for ever.
    made_at: Contact,
    pub(crate) participant: Participant,
    /// The writers, by the device whose messages they write.
    pub(crate) writers: BTreeMap<DeviceId, Writer>,
    pub(crate) readers: Vec<Reader>,
    introductions: Introductions,
    pacing: Pacing,
    ordering: Ordering,
    whereabouts: Whereabouts,
    repeats: Repeats,
}

/// Whether a datagram changed the discovery state: new endpoints of other participants, or their acknowledgement of
/// ours.
pub(crate) type BringsNews = bool;

impl Running {
    /// Whether a reader is matched that receives the writer of a device from its first sample on.
    pub(crate) fn is_read(&mut self, now: Instant, device: DeviceId) -> bool {
        let Some(writer) = self.writers.get(&device) else {
            return false;
        };
        let readers = self.participant.readers_of(now, writer);
        let is_anybody = !readers.is_empty();
        let mut has_strangers = false;
        for reader in readers.into_iter().filter(|reader| reader.is_reliable) {
            let pair = (writer.entity, reader.guid);
            has_strangers |= !self.introductions.have_met(now, pair);
        }
        is_anybody && !has_strangers
    }

    /// Tells strangers where writers begin.
    fn introduce(&mut self, now: Instant) {
        let writers = &self.writers;
        let is_new = |entity| {
            let mut all = writers.values();
            all.any(|writer| writer.entity == entity && writer.history.is_new())
        };
        let prefix = self.participant.prefix();
        for heartbeat in self.introductions.due(now, prefix, is_new) {
            self.participant.send(heartbeat);
        }
    }

    /// Reads a message, and what was held until it came; whether there was something.
    fn read(&mut self, now: Instant, message: &[u8]) -> bool {
        let before = self.ordering.before(message);
        for held in &before {
            self.participant.receive(now, held);
        }
        self.participant.receive(now, message);
        let behind = self.ordering.behind(message);
        for held in &behind {
            self.participant.receive(now, held);
        }
        !before.is_empty() || !behind.is_empty()
    }

    /// A participant has ended, whether it has said so or not.
    fn forget(&mut self, now: Instant, participant: GuidPrefix) {
        self.introductions.forget(participant);
        self.pacing.forget(participant);
        self.ordering.forget(participant);
        self.participant.receive(now, &goodbye_of(participant));
    }

    /// When there is something to do next.
    fn next_deadline(&self) -> Option<Instant> {
        let participant = self.participant.next_deadline().into_iter();
        let introductions = self.introductions.next_deadline();
        let pacing = self.pacing.next_deadline();
        participant.chain(introductions).chain(pacing).min()
    }
}

impl Endpoint {
    pub(crate) fn new(
        config: Arc<DdsConfig>,
        (address, service_port): (IpAddr, Option<u16>),
        first: Option<Contact>,
        identities: RandomStream,
    ) -> Self {
        Self {
            config,
            address,
            service_port,
            identities,
            peers: Peers::new(first),
            running: None,
            outputs: ShortQueue::new(),
        }
    }

    /// Starts with a new participant, which has a new GUID after each start. `equip` creates its readers and writers.
    pub(crate) fn start(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        equip: impl FnOnce(&mut Running),
    ) {
        let ports = self.listen(transport);
        self.address = self.address_now(transport);
        let identity = self.identities.next_u64();
        let made_at = self.contact(ports, identity);
        let mut running = Running {
            ports,
            made_at,
            participant: Participant::new(
                now,
                Arc::clone(&self.config),
                (made_at, ports),
                identity,
            ),
            writers: BTreeMap::new(),
            readers: Vec::new(),
            introductions: Introductions::default(),
            pacing: Pacing::default(),
            ordering: Ordering::default(),
            whereabouts: Whereabouts::default(),
            repeats: Repeats::default(),
        };
        equip(&mut running);
        self.running = Some(Box::new(running));
        self.flush(now, transport);
    }

    /// Listens at the ports of the participant and returns those by which its kinds of traffic differ.
    fn listen(&self, transport: &mut dyn Transport) -> Ports {
        const FREE: &str = "a host has a port for each of its services";
        if self.config.carrier == Carrier::Tcp {
            // Nobody opens a connection to a device.
            if let Some(port) = self.service_port {
                transport.listen(port).expect(FREE);
            }
            return Ports::LOGICAL;
        }
        let mut listen = |ports: &Ports| {
            let mut both = ports.both().into_iter();
            both.all(|port| transport.listen(port).is_ok())
        };
        let ports = match self.service_port.map(Ports::of_service) {
            Some(ports) => Some(ports).filter(&mut listen),
            None => Ports::all().find(&mut listen),
        };
        ports.expect(FREE)
    }

    /// Returns where the participant receives discovery.
    ///
    /// A device that does not listen at a TCP port announces a number in its place, as Fast DDS announces that of its
    /// process.
    fn contact(&self, ports: Ports, identity: u64) -> Contact {
        const UNPRIVILEGED: u64 = 1024;
        const OTHERS: u64 = (1 << 16) - UNPRIVILEGED;
        let at = |port| SocketAddr::new(self.address, port);
        match self.config.carrier {
            Carrier::Udp => Contact::udp(at(ports.metatraffic)),
            Carrier::Tcp => {
                let number = UNPRIVILEGED + identity % OTHERS;
                let port = self.service_port.unwrap_or(number as u16);
                Contact::tcp(at(port), ports.metatraffic)
            }
        }
    }

    /// Forgets a flow that has ended. A TCP connection may have ended because the address of the host changed.
    pub(crate) fn lose(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        transport: &mut dyn Transport,
    ) {
        self.peers.forget(connection);
        if self.config.carrier == Carrier::Tcp {
            self.follow_address(now, transport);
        }
    }

    /// Announces a changed address of the host to all participants.
    pub(crate) fn follow_address(&mut self, now: Instant, transport: &mut dyn Transport) {
        let address = self.address_now(transport);
        if address == self.address {
            return;
        }
        self.address = address;
        if let Some(running) = &mut self.running {
            running.participant.announce(now);
        }
        self.flush(now, transport);
    }

    /// Where it is found; as it was told, where the transport does not know.
    fn address_now(&self, transport: &dyn Transport) -> IpAddr {
        let first = self.peers.first();
        let found = first.and_then(|peer| transport.local_address(peer.address.ip(), None));
        found.unwrap_or(self.address)
    }

    /// Disposes of the participant and announces its end.
    pub(crate) fn stop(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let Some(running) = &mut self.running {
            running.participant.leave(now);
        }
        self.flush(now, transport);
        self.crash();
    }

    /// Drops the participant without an announcement.
    pub(crate) fn crash(&mut self) {
        self.running = None;
        self.peers.clear();
    }

    pub(crate) const fn running(&mut self) -> Option<&mut Box<Running>> {
        self.running.as_mut()
    }

    pub(crate) fn push(&mut self, output: ApplicationOutput) {
        self.outputs.push(output);
    }

    /// Processes the next datagram of a connection. Returns `None` if there is none.
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        transport: &mut dyn Transport,
    ) -> Option<BringsNews> {
        let datagram = transport.receive_datagram(connection)?;
        let Some(running) = &mut self.running else {
            return Some(false);
        };
        let message = match self.config.carrier {
            Carrier::Udp => &datagram[..],
            Carrier::Tcp => &datagram[LOGICAL_PORT.min(datagram.len())..],
        };
        let datagram = without_infinite(without_types(message));
        if !is_sound(&datagram, self.config.fragment_size) {
            return Some(false);
        }
        if running.whereabouts.is_of_the_past(&datagram) {
            return Some(false);
        }
        if let Some(peer) = transport.peer(connection) {
            self.peers.reach(peer, connection);
            if let Some(contact) = self.config.carrier.discovery_of(peer, &datagram) {
                self.peers.announce_to(now, contact);
            }
        }
        running.introductions.hear(&datagram);
        let change = running.whereabouts.hear(now, &datagram);
        if let Some(left) = change.left {
            self.peers.announce_no_more(left);
        }
        if let Some(ended) = change.ended {
            running.forget(now, ended);
        }
        let at_once = running
            .pacing
            .hold((now, &*self.config), connection, &datagram);
        let mut has_samples = running.read(now, &at_once);
        let mut has_met = false;
        let prefix = running.participant.prefix();
        for told in acknowledgements(&datagram, prefix) {
            if let Some(answer) = running.introductions.liveliness(&told, prefix) {
                running.participant.send(answer);
            }
            let mut writers = running.writers.values_mut();
            let Some(writer) = writers.find(|it| it.entity == told.writer) else {
                continue;
            };
            has_met |= running.introductions.acknowledge(&told);
            for event in writer.history.acknowledge_below(told.below) {
                self.outputs.push(ApplicationOutput::Event(event));
            }
        }
        for (entity, number) in heard_of(&datagram, prefix) {
            let mut writers = running.writers.values_mut();
            if let Some(writer) = writers.find(|it| it.entity == entity) {
                writer.history.hear_of(now, number);
            }
        }
        let mut has_discovery = false;
        for part in submessages(&datagram).filter(Submessage::is_data) {
            has_discovery |= is_of_discovery(&part);
            has_samples |= !is_of_discovery(&part);
        }
        // A late reader's writer may be known only now, so that what waited is there with discovery, too.
        if has_samples || has_discovery {
            self.hand_on(now, connection);
        }
        self.flush(now, transport);
        Some(has_discovery || has_met)
    }

    /// Hands on the messages that were read.
    fn hand_on(&mut self, now: Instant, connection: ConnectionId) {
        let Some(running) = &mut self.running else {
            return;
        };
        for reader in &running.readers {
            for message in running.participant.take_messages(now, reader) {
                self.outputs.push(ApplicationOutput::Received(Received {
                    connection,
                    payload: Payload::copied_from(&message.payload),
                }));
            }
        }
    }

    /// Writes a message to the topic of a device.
    pub(crate) fn write(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let device = id.flow.device();
        let running = self.running.as_mut();
        let writer = running.and_then(|running| running.writers.get(&device));
        let Some(writer) = writer else {
            return self.fail(message, FailureReason::NotConnected);
        };
        let length = BEFORE_PAYLOAD + payload.len();
        if length.div_ceil(self.config.fragment_size) > MOST_OF_A_SET as usize {
            return self.fail(message, FailureReason::TooLarge);
        }
        let sample = Message {
            device: device.0,
            payload: payload.to_vec(),
        };
        if !writer.offer(id, sample) {
            return self.fail(message, FailureReason::QueueFull);
        }
        self.run(now, transport);
    }

    /// Processes expired timers.
    pub(crate) fn run(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let Some(running) = &mut self.running {
            running.participant.run(now);
            for held in running.pacing.due(now) {
                if let Some(running) = &mut self.running {
                    running.read(now, &held.message);
                }
                self.hand_on(now, held.connection);
            }
        }
        self.flush(now, transport);
    }

    /// Returns the next output.
    pub(crate) fn poll(&mut self) -> ApplicationOutput {
        self.outputs.pop().unwrap_or_else(|| {
            let running = self.running.as_ref();
            let next = running.and_then(|running| running.next_deadline());
            ApplicationOutput::WaitUntil(next)
        })
    }

    fn fail(&mut self, message: OutgoingMessage<'_>, reason: FailureReason) {
        let id = message.id;
        self.push(ApplicationOutput::Event(MessageEvent::Failed {
            id,
            reason,
        }));
    }

    /// Sends the participant's datagrams, and reports the outcome of messages.
    pub(crate) fn flush(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(running) = &mut self.running else {
            return;
        };
        running.introduce(now);
        let Running {
            ports,
            participant,
            writers,
            ordering,
            introductions,
            whereabouts,
            made_at,
            repeats,
            ..
        } = &mut **running;
        let mut events = Vec::new();
        for writer in writers.values_mut() {
            for written in writer.done() {
                let id = written.id;
                events.extend(if written.is_taken {
                    writer.history.add(id, written.length)
                } else {
                    let reason = FailureReason::QueueFull;
                    Some(MessageEvent::Failed { id, reason })
                });
            }
        }
        for mut outgoing in participant.take_outgoing() {
            let is_over_tcp = self.config.carrier == Carrier::Tcp;
            if is_suppressed(now, &outgoing, writers)
                || is_over_tcp && repeats.has_just_left(now, &outgoing)
            {
                continue;
            }
            ordering.ask(now, &mut outgoing.bytes);
            introductions.count_on(&mut outgoing.bytes);
            correct(&mut outgoing.bytes, (made_at.address.ip(), self.address));
            let parts = provenance::parts(&outgoing.bytes, |entity, name| {
                let mut writers = writers.values_mut();
                let writer = writers.find(|writer| writer.entity == entity)?;
                let (carried, event) = writer.history.leaves(now, name, outgoing.to)?;
                events.extend(event);
                Some(carried)
            });
            let parts = parts.into_iter().map(|(place, provenance)| Chunk {
                bytes: &outgoing.bytes[place],
                provenance,
            });
            let parts: Vec<Chunk<'_>> = parts.collect();
            let to = match outgoing.to {
                Destination::One(contact) => {
                    let contact = whereabouts.now(&outgoing.bytes, contact);
                    if submessages(&outgoing.bytes).any(|part| is_of_discovery(&part)) {
                        self.peers.announce_to(now, contact);
                    }
                    vec![contact]
                }
                Destination::Participants => self.peers.participants(now),
            };
            for to in to {
                let flow = self.peers.flow(now, (*made_at, *ports), to, transport);
                let Some(flow) = flow else {
                    continue;
                };
                // What cannot leave is lost, as on any wire.
                let _ = match to.logical_port {
                    None => transport.send_datagram(now, flow, &parts),
                    Some(port) => {
                        let port = port.to_le_bytes();
                        let chunks = [&[framing(&port)], &parts[..]].concat();
                        transport.send_datagram(now, flow, &chunks)
                    }
                };
            }
        }
        for writer in writers.values_mut() {
            events.extend(writer.history.unheard());
        }
        for event in events {
            self.outputs.push(ApplicationOutput::Event(event));
        }
    }
}

/// Whether a datagram brings a sample again too soon. The heartbeat behind that stays with it: it would have it asked for once more.
fn is_suppressed(
    now: Instant,
    outgoing: &Outgoing,
    writers: &mut BTreeMap<DeviceId, Writer>,
) -> bool {
    submessages(&outgoing.bytes).any(|part| {
        let name = part.sample().zip(part.writer());
        name.is_some_and(|(name, entity)| {
            let mut writers = writers.values_mut();
            let writer = writers.find(|writer| writer.entity == entity);
            writer.is_some_and(|it| it.history.is_suppressed(now, name, outgoing.to))
        })
    })
}

/// The bytes of a frame's header.
const fn framing(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance::new(Layer::Application, Cause::Header),
    }
}

impl Carrier {
    /// Returns where the sender of a message hears of discovery, if that is known from the message.
    fn discovery_of(self, peer: SocketAddr, message: &[u8]) -> Option<Contact> {
        match self {
            // It speaks from where it hears.
            Self::Udp => Some(Contact::udp(peer)).filter(|contact| !contact.is_of_users()),
            // Frames do not say from which logical port they come.
            Self::Tcp => announced(message)?.1.discovery,
        }
    }
}

/// Whether a part of a message speaks of participants and their endpoints.
fn is_of_discovery(part: &Submessage<'_>) -> bool {
    part.writer().is_some_and(is_builtin)
}
