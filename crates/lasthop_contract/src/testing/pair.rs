use std::collections::BTreeMap;

use lasthop_units::{Duration, Instant};

use crate::{
    ConnectionId, Direction, DiscardReason, Packet, Transport, TransportEvent, TransportInput,
    TransportOutput,
};

/// Two ends and the wire between them, driven in virtual time.
#[derive(Debug)]
pub struct Pair<C, S> {
    /// The end that opens connections.
    pub client: C,
    /// The end that accepts connections.
    pub server: S,
    /// The one-way delay of a packet.
    pub delay: Duration,
    /// The packets that are lost: by direction, counted from 0.
    pub lost: Vec<(Direction, u64)>,
    now: Instant,
    sent: [u64; 2],
    wire: BTreeMap<(Instant, u64), (Direction, Packet)>,
    deadlines: [Option<Instant>; 2],
    events: Vec<PairEvent>,
    discarded: Vec<DiscardReason>,
}

/// An event at one end of a [`Pair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairEvent {
    /// The time of the event.
    pub at: Instant,
    /// The end: `Up` is the client, `Down` the server.
    pub end: Direction,
    /// The connection.
    pub connection: ConnectionId,
    /// The event.
    pub event: TransportEvent,
}

impl<C: Transport, S: Transport> Pair<C, S> {
    /// Creates two ends on a wire without loss.
    pub fn new(client: C, server: S, delay: Duration) -> Self {
        Self {
            client,
            server,
            delay,
            lost: Vec::new(),
            now: Instant::ZERO,
            sent: [0; 2],
            wire: BTreeMap::new(),
            deadlines: [None; 2],
            events: Vec::new(),
            discarded: Vec::new(),
        }
    }

    /// Returns the current time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Runs for this span, or until both ends are idle and the wire is empty.
    pub fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.drain();
        while let Some(next) = self.next_instant().filter(|at| *at <= end) {
            self.now = next.max(self.now);
            self.deliver_due();
            for side in Direction::ALL {
                if self.deadlines[side as usize].is_some_and(|at| at <= self.now) {
                    self.deadlines[side as usize] = None;
                    let now = self.now;
                    self.end(side).handle(now, TransportInput::Timeout);
                }
            }
            self.drain();
        }
        self.now = end;
    }

    /// Returns the events of both ends since the last call, in order.
    pub fn take_events(&mut self) -> Vec<PairEvent> {
        core::mem::take(&mut self.events)
    }

    /// Returns the number of packets that an end has sent, lost ones included.
    pub fn sent(&self, end: Direction) -> u64 {
        self.sent[end as usize]
    }

    /// Returns why packets were discarded, in order.
    pub fn discarded(&self) -> &[DiscardReason] {
        &self.discarded
    }

    fn next_instant(&self) -> Option<Instant> {
        let arrival = self.wire.keys().next().map(|(at, _)| *at);
        self.deadlines
            .iter()
            .copied()
            .chain([arrival])
            .flatten()
            .min()
    }

    fn deliver_due(&mut self) {
        while let Some(entry) = self.wire.first_entry()
            && entry.key().0 <= self.now
        {
            let (direction, packet) = entry.remove();
            let now = self.now;
            let to = match direction {
                Direction::Up => Direction::Down,
                Direction::Down => Direction::Up,
            };
            self.end(to).handle(now, TransportInput::Packet(packet));
        }
    }

    /// Polls both ends until they wait.
    fn drain(&mut self) {
        for side in Direction::ALL {
            loop {
                let now = self.now;
                match self.end(side).poll(now) {
                    TransportOutput::Transmit(packet) => self.transmit(side, packet),
                    TransportOutput::Event(connection, event) => self.events.push(PairEvent {
                        at: now,
                        end: side,
                        connection,
                        event,
                    }),
                    TransportOutput::Discard(_, reason) => self.discarded.push(reason),
                    TransportOutput::Evicted => {}
                    TransportOutput::WaitUntil(deadline) => {
                        self.deadlines[side as usize] = deadline;
                        break;
                    }
                }
            }
        }
    }

    fn transmit(&mut self, direction: Direction, packet: Packet) {
        let number = self.sent[direction as usize];
        self.sent[direction as usize] += 1;
        if !self.lost.contains(&(direction, number)) {
            let place = (self.now + self.delay, self.sent[0] + self.sent[1]);
            self.wire.insert(place, (direction, packet));
        }
    }

    fn end(&mut self, side: Direction) -> &mut dyn Transport {
        match side {
            Direction::Up => &mut self.client,
            Direction::Down => &mut self.server,
        }
    }
}
