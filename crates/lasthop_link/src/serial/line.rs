use std::collections::{BTreeSet, VecDeque};

use lasthop_contract::{DropReason, Link, LinkInput, LinkOutput, Packet, Port};
use lasthop_units::{Duration, Instant};

use super::{Duplex, SerialConfig};
use crate::stage::rate::QueueLimit;

/// A serial line between servers at one end and a station for each device. One station sends at a time.
///
/// The station k has `Port(2k)`, and `Port(2k + 1)` at the other end. Whoever has waited longest has the turn, as with
/// a master that polls, whose polls take no time here; there are no collisions.
#[derive(Debug)]
pub struct SerialLine {
    config: SerialConfig,
    /// Of half duplex the one wire, else that of each direction.
    wires: [Wire; 2],
    detached: BTreeSet<Port>,
    dropped: VecDeque<LinkOutput>,
}

/// The occupancy of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SerialReport {
    /// The time during which bits were on the line.
    pub busy: Duration,
    /// The time during which a station waited while the line was idle for turnaround.
    pub turnaround: Duration,
}

/// What one station at a time sends on.
#[derive(Debug, Default)]
struct Wire {
    /// In the order in which they are sent.
    frames: VecDeque<Frame>,
    free: Instant,
    last: Option<Sender>,
    done: SerialReport,
}

/// A packet that waits, or that is sent.
#[derive(Debug)]
struct Frame {
    port: Port,
    packet: Packet,
    begins: Instant,
    ends: Instant,
}

/// Who sends: a device, or the end that all servers are at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    Device(u32),
    FarEnd,
}

impl SerialLine {
    /// Creates an idle line.
    #[must_use]
    pub fn new(config: SerialConfig) -> Self {
        Self {
            config,
            wires: Default::default(),
            detached: BTreeSet::new(),
            dropped: VecDeque::new(),
        }
    }

    /// Returns the occupancy of the line until an instant.
    #[must_use]
    pub fn report(&self, until: Instant) -> SerialReport {
        let mut report = SerialReport::default();
        for wire in &self.wires {
            report.busy += wire.done.busy;
            report.turnaround += wire.done.turnaround;
            for frame in &wire.frames {
                let ends = frame.ends.min(until);
                if ends > frame.begins {
                    report.busy += ends - frame.begins;
                }
            }
        }
        report
    }

    fn offer(&mut self, now: Instant, port: Port, packet: Packet) {
        let config = self.config;
        let sender = sender_at(port);
        let wire = match (config.duplex, sender) {
            (Duplex::Full, Sender::FarEnd) => &mut self.wires[1],
            _ => &mut self.wires[0],
        };
        let idle = now.max(wire.free);
        let turns = wire.last.is_some_and(|last| last != sender);
        let begins = match turns {
            true => idle.max(wire.free + Duration::from_nanos(config.turnaround_ns)),
            false => idle,
        };
        let refused = if packet.length() > SerialConfig::LARGEST_PACKET {
            Some(DropReason::TooBig)
        } else if begins > now && !wire.has_room(now, sender, &packet, config.queue) {
            Some(DropReason::QueueFull)
        } else {
            None
        };
        if let Some(reason) = refused {
            self.dropped.push_back(LinkOutput::Drop {
                port,
                packet,
                reason,
            });
            return;
        }
        let ends = begins + config.time_of(packet.bytes());
        wire.done.turnaround += begins - idle;
        (wire.free, wire.last) = (ends, Some(sender));
        wire.frames.push_back(Frame {
            port,
            packet,
            begins,
            ends,
        });
    }

    /// Returns the wire whose frame ends first.
    fn next(&self) -> Option<usize> {
        let ends = |wire: &Wire| wire.frames.front().map(|frame| frame.ends);
        let wires = self.wires.iter().enumerate();
        let next = wires.filter_map(|(number, wire)| Some((ends(wire)?, number)));
        next.min().map(|(_, number)| number)
    }
}

impl Wire {
    /// Whether a packet that does not begin at once may wait.
    fn has_room(&self, now: Instant, sender: Sender, packet: &Packet, limit: QueueLimit) -> bool {
        let waits = |frame: &&Frame| frame.begins > now && sender_at(frame.port) == sender;
        let waiting = self.frames.iter().filter(waits);
        match limit {
            QueueLimit::Packets(most) => (waiting.count() as u64) < u64::from(most),
            QueueLimit::Bytes(most) => {
                let bytes: usize = waiting.map(|frame| frame.packet.length()).sum();
                (bytes + packet.length()) as u64 <= most.as_bytes()
            }
        }
    }
}

impl Link for SerialLine {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        match input {
            LinkInput::Offered { port, packet } => self.offer(now, port, packet),
            LinkInput::Detach { port } => _ = self.detached.insert(port),
            LinkInput::Attach { port } => _ = self.detached.remove(&port),
            // Bits go where nobody listens, and a turn that has begun goes on.
            LinkInput::SwitchedOff { .. }
            | LinkInput::SwitchedOn { .. }
            | LinkInput::OutageBegins
            | LinkInput::OutageEnds
            | LinkInput::Timeout => {}
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        if let Some(dropped) = self.dropped.pop_front() {
            return dropped;
        }
        let Some(number) = self.next() else {
            return LinkOutput::WaitUntil(None);
        };
        let wire = &mut self.wires[number];
        if wire.frames[0].ends > now {
            return LinkOutput::WaitUntil(Some(wire.frames[0].ends));
        }
        let frame = wire.frames.pop_front().expect("it has one");
        wire.done.busy += frame.ends - frame.begins;
        // The other end of a station has the other of its two ports.
        let port = Port(frame.port.0 ^ 1);
        if self.detached.contains(&port) {
            return LinkOutput::Drop {
                port: frame.port,
                packet: frame.packet,
                reason: DropReason::NotAttached,
            };
        }
        LinkOutput::Deliver {
            port,
            packet: frame.packet,
        }
    }
}

fn sender_at(port: Port) -> Sender {
    match port.0 % 2 {
        0 => Sender::Device(port.0 / 2),
        _ => Sender::FarEnd,
    }
}
