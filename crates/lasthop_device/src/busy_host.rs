use core::cmp::Reverse;
use core::mem;
use core::net::IpAddr;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use lasthop_contract::{
    DiscardReason, Host, HostEvent, HostInput, HostOutput, InterfaceId, IpView, MessageEvent,
    MessageId, Packet, ShortQueue,
};
use lasthop_units::{Duration, Instant};

use crate::message_count::MessageCount;
use crate::{ConnectionCount, ServiceTime};

/// A host with processing times. Packets wait for a worker in order, and output leaves when the work is done.
///
/// A packet is handled when its work begins. Timers, and what is done to the host, wait for nobody: what they bring about
/// goes before the packets that wait. A crash forgets the work.
pub struct BusyHost {
    host: Box<dyn Host>,
    times: ServiceTime,
    connections: ConnectionCount,
    /// When each worker has done what it works on.
    free_at: BinaryHeap<Reverse<Instant>>,
    waiting: VecDeque<(InterfaceId, Packet)>,
    waiting_bytes: u64,
    coming: MessageCount,
    going: MessageCount,
    /// What leaves when its work is done, in the order in which it was begun.
    leaving: BTreeMap<(Instant, u64), HostOutput>,
    leaving_bytes: u64,
    begun: u64,
    /// What leaves at once.
    ready: ShortQueue<HostOutput>,
    /// What one piece of work has brought about; empty between them.
    brought_about: Vec<HostOutput>,
    /// What the host waits for.
    deadline: Option<Instant>,
}

impl BusyHost {
    /// Creates a host with these service times and the connection count of its applications.
    #[must_use]
    pub fn new(host: Box<dyn Host>, times: ServiceTime, connections: ConnectionCount) -> Self {
        let idle = (0..times.workers.get()).map(|_| Reverse(Instant::ZERO));
        Self {
            host,
            times,
            connections,
            free_at: idle.collect(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            coming: MessageCount::default(),
            going: MessageCount::default(),
            leaving: BTreeMap::new(),
            leaving_bytes: 0,
            begun: 0,
            ready: ShortQueue::new(),
            brought_about: Vec::new(),
            deadline: None,
        }
    }

    /// When the first worker is free.
    fn first_free(&self) -> Instant {
        self.free_at.peek().map_or(Instant::ZERO, |first| first.0)
    }

    fn arrive(&mut self, interface: InterfaceId, packet: Packet) {
        let bytes = self.waiting_bytes + packet.length() as u64;
        // Whatever the room is, one packet has its place.
        if !self.waiting.is_empty() && bytes > self.times.room.as_bytes() {
            return self.discard(packet, DiscardReason::QueueFull);
        }
        self.waiting_bytes = bytes;
        if let Some(messages) = messages_of(&packet) {
            self.tell(HostEvent::Waiting(messages));
        }
        self.waiting.push_back((interface, packet));
    }

    fn discard(&mut self, packet: Packet, reason: DiscardReason) {
        self.tell(HostEvent::Discarded { packet, reason });
    }

    fn tell(&mut self, event: HostEvent) {
        self.ready.push(HostOutput::Event(event));
    }

    /// Hands something to the host, which takes so much time beside what comes of it; when it is done.
    fn work(&mut self, now: Instant, input: HostInput, mut time: Duration) -> Instant {
        self.host.handle(now, input);
        let mut outputs = mem::take(&mut self.brought_about);
        self.deadline = loop {
            match self.host.poll(now) {
                HostOutput::WaitUntil(deadline) => break deadline,
                output => {
                    time += self.time_of(&output);
                    outputs.push(output);
                }
            }
        };
        time += self.times.of_connections(self.connections.take());
        let mut done = now;
        // What takes no time needs no worker, but does not overtake what one worker has.
        if (time > Duration::ZERO || self.times.workers.get() == 1)
            && let Some(mut first) = self.free_at.peek_mut()
        {
            first.0 = first.0.max(now) + time;
            done = first.0;
        }
        for output in outputs.drain(..) {
            self.leave(now, done, output);
        }
        self.brought_about = outputs;
        done
    }

    /// How long what comes of a piece of work takes.
    fn time_of(&mut self, output: &HostOutput) -> Duration {
        match output {
            HostOutput::Transmit { packet, .. } if self.times.message > Duration::ZERO => {
                self.times.message * self.going.of_leaving(packet)
            }
            _ => Duration::ZERO,
        }
    }

    fn time_of_packet(&mut self, packet: &Packet) -> Duration {
        let mut time = self.times.of_packet(packet);
        if self.times.message > Duration::ZERO {
            time += self.times.message * self.coming.of_coming(packet);
        }
        time
    }

    /// Lets something leave when its work is done.
    fn leave(&mut self, now: Instant, done: Instant, output: HostOutput) {
        let at = match &output {
            // A message is due when it is due, whoever is at work.
            HostOutput::Event(HostEvent::Message(
                MessageEvent::Intended { .. }
                | MessageEvent::TrafficStarted { .. }
                | MessageEvent::TrafficEnded { .. },
            )) => now,
            HostOutput::Transmit { packet, .. } => self.after_those_before(done, packet),
            _ => done,
        };
        if at <= now && self.leaving.is_empty() {
            return self.ready.push(output);
        }
        let output = match output {
            HostOutput::Transmit { interface, packet }
                if self.leaving_bytes > self.times.room.as_bytes() =>
            {
                let reason = DiscardReason::QueueFull;
                return self.ready.push(HostOutput::Discard {
                    interface,
                    packet,
                    reason,
                });
            }
            output => output,
        };
        self.leaving_bytes += length_of(&output);
        self.begun += 1;
        self.leaving.insert((at, self.begun), output);
    }

    /// When a packet leaves whose work is done then: workers do not let those to one address overtake each other.
    fn after_those_before(&self, done: Instant, packet: &Packet) -> Instant {
        if self.times.workers.get() == 1 {
            return done;
        }
        let to = destination(packet);
        let mut later = self.leaving.range((done, u64::MAX)..).rev();
        let last = later.find(|(_, output)| match output {
            HostOutput::Transmit { packet, .. } => destination(packet) == to,
            _ => false,
        });
        last.map_or(done, |((at, _), _)| *at)
    }

    /// Begins the work on the first packet that waits, where a worker is free.
    fn begin(&mut self, now: Instant) -> bool {
        if self.first_free() > now {
            return false;
        }
        let Some((interface, packet)) = self.waiting.pop_front() else {
            return false;
        };
        self.waiting_bytes -= packet.length() as u64;
        let time = self.time_of_packet(&packet);
        let messages = messages_of(&packet);
        let done = self.work(now, HostInput::Received { interface, packet }, time);
        if let Some(messages) = messages {
            self.leave(now, done, HostOutput::Event(HostEvent::Served(messages)));
        }
        true
    }

    /// Forgets the work: packets are gone, and what is known of messages is told.
    fn forget(&mut self) {
        for (_, packet) in mem::take(&mut self.waiting) {
            if let Some(messages) = messages_of(&packet) {
                self.tell(HostEvent::Served(messages));
            }
            self.discard(packet, DiscardReason::HostDown);
        }
        for (_, output) in mem::take(&mut self.leaving) {
            if let HostOutput::Event(_) = output {
                self.ready.push(output);
            }
        }
        (self.waiting_bytes, self.leaving_bytes) = (0, 0);
        let workers = self.free_at.len();
        self.free_at.clear();
        self.free_at
            .extend((0..workers).map(|_| Reverse(Instant::ZERO)));
    }

    fn next_to_leave(&mut self, now: Instant) -> Option<HostOutput> {
        if let Some(output) = self.ready.pop() {
            return Some(output);
        }
        let first = self.leaving.first_entry()?;
        if first.key().0 > now {
            return None;
        }
        let output = first.remove();
        self.leaving_bytes -= length_of(&output);
        Some(output)
    }
}

impl Host for BusyHost {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Received { interface, packet } => self.arrive(interface, packet),
            HostInput::Timeout => {
                if self.deadline.is_some_and(|deadline| deadline <= now) {
                    let _ = self.work(now, HostInput::Timeout, Duration::ZERO);
                }
            }
            HostInput::Crash(_) => {
                self.forget();
                let _ = self.work(now, input, Duration::ZERO);
            }
            _ => {
                let _ = self.work(now, input, Duration::ZERO);
            }
        }
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        loop {
            if let Some(output) = self.next_to_leave(now) {
                return output;
            }
            if !self.begin(now) {
                break;
            }
        }
        let leaves = self.leaving.keys().next().map(|(at, _)| *at);
        let begins = (!self.waiting.is_empty()).then(|| self.first_free());
        let deadlines = [leaves, begins, self.deadline];
        HostOutput::WaitUntil(deadlines.into_iter().flatten().min())
    }
}

/// The messages that a packet has bytes of, where it has some.
fn messages_of(packet: &Packet) -> Option<Box<[MessageId]>> {
    let messages: Box<[MessageId]> = packet.messages().collect();
    (!messages.is_empty()).then_some(messages)
}

fn destination(packet: &Packet) -> Option<IpAddr> {
    let view = IpView::read(packet.bytes())?;
    Some(view.destination(packet.bytes()))
}

fn length_of(output: &HostOutput) -> u64 {
    match output {
        HostOutput::Transmit { packet, .. } => packet.length() as u64,
        _ => 0,
    }
}
