use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{
    Direction, DropReason, Link, LinkInput, LinkOutput, Packet, Port, TimerQueue,
};
use lasthop_transport::IpPacket;
use lasthop_units::Instant;

/// A link that gives each TCP or UDP flow a separate link, as if it had the path to itself.
///
/// The n-th packet of a flow in a direction meets what it would meet alone, whatever else passes. Flows are never
/// forgotten: this is for measurements, not for servers.
pub struct FlowLinks<F, L> {
    make: F,
    flows: BTreeMap<FlowPorts, Flow<L>>,
    timers: TimerQueue<FlowPorts>,
    unsettled: VecDeque<FlowPorts>,
    unwanted: VecDeque<(Port, Packet)>,
}

/// The ports of a flow at both ends of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowPorts {
    /// The port at the side of link port 0.
    pub near: u16,
    /// The port at the side of link port 1.
    pub far: u16,
}

struct Flow<L> {
    link: L,
    deadline: Option<Instant>,
}

impl<F: FnMut(FlowPorts) -> Option<L>, L: Link> FlowLinks<F, L> {
    /// Creates links that are made at the first packet of a flow. A flow without a link is blocked.
    pub fn new(make: F) -> Self {
        Self {
            make,
            flows: BTreeMap::new(),
            timers: TimerQueue::new(),
            unsettled: VecDeque::new(),
            unwanted: VecDeque::new(),
        }
    }

    fn offer(&mut self, now: Instant, port: Port, packet: Packet) {
        let Some(ports) = FlowPorts::of(&packet, port) else {
            self.unwanted.push_back((port, packet));
            return;
        };
        if !self.flows.contains_key(&ports) {
            let Some(link) = (self.make)(ports) else {
                self.unwanted.push_back((port, packet));
                return;
            };
            let deadline = None;
            self.flows.insert(ports, Flow { link, deadline });
        }
        if let Some(flow) = self.flows.get_mut(&ports) {
            flow.link.handle(now, LinkInput::Offered { port, packet });
            self.unsettled.push_back(ports);
        }
    }

    fn wake_due(&mut self, now: Instant) {
        while let Some(ports) = self.timers.pop_due(now) {
            if let Some(flow) = self.flows.get_mut(&ports) {
                flow.deadline = None;
                flow.link.handle(now, LinkInput::Timeout);
                self.unsettled.push_back(ports);
            }
        }
    }
}

impl<F: FnMut(FlowPorts) -> Option<L>, L: Link> Link for FlowLinks<F, L> {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        match input {
            LinkInput::Offered { port, packet } => self.offer(now, port, packet),
            LinkInput::Timeout => self.wake_due(now),
            // Both ends are there from the start and stay.
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        if let Some((port, packet)) = self.unwanted.pop_front() {
            let reason = DropReason::NotTranslatable;
            return LinkOutput::Drop {
                port,
                packet,
                reason,
            };
        }
        while let Some(ports) = self.unsettled.front().copied() {
            if let Some(flow) = self.flows.get_mut(&ports) {
                let next = match flow.link.poll(now) {
                    LinkOutput::WaitUntil(next) => next,
                    output => return output,
                };
                if let Some(before) = flow.deadline {
                    self.timers.disarm(before, ports);
                }
                if let Some(at) = next {
                    self.timers.arm(at, ports);
                }
                flow.deadline = next;
            }
            self.unsettled.pop_front();
        }
        LinkOutput::WaitUntil(self.timers.next_deadline())
    }
}

impl FlowPorts {
    /// Returns the ports of a packet that enters at this side.
    #[must_use]
    pub fn of(packet: &Packet, entry: Port) -> Option<Self> {
        let ip = IpPacket::parse(packet.bytes()).ok()?;
        let ports = packet.bytes()[ip.payload].first_chunk::<4>()?;
        let source = u16::from_be_bytes([ports[0], ports[1]]);
        let destination = u16::from_be_bytes([ports[2], ports[3]]);
        let (near, far) = match direction_from(entry) {
            Direction::Up => (source, destination),
            Direction::Down => (destination, source),
        };
        Some(Self { near, far })
    }
}

fn direction_from(entry: Port) -> Direction {
    if entry == Port(0) {
        Direction::Up
    } else {
        Direction::Down
    }
}
