mod accepting;
mod acceptor;
mod layer;
mod mailboxes;
mod memory;
mod readers;

use std::collections::VecDeque;

use lasthop_contract::{
    ConnectionId, DiscardReason, Held, Packet, Payload, ShortQueue, StreamId, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::arrival::{Arrival, What};
use crate::{Constraints, Device, MessageBoundary, Reading};
use acceptor::Acceptor;
use mailboxes::Mailboxes;
use readers::Readers;

/// TCP or UDP of a resource-constrained device, as the layer above sees it.
///
/// Frames wait for the task of the network, which takes one at a time; what it has taken waits in mailboxes for the task of
/// the application, which all transports of a device share. That task reads a piece when it is free, and the layer above is
/// told of it then.
pub struct DeviceTransport {
    inner: Box<dyn Transport>,
    device: Device,
    /// How much of the device's memory it uses.
    used: u64,
    boundary: Option<MessageBoundary>,
    /// The application reads it itself, by the rule of the device.
    is_read_by_application: bool,
    frames: VecDeque<Packet>,
    network_free_at: Instant,
    mailboxes: Mailboxes,
    readers: Readers,
    acceptor: Acceptor,
    /// What waits for the application's task.
    waiting: VecDeque<(ConnectionId, Waits)>,
    /// What that task works on, and from when on it is told above.
    at_work: Option<(Instant, ConnectionId, TransportEvent)>,
    /// The datagram that is told of.
    datagram: Option<Payload>,
    /// What leaves at once.
    ready: ShortQueue<TransportOutput>,
    /// What was in memory below when it was asked last.
    held: Held,
    inner_deadline: Option<Instant>,
}

/// What waits for the application's task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    Stream(StreamId),
    Datagram,
    /// An event that is reported after all events before it.
    Event(TransportEvent),
}

impl DeviceTransport {
    /// Creates a transport of a device, with or without known message boundaries.
    #[must_use]
    pub fn new(
        inner: Box<dyn Transport>,
        device: Device,
        boundary: Option<MessageBoundary>,
    ) -> Self {
        Self {
            inner,
            used: 0,
            device,
            boundary,
            is_read_by_application: true,
            frames: VecDeque::new(),
            network_free_at: Instant::ZERO,
            mailboxes: Mailboxes::default(),
            readers: Readers::default(),
            acceptor: Acceptor::default(),
            waiting: VecDeque::new(),
            at_work: None,
            datagram: None,
            ready: ShortQueue::new(),
            held: Held::default(),
            inner_deadline: None,
        }
    }

    /// Creates a transport below a layer that reads everything, with or without known record boundaries.
    #[must_use]
    pub fn below(
        inner: Box<dyn Transport>,
        device: Device,
        boundary: Option<MessageBoundary>,
    ) -> Self {
        Self {
            is_read_by_application: false,
            ..Self::new(inner, device, boundary)
        }
    }

    fn constraints(&self) -> &Constraints {
        self.device.constraints()
    }

    /// A frame comes: the network's task takes it, or it waits for that.
    fn arrive(&mut self, now: Instant, packet: Packet) {
        if self.network_free_at <= now && self.frames.is_empty() {
            return self.take_frame(now, packet);
        }
        if self.frames.len() >= self.constraints().frames.get() as usize {
            return self.discard(packet, DiscardReason::QueueFull);
        }
        self.frames.push_back(packet);
    }

    fn take_frame(&mut self, now: Instant, packet: Packet) {
        self.network_free_at = now + self.constraints().frame_time;
        let arrival = Arrival::of(&packet);
        if let Some(reason) = self.refusal(arrival) {
            if arrival.what == What::Opening {
                self.note_no_room();
            }
            return self.discard(packet, reason);
        }
        self.inner.handle(now, TransportInput::Packet(packet));
        if let Arrival {
            what: What::Segment(_),
            peer,
        } = arrival
        {
            let before = self.held.unread_bytes;
            self.look();
            let come = self.held.unread_bytes.saturating_sub(before);
            self.mailboxes.put(peer, come);
        }
    }

    fn discard(&mut self, packet: Packet, reason: DiscardReason) {
        self.ready.push(TransportOutput::Discard(packet, reason));
    }

    /// Takes an event from below: what is to be read waits for the application's task.
    #[inline(never)]
    fn note(&mut self, now: Instant, connection: ConnectionId, event: TransportEvent) {
        if self.absorb(connection, event) {
            return;
        }
        let waits = match event {
            TransportEvent::Established(how) if self.queue_for_task(now, connection, how) => return,
            TransportEvent::Readable(stream) => {
                if let Some(reader) = self.readers.get((connection, stream)) {
                    reader.note_more();
                }
                let waits = (connection, Waits::Stream(stream));
                if self.waiting.contains(&waits) {
                    return;
                }
                Waits::Stream(stream)
            }
            TransportEvent::DatagramReadable => Waits::Datagram,
            event if self.has_work(connection) => Waits::Event(event),
            TransportEvent::Established(_)
                if self.constraints().connection_time > Duration::ZERO =>
            {
                Waits::Event(event)
            }
            event => {
                self.tell(connection, event);
                return;
            }
        };
        self.waiting.push_back((connection, waits));
    }

    /// Whether something of a connection is not told yet.
    fn has_work(&self, connection: ConnectionId) -> bool {
        self.at_work.is_some_and(|(_, at, _)| at == connection)
            || self.waiting.iter().any(|(it, _)| *it == connection)
            || self.acceptor.holds(connection)
    }

    fn tell(&mut self, connection: ConnectionId, event: TransportEvent) {
        if let TransportEvent::Closed(_) = event {
            self.forget(connection);
        }
        self.ready.push(TransportOutput::Event(connection, event));
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.readers.forget(connection);
        self.waiting.retain(|(it, _)| *it != connection);
        self.at_work.take_if(|(_, it, _)| *it == connection);
        self.leave(connection);
    }

    /// The application's task begins a piece of what waits.
    fn begin_piece(&mut self, now: Instant, connection: ConnectionId, waits: Waits) {
        match waits {
            Waits::Stream(stream) => self.begin_stream(now, connection, stream),
            Waits::Datagram => {
                self.datagram = self.inner.receive_datagram(connection);
                if let Some(datagram) = &self.datagram {
                    let event = TransportEvent::DatagramReadable;
                    let bytes = datagram.len();
                    self.work(now, (1, bytes), connection, event);
                }
            }
            Waits::Event(event @ TransportEvent::Established(_)) => {
                let done = self.device.begin(now, self.constraints().connection_time);
                self.at_work = Some((done, connection, event));
            }
            Waits::Event(event) => self.tell(connection, event),
        }
    }

    fn begin_stream(&mut self, now: Instant, connection: ConnectionId, stream: StreamId) {
        let constraints = self.device.constraints();
        let reading = match self.is_read_by_application {
            true => constraints.reading,
            false => Reading::All,
        };
        let peer = self.inner.peer(connection);
        let segment = peer.and_then(|peer| self.mailboxes.first(peer));
        let segment = segment.filter(|_| constraints.reads_segments);
        let most = constraints.read_size;
        let by = (reading, segment.map_or(most, |segment| most.min(segment)));
        let reader = self.readers.get_or_begin((connection, stream));
        let (inner, of) = (&mut *self.inner, (connection, stream));
        let Some(piece) = reader.take(now, inner, of, self.boundary, by) else {
            return;
        };
        if piece.thrown_away > 0 || piece.is_misread {
            self.device.throw_away(piece.thrown_away, piece.is_misread);
        }
        let mut is_emptied = false;
        if let Some(peer) = peer {
            let unread = self.held.unread_bytes;
            self.look();
            let taken = unread.saturating_sub(self.held.unread_bytes);
            self.mailboxes.take(peer, taken);
            is_emptied = segment.is_some() && self.mailboxes.first(peer).is_none();
        }
        if let Some(reader) = self.readers.get(of) {
            if is_emptied {
                reader.note_emptied(now, &mut *self.inner, of);
            }
            if reader.may_have_more(self.boundary) {
                self.waiting.push_back((connection, Waits::Stream(stream)));
            }
        }
        if !self.device.has_room(0) {
            return self.device.run_out_of_memory();
        }
        let (messages, bytes) = (piece.messages, piece.bytes);
        let event = TransportEvent::Readable(stream);
        self.work(now, (messages, bytes), connection, event);
    }

    /// The task works on something, which is told above before or after that.
    fn work(
        &mut self,
        now: Instant,
        (messages, bytes): (u32, usize),
        connection: ConnectionId,
        event: TransportEvent,
    ) {
        let constraints = self.constraints();
        let (work, answers_first) = (constraints.work(messages, bytes), constraints.answers_first);
        let done = self.device.begin(now, work);
        let told = if answers_first { now } else { done };
        self.at_work = Some((told, connection, event));
    }

    /// The next thing that is told above.
    #[inline]
    fn advance(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some(output) = self.ready.pop() {
                return output;
            }
            if let Some((at, connection, event)) = self.at_work
                && at <= now
            {
                self.at_work = None;
                return TransportOutput::Event(connection, event);
            }
            if !self.frames.is_empty() {
                self.take_frame_that_waits(now);
            }
            // Each is taken apart: what is handed on whole is looked at again where it would be dropped.
            match self.inner.poll(now) {
                TransportOutput::Event(connection, event) => {
                    self.note(now, connection, event);
                }
                TransportOutput::WaitUntil(deadline) => {
                    self.note_inner_deadline(deadline);
                    if !self.goes_on(now) {
                        return TransportOutput::WaitUntil(self.deadline());
                    }
                }
                TransportOutput::Transmit(packet) => return TransportOutput::Transmit(packet),
                TransportOutput::Evicted => return TransportOutput::Evicted,
                TransportOutput::Discard(packet, reason) => {
                    return TransportOutput::Discard(packet, reason);
                }
            }
        }
    }

    #[cold]
    fn take_frame_that_waits(&mut self, now: Instant) {
        if self.network_free_at <= now
            && let Some(frame) = self.frames.pop_front()
        {
            self.take_frame(now, frame);
        }
    }

    /// Timers of the network fire at its ticks.
    #[inline]
    fn note_inner_deadline(&mut self, deadline: Option<Instant>) {
        if deadline != self.inner_deadline {
            let constraints = self.device.constraints();
            self.inner_deadline = deadline.map(|at| constraints.fires(at));
        }
    }

    /// Whether there is more to do at once while the network waits.
    #[inline]
    fn goes_on(&mut self, now: Instant) -> bool {
        let takes_frame = !self.frames.is_empty() && self.network_free_at <= now;
        !self.ready.is_empty() || takes_frame || (self.has_something_to_begin() && self.begin(now))
    }

    fn deadline(&self) -> Option<Instant> {
        let told = self.at_work.map(|(at, ..)| at);
        let begins = self
            .has_something_to_begin()
            .then(|| self.device.busy_until());
        let frame = (!self.frames.is_empty()).then_some(self.network_free_at);
        let deadlines = [told, begins, frame, self.inner_deadline];
        deadlines.into_iter().flatten().min()
    }

    /// All that was in memory is gone.
    fn crash(&mut self) {
        self.device.note_used(&mut self.used, 0);
        self.frames.clear();
        self.network_free_at = Instant::ZERO;
        self.mailboxes = Mailboxes::default();
        self.readers = Readers::default();
        self.acceptor = Acceptor::default();
        self.waiting.clear();
        self.at_work = None;
        self.datagram = None;
        self.ready = ShortQueue::new();
        self.held = Held::default();
        self.inner_deadline = None;
    }
}
